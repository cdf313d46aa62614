// RUN: heddle-opt %s | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @relative_bias
func.func @relative_bias(%s: tensor<?x8x?x?xf32>, %t: tensor<33x8xf32>, %b: tensor<32x8xbf16>, %starts: tensor<?xi32>) {
  // CHECK: heddle.relative_bias %{{.*}}, %{{.*}} align(top_left) : tensor<?x8x?x?xf32>, tensor<33x8xf32>
  %0 = heddle.relative_bias %s, %t align(top_left) : tensor<?x8x?x?xf32>, tensor<33x8xf32>
  // CHECK: heddle.relative_bias %{{.*}}, %{{.*}} buckets(both, 128) offset(%{{.*}} : tensor<?xi32>) : tensor<?x8x?x?xf32>, tensor<32x8xbf16>
  %1 = heddle.relative_bias %s, %b buckets(both, 128) offset(%starts : tensor<?xi32>) : tensor<?x8x?x?xf32>, tensor<32x8xbf16>
  return
}
