// RUN: heddle-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected #heddle.product_tiles, attention_tiles, row_tiles, block_rows, block_product or block_attention of a kernel, or #heddle.layout of a weight, found 5 : i64}}
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

// expected-error @+1 {{struct is missing required parameter: task}}
heddle.configure @negative_product_tiles_missing #heddle.product_tiles<rows = 6, columns = 64, vector = 16, depth = 2048, block = 22>

// -----

// expected-error @+1 {{expected chunk from 1 to 1048576, found -1}}
heddle.configure @negative_attention_tiles_c1 #heddle.attention_tiles<rows = 12, chunk = -1, register_rows = 6, keys = 64, columns = 64, vector = 16>

// -----

// expected-error @+1 {{expected rows to be a multiple of register_rows, found 12 and 5}}
heddle.configure @negative_attention_tiles_c2 #heddle.attention_tiles<rows = 12, chunk = 16, register_rows = 5, keys = 64, columns = 64, vector = 16>

// -----

// expected-error @+1 {{expected keys of a chunk to be a multiple of keys, found 512 and 96}}
heddle.configure @negative_attention_tiles_c2_blocks #heddle.attention_tiles<rows = 12, chunk = 16, register_rows = 6, keys = 96, columns = 64, vector = 16>

// -----

// expected-error @+1 {{expected keys to be a multiple of 32, or a divisor of that in vectors of 16, found 48}}
heddle.configure @negative_attention_tiles_c2_keys #heddle.attention_tiles<rows = 12, chunk = 16, register_rows = 6, keys = 48, columns = 64, vector = 16>

// -----

// expected-error @+1 {{expected keys to be a multiple of 32, or a divisor of that in vectors of 16, found 8}}
heddle.configure @negative_attention_tiles_c2_part #heddle.attention_tiles<rows = 12, chunk = 16, register_rows = 6, keys = 8, columns = 64, vector = 16>

// -----

// expected-error @+1 {{expected register tiles of at most 4096 elements, found register_rows = 6 times keys = 1024}}
heddle.configure @negative_attention_tiles_c3 #heddle.attention_tiles<rows = 12, chunk = 32, register_rows = 6, keys = 1024, columns = 64, vector = 16>

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

// expected-error @+1 {{expected depth to be a power of two of at most 1024, found 12}}
heddle.configure @negative_block_product_c1 #heddle.block_product<rows = 32, columns = 32, depth = 12, thread_rows = 4, thread_columns = 4, vector = 4, sum = 2048, panel = 16>

// -----

// expected-error @+1 {{expected sum to be a power of two of at most 1048576, found 3000}}
heddle.configure @negative_block_product_c1 #heddle.block_product<rows = 32, columns = 32, depth = 8, thread_rows = 4, thread_columns = 4, vector = 4, sum = 3000, panel = 16>

// -----

// expected-error @+1 {{expected rows to be a multiple of thread_rows, found 4 and 8}}
heddle.configure @negative_block_product_c2 #heddle.block_product<rows = 4, columns = 32, depth = 8, thread_rows = 8, thread_columns = 4, vector = 4, sum = 2048, panel = 16>

// -----

// expected-error @+1 {{expected columns to be a multiple of thread_columns, found 4 and 8}}
heddle.configure @negative_block_product_c2 #heddle.block_product<rows = 32, columns = 4, depth = 8, thread_rows = 8, thread_columns = 8, vector = 4, sum = 2048, panel = 16>

// -----

// expected-error @+1 {{expected thread_columns to be a multiple of vector, found 4 and 8}}
heddle.configure @negative_block_product_c2 #heddle.block_product<rows = 32, columns = 32, depth = 8, thread_rows = 4, thread_columns = 4, vector = 8, sum = 2048, panel = 16>

// -----

// expected-error @+1 {{expected panel to be a multiple of vector, found 2 and 4}}
heddle.configure @negative_block_product_c2 #heddle.block_product<rows = 32, columns = 32, depth = 8, thread_rows = 4, thread_columns = 4, vector = 4, sum = 2048, panel = 2>

// -----

// expected-error @+1 {{expected sum to be a multiple of depth, found 4 and 8}}
heddle.configure @negative_block_product_c2 #heddle.block_product<rows = 32, columns = 32, depth = 8, thread_rows = 4, thread_columns = 4, vector = 4, sum = 4, panel = 16>

// -----

// expected-error @+1 {{expected thread_rows times thread_columns of at most 256, found 32 and 16}}
heddle.configure @negative_block_product_c3 #heddle.block_product<rows = 32, columns = 32, depth = 8, thread_rows = 32, thread_columns = 16, vector = 4, sum = 2048, panel = 16>

// -----

// expected-error @+1 {{expected a tile of 4 to 1024 parts, each of which is a thread's, found 2}}
heddle.configure @negative_block_product_c4 #heddle.block_product<rows = 32, columns = 16, depth = 8, thread_rows = 16, thread_columns = 16, vector = 4, sum = 2048, panel = 16>

// -----

// expected-error @+1 {{expected a tile of 4 to 1024 parts, each of which is a thread's, found 4096}}
heddle.configure @negative_block_product_c4 #heddle.block_product<rows = 256, columns = 256, depth = 8, thread_rows = 4, thread_columns = 4, vector = 4, sum = 2048, panel = 16>

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
