// RUN: heddle-opt %s | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @from_number
func.func @from_number(%f: f32) -> tensor<f32> {
  %c3 = arith.constant 3 : index
  // CHECK: heddle.from_number %{{.*}} : index -> tensor<i64>
  %i = heddle.from_number %c3 : index -> tensor<i64>
  // CHECK: heddle.from_number %{{.*}} : f32 -> tensor<f32>
  %x = heddle.from_number %f : f32 -> tensor<f32>
  return %x : tensor<f32>
}
