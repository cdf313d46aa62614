// RUN: heddle-opt %s -split-input-file -verify-diagnostics

halide.pipeline @negative_update_c1_name {
  // expected-error @+1 {{expected a halide.func before it, found nothing named @y}}
  halide.update @y(%c) {
    halide.yield %c : i32
  }
}

// -----

halide.pipeline @negative_update_c1_order {
  // expected-error @+1 {{expected a halide.func before it, found nothing named @y}}
  halide.update @y(%c, %m) {
    %zero = arith.constant 0.0 : f32
    halide.yield %zero : f32
  }
  halide.func @y(%c, %m) : f32 {
    %zero = arith.constant 0.0 : f32
    halide.yield %zero : f32
  }
}

// -----

halide.pipeline @negative_update_c2 {
  // expected-note @+1 {{the func}}
  halide.func @y(%c, %m) : f32 {
    %zero = arith.constant 0.0 : f32
    halide.yield %zero : f32
  }
  // expected-error @+1 {{expected variables ["c", "m"], found ["c", "n"]}}
  halide.update @y(%c, %n) {
    %zero = arith.constant 0.0 : f32
    halide.yield %zero : f32
  }
}

// -----

halide.pipeline @negative_update_c3 {
  halide.func @y(%c, %m) : f32 {
    %zero = arith.constant 0.0 : f32
    halide.yield %zero : f32
  }
  // expected-error @+1 {{expected values of types [f32]}}
  halide.update @y(%c, %m) {
    // expected-note @+1 {{yields 'i32'}}
    halide.yield %c : i32
  }
}

// -----

halide.pipeline @negative_update_coordinates {
  halide.func @y(%c, %m) : f32 {
    %zero = arith.constant 0.0 : f32
    halide.yield %zero : f32
  }
  halide.update @y(%c, %m) {
    %zero = arith.constant 0.0 : f32
    // expected-error @+1 {{expected 2 coordinates, found 1}}
    halide.yield %zero at(%c) : f32
  }
}

// -----

halide.pipeline @negative_update_extents {
  halide.func @y(%c, %m) : f32 {
    %zero = arith.constant 0.0 : f32
    halide.yield %zero : f32
  }
  // expected-error @+1 {{expected 1 extents, found 0}}
  "halide.update"() <{func = @y, vars = ["c", "m"], reduction_vars = ["k"],
      static_extents = array<i64>}> ({
  ^bb0(%c: i32, %m: i32, %k: i32):
    %zero = arith.constant 0.0 : f32
    halide.yield %zero : f32
  }) : () -> ()
}

// -----

halide.pipeline @negative_update_arguments {
  halide.func @y(%c, %m) : f32 {
    %zero = arith.constant 0.0 : f32
    halide.yield %zero : f32
  }
  // expected-error @+1 {{expected 3 block arguments, found 2}}
  "halide.update"() <{func = @y, vars = ["c", "m"], reduction_vars = ["k"],
      static_extents = array<i64: 4>}> ({
  ^bb0(%c: i32, %m: i32):
    %zero = arith.constant 0.0 : f32
    halide.yield %zero : f32
  }) : () -> ()
}
