// RUN: heddle-opt %s -split-input-file -verify-diagnostics

// expected-error @+1 {{expected a positive factor, found 0.0}}
func.func private @negative_rope_scaling_factor() attributes {s = #heddle.rope_scaling<linear, factor = 0.0>}

// -----

// expected-error @+1 {{llama3 needs low, high and original}}
func.func private @negative_rope_scaling_llama3() attributes {s = #heddle.rope_scaling<llama3, factor = 8.0>}

// -----

// expected-error @+2 {{linear takes no low, high or original}}
func.func private @negative_rope_scaling_linear() attributes {
  s = #heddle.rope_scaling<linear, factor = 8.0, low = 1.0, high = 4.0, original = 8192>}

// -----

// expected-error @+2 {{expected 0 < low < high, found 0.0}}
func.func private @negative_rope_scaling_low() attributes {
  s = #heddle.rope_scaling<llama3, factor = 8.0, low = 0.0, high = 4.0, original = 8192>}

// -----

// expected-error @+2 {{expected 0 < low < high, found 4.0}}
func.func private @negative_rope_scaling_order() attributes {
  s = #heddle.rope_scaling<llama3, factor = 8.0, low = 4.0, high = 4.0, original = 8192>}

// -----

// expected-error @+2 {{expected 0 < low < high, found 1.0}}
func.func private @negative_rope_scaling_nan() attributes {
  s = #heddle.rope_scaling<llama3, factor = 8.0, low = 1.0, high = 0x7FF8000000000000, original = 8192>}

// -----

// expected-error @+2 {{expected a positive original length, found 0}}
func.func private @negative_rope_scaling_original() attributes {
  s = #heddle.rope_scaling<llama3, factor = 8.0, low = 1.0, high = 4.0, original = 0>}
