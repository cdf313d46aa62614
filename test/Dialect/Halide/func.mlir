// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: halide.pipeline @func
halide.pipeline @func {
  // CHECK: halide.func @scalar() : f32
  halide.func @scalar() : f32 {
    %zero = arith.constant 0.0 : f32
    // CHECK: halide.yield %{{.*}} : f32
    halide.yield %zero : f32
  }
  // The variables keep their names, by which schedules refer to the loops.
  // CHECK: halide.func @pair(%channel, %row) : f32, i32 reduction(fold)
  halide.func @pair(%channel, %row) : f32, i32 reduction(fold) {
    %zero = arith.constant 0.0 : f32
    // CHECK: halide.yield %{{.*}}, %channel : f32, i32
    halide.yield %zero, %channel : f32, i32
  }
}
