// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-decompose | FileCheck %s

// Sums of updates begin with -0, which changes no element that gets none, be it -0.
// CHECK-LABEL: func.func @add
// CHECK: heddle.generic over [4, 3] reduce [2] initial [-0.000000e+00 : f32]
// CHECK: %[[NONE:.*]] = arith.constant -0.000000e+00 : f32
// CHECK: arith.select %{{.*}}, %{{.*}}, %[[NONE]]
func.func @add(%x: tensor<4x3xf32>, %i: tensor<2xi32>, %u: tensor<2x3xf32>) -> tensor<4x3xf32> {
  %y = heddle.scatter add %x, %i, %u axis(0) : (tensor<4x3xf32>, tensor<2xi32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  return %y : tensor<4x3xf32>
}
