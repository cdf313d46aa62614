// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK: heddle.configure @product #heddle.product_tiles<rows = 6, columns = 64, vector = 16, depth = 2048, block = 22, task = 1>
heddle.configure @product #heddle.product_tiles<rows = 6, columns = 64, vector = 16, depth = 2048, block = 22, task = 1>
// CHECK: heddle.configure @attention #heddle.attention_tiles<rows = 12, chunk = 16, register_rows = 6, keys = 64, columns = 64, vector = 16>
heddle.configure @attention #heddle.attention_tiles<vector = 16, chunk = 16, register_rows = 6, keys = 64, columns = 64, rows = 12>
// CHECK: heddle.configure @silu #heddle.row_tiles<task = 4096, strip = 512, vector = 8>
heddle.configure @silu #heddle.row_tiles<task = 4096, strip = 512, vector = 8>
// CHECK: heddle.configure @rows #heddle.block_rows<threads = 128, lanes = 32>
heddle.configure @rows #heddle.block_rows<lanes = 32, threads = 128>
// CHECK: heddle.configure @product_blocks #heddle.block_product<rows = 32, columns = 32, depth = 8, thread_rows = 4, thread_columns = 4, vector = 4, sum = 2048, panel = 16>
heddle.configure @product_blocks #heddle.block_product<rows = 32, columns = 32, depth = 8, thread_rows = 4, thread_columns = 4, vector = 4, sum = 2048, panel = 16>
// CHECK: heddle.configure @blocks #heddle.block_attention<threads = 128, rows = 16, chunk = 2>
heddle.configure @blocks #heddle.block_attention<threads = 128, rows = 16, chunk = 2>
// CHECK: heddle.configure @gate #heddle.layout<panels of 32 along 0>
heddle.configure @gate #heddle.layout<panels of 32 along 0>
