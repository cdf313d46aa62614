// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @keep_likely
func.func @keep_likely(%x: tensor<?x9xbf16>, %t: tensor<?xf32>, %k: tensor<?xi32>) -> tensor<?x9xbf16> {
  // CHECK: heddle.keep_likely %{{.*}} temperature(%{{.*}}) top_k(%{{.*}}) top_p(%{{.*}}) : tensor<?x9xbf16>, tensor<?xf32>, tensor<?xi32>
  %0 = heddle.keep_likely %x temperature(%t) top_k(%k) top_p(%t) : tensor<?x9xbf16>, tensor<?xf32>, tensor<?xi32>
  return %0 : tensor<?x9xbf16>
}

// CHECK-LABEL: func.func @one_row
func.func @one_row(%x: tensor<?xf32>, %t: tensor<f32>, %k: tensor<i32>) -> tensor<?xf32> {
  // CHECK: heddle.keep_likely %{{.*}} temperature(%{{.*}}) top_k(%{{.*}}) top_p(%{{.*}}) : tensor<?xf32>, tensor<f32>, tensor<i32>
  %0 = heddle.keep_likely %x temperature(%t) top_k(%k) top_p(%t) : tensor<?xf32>, tensor<f32>, tensor<i32>
  return %0 : tensor<?xf32>
}
