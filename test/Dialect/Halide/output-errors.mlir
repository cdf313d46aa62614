// RUN: heddle-opt %s -split-input-file -verify-diagnostics

halide.pipeline @negative_output_c1_name {
  // expected-error @+1 {{expected a halide.func before it, found nothing named @y}}
  halide.output @y [64, 4]
}

// -----

halide.pipeline @negative_output_c1_input {
  halide.input @x [64, 4] : f32
  // expected-error @+1 {{expected a halide.func before it, found nothing named @x}}
  halide.output @x [64, 4]
}

// -----

halide.pipeline @negative_output_c1_values {
  halide.func @y(%c, %m) : f32, i32 {
    %zero = arith.constant 0.0 : f32
    halide.yield %zero, %c : f32, i32
  }
  // expected-error @+1 {{expected a func with one value, found 2}}
  halide.output @y [64, 4]
}

// -----

halide.pipeline @negative_output_c1_extents {
  halide.func @y(%c, %m) : f32 {
    %zero = arith.constant 0.0 : f32
    halide.yield %zero : f32
  }
  // expected-error @+1 {{expected 2 extents, found 1}}
  halide.output @y [64]
}

// -----

halide.pipeline @negative_output_c1_later {
  // expected-error @+1 {{expected a halide.func before it, found nothing named @y}}
  halide.output @y [64]
  halide.func @y(%c) : f32 {
    %zero = arith.constant 0.0 : f32
    halide.yield %zero : f32
  }
}
