// RUN: heddle-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected positive sizes, found 5 x 0 x 8}}
func.func private @negative_cache_sizes(!heddle.cache<5 x 0 x 8 x f32>)

// -----

// expected-error @+1 {{expected element type f32, found 'i32'}}
func.func private @negative_cache_element_type(!heddle.cache<5 x 4 x 8 x i32>)
