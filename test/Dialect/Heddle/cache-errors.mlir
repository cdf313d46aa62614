// RUN: heddle-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected positive sizes, found 5 x 0 x 8}}
func.func private @negative_cache_sizes(!heddle.cache<5 x 0 x 8 x f32>)

// -----

// expected-error @+1 {{expected element type f32, found 'i32'}}
func.func private @negative_cache_element_type(!heddle.cache<5 x 4 x 8 x i32>)

// -----

// expected-error @+1 {{expected the bytes of a position to fit 64 bits, found sizes 1 x 4294967296 x 4294967296}}
func.func private @negative_cache_channels(!heddle.cache<1 x 4294967296 x 4294967296 x f32>)

// -----

// 2^60 elements for keys and as many for values, of 4 bytes
// expected-error @+1 {{expected the bytes of a position to fit 64 bits, found sizes 1048576 x 1048576 x 1048576}}
func.func private @negative_cache_bytes(!heddle.cache<1048576 x 1048576 x 1048576 x f32>)
