// RUN: heddle-opt %s -split-input-file -verify-diagnostics

halide.pipeline @negative_func_c1_type {
  // expected-error @+1 {{expected values of types [f32]}}
  halide.func @y(%c) : f32 {
    // expected-note @+1 {{yields 'i32'}}
    halide.yield %c : i32
  }
}

// -----

halide.pipeline @negative_func_c1_number {
  // expected-error @+1 {{expected values of types [i32, i32]}}
  halide.func @y(%c) : i32, i32 {
    // expected-note @+1 {{yields 'i32'}}
    halide.yield %c : i32
  }
}

// -----

halide.pipeline @negative_func_c2 {
  // expected-error @+1 {{expected distinct variables, found 'c' twice}}
  "halide.func"() <{sym_name = "y", vars = ["c", "c"], types = [i32]}> ({
  ^bb0(%a: i32, %b: i32):
    halide.yield %a : i32
  }) : () -> ()
}

// -----

halide.pipeline @negative_func_arguments {
  // expected-error @+1 {{expected 2 block arguments, found 1}}
  "halide.func"() <{sym_name = "y", vars = ["a", "b"], types = [i32]}> ({
  ^bb0(%a: i32):
    halide.yield %a : i32
  }) : () -> ()
}

// -----

halide.pipeline @negative_func_number_as_name {
  // expected-error @+1 {{expected a variable with a name, found %0}}
  halide.func @y(%0) : i32 {
    halide.yield %0 : i32
  }
}

// -----

halide.pipeline @negative_func_reduction {
  // expected-error @+1 {{unknown reduction 'sum'}}
  halide.func @y(%c) : i32 reduction(sum) {
    halide.yield %c : i32
  }
}

// -----

halide.pipeline @negative_func_terminator {
  halide.func @y(%c) : i32 {
    // expected-error @+1 {{block with no terminator}}
    %0 = arith.addi %c, %c : i32
  }
}

// -----

halide.pipeline @negative_func_coordinates {
  halide.func @y(%c) : i32 {
    // expected-error @+1 {{expected no coordinates in a pure definition}}
    halide.yield %c at(%c) : i32
  }
}
