// RUN: heddle-opt %s -split-input-file -verify-diagnostics

halide.schedule @negative_specialize_c1_func {
  // expected-note @+1 {{the specialization}}
  halide.specialize @y "length" eq 1 {
    // expected-error @+1 {{expected a directive of the stage that is specialized}}
    halide.serial @z "m"
  }
}

// -----

halide.schedule @negative_specialize_c1_update {
  // expected-note @+1 {{the specialization}}
  halide.specialize @y update(0) "length" eq 1 {
    // expected-error @+1 {{expected a directive of the stage that is specialized}}
    halide.serial @y update(1) "m"
  }
}

// -----

halide.schedule @negative_specialize_c2 {
  // expected-error @+1 {{expected a multiple of a positive number, found 0}}
  halide.specialize @y "length" multiple_of 0 {
  }
}

// -----

halide.schedule @negative_specialize_func_directive {
  halide.specialize @y "length" eq 1 {
    // expected-error @+1 {{expects parent op 'halide.schedule'}}
    halide.compute_root @y
  }
}

// -----

halide.schedule @negative_specialize_comparison {
  // expected-error @+1 {{expected one of eq, ne, lt, le, gt, ge, multiple_of, found 'is'}}
  halide.specialize @y "length" is 1 {
  }
}
