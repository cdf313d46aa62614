// RUN: heddle-opt %s -split-input-file -verify-diagnostics

halide.pipeline @negative_access_c1 {
  halide.input @x [64] : bf16
  halide.func @y(%c, %m) : f32, i32 {
    %zero = arith.constant 0.0 : f32
    halide.yield %zero, %c : f32, i32
  }
  halide.func @z(%c, %m) : f32 {
    // expected-error @+1 {{expected a func or input before it, found nothing named @other}}
    %0 = halide.access @other(%c) : f32
    halide.yield %0 : f32
  }
}

// -----

halide.pipeline @negative_access_c1_itself {
  halide.func @y(%c) : f32 {
    // expected-error @+1 {{expected a func or input before it, found nothing named @y}}
    %0 = halide.access @y(%c) : f32
    halide.yield %0 : f32
  }
}

// -----

halide.pipeline @negative_access_c1_later {
  halide.func @y(%c) : f32 {
    // expected-error @+1 {{expected a func or input before it, found nothing named @z}}
    %0 = halide.access @z(%c) : f32
    halide.yield %0 : f32
  }
  halide.func @z(%c) : f32 {
    %zero = arith.constant 0.0 : f32
    halide.yield %zero : f32
  }
}

// -----

halide.pipeline @negative_access_c2_input {
  halide.input @x [64] : bf16
  halide.func @y(%c, %m) : f32, i32 {
    %zero = arith.constant 0.0 : f32
    halide.yield %zero, %c : f32, i32
  }
  halide.func @z(%c, %m) : bf16 {
    // expected-error @+1 {{expected 1 coordinates, found 2}}
    %0 = halide.access @x(%c, %m) : bf16
    halide.yield %0 : bf16
  }
}

// -----

halide.pipeline @negative_access_c2_func {
  halide.input @x [64] : bf16
  halide.func @y(%c, %m) : f32, i32 {
    %zero = arith.constant 0.0 : f32
    halide.yield %zero, %c : f32, i32
  }
  halide.func @z(%c, %m) : f32 {
    // expected-error @+1 {{expected 2 coordinates, found 1}}
    %0 = halide.access @y(%c) : f32
    halide.yield %0 : f32
  }
}

// -----

halide.pipeline @negative_access_c3_input {
  halide.input @x [64] : bf16
  halide.func @y(%c, %m) : f32, i32 {
    %zero = arith.constant 0.0 : f32
    halide.yield %zero, %c : f32, i32
  }
  halide.func @z(%c, %m) : f32 {
    // expected-error @+1 {{expected type 'bf16', found 'f32'}}
    %0 = halide.access @x(%c) : f32
    halide.yield %0 : f32
  }
}

// -----

halide.pipeline @negative_access_c3_func {
  halide.input @x [64] : bf16
  halide.func @y(%c, %m) : f32, i32 {
    %zero = arith.constant 0.0 : f32
    halide.yield %zero, %c : f32, i32
  }
  halide.func @z(%c, %m) : f32 {
    // expected-error @+1 {{expected type 'i32', found 'f32'}}
    %0 = halide.access @y[1](%c, %m) : f32
    halide.yield %0 : f32
  }
}

// -----

halide.pipeline @negative_access_c3_index {
  halide.input @x [64] : bf16
  halide.func @y(%c, %m) : f32, i32 {
    %zero = arith.constant 0.0 : f32
    halide.yield %zero, %c : f32, i32
  }
  halide.func @z(%c, %m) : f32 {
    // expected-error @+1 {{expected an index below 2, found 2}}
    %0 = halide.access @y[2](%c, %m) : f32
    halide.yield %0 : f32
  }
}
