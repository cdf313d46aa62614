// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// A matrix product: parameters, inputs, funcs, updates, outputs, schedule.
// CHECK-LABEL: halide.pipeline @product
halide.pipeline @product {
  // CHECK: %[[ROWS:.*]] = halide.param "batch * length"
  %rows = halide.param "batch * length"
  // CHECK: halide.input @x [64, %[[ROWS]]] : f32
  halide.input @x [64, %rows] : f32
  halide.input @w [64, 172] : bf16
  // CHECK: halide.func @y(%n, %m) : f32 reduction(contraction)
  halide.func @y(%n, %m) : f32 reduction(contraction) {
    %zero = arith.constant 0.0 : f32
    halide.yield %zero : f32
  }
  // CHECK: halide.update @y(%n, %m) reduce(%k < 64)
  halide.update @y(%n, %m) reduce(%k < 64) {
    %sum = halide.access @y(%n, %m) : f32
    %x = halide.access @x(%k, %m) : f32
    %w = halide.access @w(%k, %n) : bf16
    %wide = arith.extf %w : bf16 to f32
    %product = arith.mulf %x, %wide : f32
    %next = arith.addf %sum, %product : f32
    halide.yield %next : f32
  }
  // CHECK: halide.output @y [172, %[[ROWS]]]
  halide.output @y [172, %rows]
  // CHECK: halide.schedule {
  // CHECK-NEXT: halide.parallel @y "m"
  halide.schedule {
    halide.parallel @y "m"
  }
}
