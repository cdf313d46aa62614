// RUN: heddle-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected positive sizes, found 5 x 0 x 8, values 8}}
func.func private @negative_cache_sizes(!heddle.cache<5 x 0 x 8 x f32>)

// -----

// expected-error @+1 {{expected elements of f32, bf16, f16 or i8, found 'i32'}}
func.func private @negative_cache_element_type(!heddle.cache<5 x 4 x 8 x i32>)

// -----

// expected-error @+1 {{expected the bytes of a position to fit 64 bits, found sizes 1 x 4294967296 x 4294967296}}
func.func private @negative_cache_channels(!heddle.cache<1 x 4294967296 x 4294967296 x f32>)

// -----

// 2^60 elements for keys and as many for values, of 4 bytes
// expected-error @+1 {{expected the bytes of a position to fit 64 bits, found sizes 1048576 x 1048576 x 1048576}}
func.func private @negative_cache_bytes(!heddle.cache<1048576 x 1048576 x 1048576 x f32>)

// -----

// expected-error @+1 {{expected positive sizes, found 5 x 4 x 8, values 0}}
func.func private @negative_cache_value_sizes(!heddle.cache<5 x 4 x 8 x f32, values 0 x f32>)

// -----

// expected-error @+1 {{expected elements of f32, bf16, f16 or i8, found 'f64'}}
func.func private @negative_cache_value_type(!heddle.cache<5 x 4 x 8 x f32, values 8 x f64>)

// -----

// expected-error @+1 {{expected 2 sizes, batch and capacity, found 1}}
func.func private @negative_cache_extents(!heddle.cache<5 x 4 x 8 x f32, values 8 x i8, <"batch">>)
