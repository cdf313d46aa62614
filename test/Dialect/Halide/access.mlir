// RUN: heddle-opt %s | heddle-opt | FileCheck %s --strict-whitespace
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s --strict-whitespace

// CHECK-LABEL: halide.pipeline @access
halide.pipeline @access {
  halide.input @x [64, 4] : bf16
  halide.func @y(%c, %m) : f32, i32 {
    %zero = arith.constant 0.0 : f32
    halide.yield %zero, %c : f32, i32
  }
  halide.func @z(%c, %m) : i32 {
    // CHECK: halide.access @x(%c, %m) : bf16
    %0 = halide.access @x(%c, %m) : bf16
    // CHECK: halide.access @y(%c, %m) : f32
    %1 = halide.access @y(%c, %m) : f32
    // CHECK: halide.access @y[1](%m, %c) : i32
    %2 = halide.access @y[1](%m, %c) : i32
    halide.yield %2 : i32
  }
}
