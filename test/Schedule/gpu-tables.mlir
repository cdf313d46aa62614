// Reductions of tables on a device: where neighbours are read side by side, threads share a row;
// elsewhere each thread has a result of its own.

// RUN: heddle-opt %s --heddle-to-schedule=device=opencl | FileCheck %s

// CHECK-LABEL: halide.pipeline @sums
// CHECK: halide.schedule {
// CHECK: halide.gpu_blocks @result ["d0"]
// CHECK: halide.gpu_threads @partial ["lane"]
// CHECK: halide.gpu_threads @partial update(0) ["lane"]
func.func @sums(%x: tensor<5120xf32>) -> tensor<20xf32> {
  %y = heddle.generic over [20] reduce [256] initial [0.0 : f32] tables(%x : tensor<5120xf32>) {
  ^bb0(%table: tensor<5120xf32>, %sum: f32):
    %block = heddle.index 0
    %place = heddle.index 1
    %width = arith.constant 256 : i32
    %first = arith.muli %block, %width : i32
    %at = arith.addi %first, %place : i32
    %e = heddle.read %table[%at] : tensor<5120xf32>
    %s = arith.addf %sum, %e : f32
    heddle.yield %s : f32
  } : tensor<20xf32>
  return %y : tensor<20xf32>
}

// Every 20th element: the results lie side by side.
// CHECK-LABEL: halide.pipeline @strided
// CHECK: halide.schedule {
// CHECK-NEXT: halide.gpu_threads @result ["d0"]
// CHECK-NOT: lane
func.func @strided(%x: tensor<5120xf32>) -> tensor<20xf32> {
  %y = heddle.generic over [20] reduce [256] initial [0.0 : f32] tables(%x : tensor<5120xf32>) {
  ^bb0(%table: tensor<5120xf32>, %sum: f32):
    %block = heddle.index 0
    %place = heddle.index 1
    %width = arith.constant 20 : i32
    %first = arith.muli %place, %width : i32
    %at = arith.addi %first, %block : i32
    %e = heddle.read %table[%at] : tensor<5120xf32>
    %s = arith.addf %sum, %e : f32
    heddle.yield %s : f32
  } : tensor<20xf32>
  return %y : tensor<20xf32>
}

// By numbers that the table itself has.
// CHECK-LABEL: halide.pipeline @gathered
// CHECK: halide.schedule {
// CHECK-NEXT: halide.gpu_threads @result ["d0"]
// CHECK-NOT: lane
func.func @gathered(%x: tensor<5120xi32>) -> tensor<20xi32> {
  %y = heddle.generic over [20] reduce [256] initial [0 : i32] tables(%x : tensor<5120xi32>) {
  ^bb0(%table: tensor<5120xi32>, %sum: i32):
    %place = heddle.index 1
    %at = heddle.read %table[%place] : tensor<5120xi32>
    %e = heddle.read %table[%at] : tensor<5120xi32>
    %s = arith.addi %sum, %e : i32
    heddle.yield %s : i32
  } : tensor<20xi32>
  return %y : tensor<20xi32>
}
