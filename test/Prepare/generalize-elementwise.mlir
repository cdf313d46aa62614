// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-generalize-elementwise | FileCheck %s

// CHECK-LABEL: func.func @function
// CHECK: heddle.generic over ["n", 64] ins(%{{.*}} : tensor<?x64xf32, #heddle.sizes<"n">>) maps [#{{.*}}] attributes {heddle.origin = "exp"} {
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32):
// CHECK-NEXT: %[[Y:.*]] = math.exp %[[X]] : f32
// CHECK-NEXT: heddle.yield %[[Y]] : f32
func.func @function(%x: tensor<?x64xf32> {heddle.sizes = ["n"]}) -> tensor<?x64xf32> {
  %y = math.exp %x : tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// An operand is read once, and a constant of equal elements is a number.
// CHECK-LABEL: func.func @constant
// CHECK-NOT: dense
// CHECK: heddle.generic over [2, 4] ins(%{{.*}} : tensor<2x4xf32>)
// CHECK-NEXT: ^bb0(%[[X:.*]]: f32):
// CHECK: %[[H:.*]] = arith.constant 5.000000e-01 : f32
// CHECK: arith.mulf %[[X]], %[[H]] : f32
func.func @constant(%x: tensor<2x4xf32>) -> tensor<2x4xf32> {
  %h = arith.constant dense<0.5> : tensor<2x4xf32>
  %y = arith.mulf %x, %h : tensor<2x4xf32>
  return %y : tensor<2x4xf32>
}

// CHECK-LABEL: func.func @weight
// CHECK: heddle.generic over [8, 64] ins(%{{.*}}, %{{.*}} : tensor<8x64xf32>, tensor<8x64xf32>)
heddle.weight @pos from "pos" : tensor<8x64xf32>
func.func @weight(%x: tensor<8x64xf32>) -> tensor<8x64xf32> {
  %w = heddle.weight_ref @pos : tensor<8x64xf32>
  %y = arith.addf %x, %w : tensor<8x64xf32>
  return %y : tensor<8x64xf32>
}
