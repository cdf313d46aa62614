// RUN: heddle-opt %s -split-input-file -verify-diagnostics

// expected-error @+2 {{llama3 needs low}}
func.func private @negative_rope_scaling_c1_llama3() attributes {
  s = #heddle.rope_scaling<llama3, factor = 8.0>}

// -----

// expected-error @+2 {{llama3 needs original}}
func.func private @negative_rope_scaling_c1_llama3_original() attributes {
  s = #heddle.rope_scaling<llama3, factor = 8.0, low = 1.0, high = 4.0>}

// -----

// expected-error @+2 {{linear takes no low}}
func.func private @negative_rope_scaling_c1_linear() attributes {
  s = #heddle.rope_scaling<linear, factor = 8.0, low = 1.0, high = 4.0, original = 8192>}

// -----

// expected-error @+2 {{longrope needs factor}}
func.func private @negative_rope_scaling_c1_factor() attributes {
  s = #heddle.rope_scaling<longrope, original = 4, length = 8, short_factor = [1.0], long_factor = [1.0]>}

// -----

// expected-error @+2 {{dynamic needs length}}
func.func private @negative_rope_scaling_c1_dynamic() attributes {
  s = #heddle.rope_scaling<dynamic, factor = 2.0, original = 2048>}

// -----

// expected-error @+2 {{dynamic takes no fast}}
func.func private @negative_rope_scaling_c1_dynamic_fast() attributes {
  s = #heddle.rope_scaling<dynamic, factor = 2.0, original = 2048, length = 4096, fast = 32.0>}

// -----

// expected-error @+2 {{yarn needs original}}
func.func private @negative_rope_scaling_c1_yarn() attributes {
  s = #heddle.rope_scaling<yarn, factor = 2.0>}

// -----

// expected-error @+2 {{yarn takes no length}}
func.func private @negative_rope_scaling_c1_yarn_length() attributes {
  s = #heddle.rope_scaling<yarn, factor = 2.0, original = 2048, length = 4096>}

// -----

// expected-error @+2 {{llama3 takes no attention}}
func.func private @negative_rope_scaling_c1_attention() attributes {
  s = #heddle.rope_scaling<llama3, factor = 8.0, low = 1.0, high = 4.0, original = 8192, attention = 1.0>}

// -----

// expected-error @+2 {{linear takes no truncate}}
func.func private @negative_rope_scaling_c1_truncate() attributes {
  s = #heddle.rope_scaling<linear, factor = 8.0, truncate = false>}

// -----

// expected-error @+2 {{longrope needs long_factor}}
func.func private @negative_rope_scaling_c1_longrope() attributes {
  s = #heddle.rope_scaling<longrope, factor = 2.0, original = 4, length = 8, short_factor = [1.0]>}

// -----

// expected-error @+2 {{duplicate or unknown struct parameter name: middle}}
func.func private @negative_rope_scaling_c1_unknown() attributes {
  s = #heddle.rope_scaling<linear, middle = 8.0>}

// -----

// expected-error @+2 {{expected a positive factor, found 0.0}}
func.func private @negative_rope_scaling_c2_factor() attributes {
  s = #heddle.rope_scaling<linear, factor = 0.0>}

// -----

// expected-error @+2 {{expected a positive factor, found}}
func.func private @negative_rope_scaling_c2_infinite() attributes {
  s = #heddle.rope_scaling<linear, factor = 0x7FF0000000000000>}

// -----

// expected-error @+2 {{expected a positive low, found 0.0}}
func.func private @negative_rope_scaling_c2_low() attributes {
  s = #heddle.rope_scaling<llama3, factor = 8.0, low = 0.0, high = 4.0, original = 8192>}

// -----

// expected-error @+2 {{expected a positive high, found}}
func.func private @negative_rope_scaling_c2_nan() attributes {
  s = #heddle.rope_scaling<llama3, factor = 8.0, low = 1.0, high = 0x7FF8000000000000, original = 8192>}

// -----

// expected-error @+2 {{expected a positive slow, found -1.0}}
func.func private @negative_rope_scaling_c2_slow() attributes {
  s = #heddle.rope_scaling<yarn, factor = 8.0, original = 64, slow = -1.0>}

// -----

// expected-error @+2 {{expected a positive attention, found 0.0}}
func.func private @negative_rope_scaling_c2_attention() attributes {
  s = #heddle.rope_scaling<yarn, factor = 8.0, original = 64, attention = 0.0>}

// -----

// expected-error @+2 {{expected positive numbers in short_factor, found 0.0}}
func.func private @negative_rope_scaling_c2_list() attributes {
  s = #heddle.rope_scaling<longrope, factor = 2.0, original = 4, length = 8, short_factor = [1.0, 0.0], long_factor = [1.0, 1.0]>}

// -----

// expected-error @+2 {{expected a low below high, which is 4.0}}
func.func private @negative_rope_scaling_c3_low() attributes {
  s = #heddle.rope_scaling<llama3, factor = 8.0, low = 4.0, high = 4.0, original = 8192>}

// -----

// expected-error @+2 {{expected a slow below fast, which is 3.2}}
func.func private @negative_rope_scaling_c3_slow() attributes {
  s = #heddle.rope_scaling<yarn, factor = 8.0, original = 64, slow = 33.0>}

// -----

// expected-error @+2 {{expected an original length from 1, found 0}}
func.func private @negative_rope_scaling_c4_original() attributes {
  s = #heddle.rope_scaling<llama3, factor = 8.0, low = 1.0, high = 4.0, original = 0>}

// -----

// expected-error @+2 {{expected an original length from 2, found 1}}
func.func private @negative_rope_scaling_c4_longrope() attributes {
  s = #heddle.rope_scaling<longrope, factor = 2.0, original = 1, length = 8, short_factor = [1.0], long_factor = [1.0]>}

// -----

// expected-error @+2 {{expected a length from 1, found 0}}
func.func private @negative_rope_scaling_c4_length() attributes {
  s = #heddle.rope_scaling<dynamic, factor = 2.0, original = 4, length = 0>}

// -----

// expected-error @+2 {{expected as many numbers in long_factor as in short_factor, which has 2, found 1}}
func.func private @negative_rope_scaling_c5() attributes {
  s = #heddle.rope_scaling<longrope, factor = 2.0, original = 4, length = 8, short_factor = [1.0, 2.0], long_factor = [1.0]>}
