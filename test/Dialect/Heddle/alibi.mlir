// RUN: heddle-opt %s | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @alibi
func.func @alibi(%s: tensor<?x8x?x?xf32>, %slopes: tensor<8xf32>, %starts: tensor<?xi64>) {
  // CHECK: heddle.alibi %{{.*}}, %{{.*}} align(bottom_right) : tensor<?x8x?x?xf32>, tensor<8xf32>
  %0 = heddle.alibi %s, %slopes align(bottom_right) : tensor<?x8x?x?xf32>, tensor<8xf32>
  // CHECK: heddle.alibi %{{.*}}, %{{.*}} offset(%{{.*}} : tensor<?xi64>) : tensor<?x8x?x?xf32>, tensor<8xf32>
  %1 = heddle.alibi %s, %slopes offset(%starts : tensor<?xi64>) : tensor<?x8x?x?xf32>, tensor<8xf32>
  return
}
