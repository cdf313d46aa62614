// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @sample
func.func @sample(%x: tensor<?x9xbf16>, %t: tensor<?xf32>, %p: tensor<?xf32>, %u: tensor<?xf32>) -> tensor<?xi64> {
  // CHECK: heddle.sample %{{.*}} temperature(%{{.*}}) min_p(%{{.*}}) uniform(%{{.*}}) : tensor<?x9xbf16>, tensor<?xf32> -> tensor<?xi64>
  %0 = heddle.sample %x temperature(%t) min_p(%p) uniform(%u) : tensor<?x9xbf16>, tensor<?xf32> -> tensor<?xi64>
  return %0 : tensor<?xi64>
}

// CHECK-LABEL: func.func @one_row
func.func @one_row(%x: tensor<?xf32>, %t: tensor<f32>) -> tensor<i32> {
  // CHECK: heddle.sample %{{.*}} temperature(%{{.*}}) min_p(%{{.*}}) uniform(%{{.*}}) : tensor<?xf32>, tensor<f32> -> tensor<i32>
  %0 = heddle.sample %x temperature(%t) min_p(%t) uniform(%t) : tensor<?xf32>, tensor<f32> -> tensor<i32>
  return %0 : tensor<i32>
}
