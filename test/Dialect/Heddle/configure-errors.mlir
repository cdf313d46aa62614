// RUN: heddle-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected #heddle.product_tiles, attention_tiles, row_tiles, block_rows or block_attention of a kernel, or #heddle.layout of a weight, found 5 : i64}}
heddle.configure @negative_configure_c1 5

// -----

// expected-error @+1 {{expected rows from 1 to 1048576, found 0}}
heddle.configure @negative_product_tiles_c1 #heddle.product_tiles<rows = 0, columns = 64, vector = 16, depth = 2048, block = 22, task = 1>

// -----

// expected-error @+1 {{expected vector to be a power of two of at most 32, found 12}}
heddle.configure @negative_product_tiles_c1_vector #heddle.product_tiles<rows = 6, columns = 24, vector = 12, depth = 2048, block = 22, task = 1>

// -----

// expected-error @+1 {{expected columns to be a multiple of vector, found 40 and 16}}
heddle.configure @negative_product_tiles_c2 #heddle.product_tiles<rows = 6, columns = 40, vector = 16, depth = 2048, block = 22, task = 1>

// -----

// expected-error @+1 {{expected register tiles of at most 4096 elements, found rows = 600 times columns = 64}}
heddle.configure @negative_product_tiles_c3 #heddle.product_tiles<rows = 600, columns = 64, vector = 16, depth = 2048, block = 22, task = 1>

// -----

// expected-error @+1 {{expected ','}}
heddle.configure @negative_product_tiles_missing #heddle.product_tiles<rows = 6, columns = 64, vector = 16, depth = 2048, block = 22>

// -----

// expected-error @+1 {{expected chunk from 1 to 1048576, found -1}}
heddle.configure @negative_attention_tiles_c1 #heddle.attention_tiles<rows = 12, chunk = -1, register_rows = 6, group = 2, columns = 64, vector = 16>

// -----

// expected-error @+1 {{expected rows to be a multiple of register_rows, found 12 and 5}}
heddle.configure @negative_attention_tiles_c2 #heddle.attention_tiles<rows = 12, chunk = 16, register_rows = 5, group = 2, columns = 64, vector = 16>

// -----

// expected-error @+1 {{expected chunk to be a multiple of group, found 16 and 3}}
heddle.configure @negative_attention_tiles_c2_group #heddle.attention_tiles<rows = 12, chunk = 16, register_rows = 6, group = 3, columns = 64, vector = 16>

// -----

// expected-error @+1 {{expected register tiles of at most 4096 elements, found register_rows = 6 times keys of a group = 1024}}
heddle.configure @negative_attention_tiles_c3 #heddle.attention_tiles<rows = 12, chunk = 32, register_rows = 6, group = 32, columns = 64, vector = 16>

// -----

// expected-error @+1 {{expected task from 1 to 1048576, found 9000000}}
heddle.configure @negative_row_tiles_c1 #heddle.row_tiles<task = 9000000, strip = 512, vector = 16>

// -----

// expected-error @+1 {{expected strip to be a multiple of vector, found 40 and 16}}
heddle.configure @negative_row_tiles_c2 #heddle.row_tiles<task = 4096, strip = 40, vector = 16>

// -----

// expected-error @+1 {{expected threads to be a power of two of at most 1024, found 100}}
heddle.configure @negative_block_rows_c1 #heddle.block_rows<threads = 100, lanes = 32>

// -----

// expected-error @+1 {{expected lanes to be a power of two of at most 32, found 64}}
heddle.configure @negative_block_rows_c1 #heddle.block_rows<threads = 128, lanes = 64>

// -----

// expected-error @+1 {{expected threads to be a power of two of at most 1024, found 2048}}
heddle.configure @negative_block_attention_c1 #heddle.block_attention<threads = 2048, rows = 16, chunk = 2>

// -----

// expected-error @+1 {{expected chunk from 1 to 1048576, found 0}}
heddle.configure @negative_block_attention_c1 #heddle.block_attention<threads = 128, rows = 16, chunk = 0>

// -----

// expected-error @+1 {{expected heddle.configuration to be a configuration of kernels, found 7 : i64}}
heddle.kernel @negative_configuration(%x: tensor<4xf32>) -> tensor<4xf32> attributes {heddle.configuration = 7 : i64} {
  heddle.yield %x : tensor<4xf32>
}
