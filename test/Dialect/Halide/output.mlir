// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: halide.pipeline @output
halide.pipeline @output {
  %rows = halide.param "rows"
  halide.func @y(%c, %m) : f32 {
    %zero = arith.constant 0.0 : f32
    halide.yield %zero : f32
  }
  halide.func @z(%c, %m) : f32 {
    %zero = arith.constant 0.0 : f32
    halide.yield %zero : f32
  }
  // CHECK: halide.output @y [64, %[[ROWS:.*]]] to result(0, part 1)
  halide.output @y [64, %rows] to result(0, part 1)
  // CHECK: halide.output @z [64, %[[ROWS]]]
  halide.output @z [64, %rows]
}
