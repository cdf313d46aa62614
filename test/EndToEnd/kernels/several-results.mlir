// Results of a reduction that depend on what others are so far are taken in order.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify -o kernel.o | FileCheck %s

// CHECK: verified prefix_sums as a whole
// CHECK: verified products as a whole

func.func @prefix_sums(%x: tensor<3x64xf32>) -> (tensor<3xf32>, tensor<3xf32>) {
  %y:2 = heddle.generic over [3] reduce [64] initial [0.0 : f32, 0.0 : f32]
      ins(%x : tensor<3x64xf32>) maps [affine_map<(o, i) -> (o, i)>] {
  ^bb0(%e: f32, %a: f32, %b: f32):
    %s = arith.addf %a, %e : f32
    %t = arith.addf %b, %a : f32
    heddle.yield %s, %t : f32, f32
  } : tensor<3xf32>, tensor<3xf32>
  return %y#0, %y#1 : tensor<3xf32>, tensor<3xf32>
}

func.func @products(%x: tensor<3x64xf32>) -> tensor<3xf32> {
  %y:2 = heddle.generic over [3] reduce [64] initial [0.0 : f32, 0.0 : f32]
      ins(%x : tensor<3x64xf32>) maps [affine_map<(o, i) -> (o, i)>] {
  ^bb0(%e: f32, %a: f32, %b: f32):
    %s = arith.addf %a, %e : f32
    %m = arith.mulf %a, %e : f32
    %t = arith.addf %b, %m : f32
    heddle.yield %s, %t : f32, f32
  } : tensor<3xf32>, tensor<3xf32>
  return %y#1 : tensor<3xf32>
}
