// A bias that is a sum of products itself is no scores: neither its scale nor its shape counts.

// On a device, which takes long here, with --slow.
// UNSUPPORTED: brief
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify -o kernel.o | FileCheck %s
// RUN: heddlec %s --emit=kernels -o - | FileCheck %s --check-prefix=KERNELS

// CHECK: verified scaled_bias as a whole
// CHECK: verified scale_in_scores as a whole
// CHECK: verified scale_in_bias as a whole
// CHECK: verified returned_bias as a whole

// KERNELS: heddle.attention {{.*}} scale(2.5
// KERNELS: heddle.attention {{.*}} scale(0.05

func.func @scaled_bias(%q: tensor<2x3x17x16xf32>, %k: tensor<2x3x40x16xf32>, %v: tensor<2x3x40x16xf32>, %a: tensor<17x8xf32>, %bb: tensor<40x8xf32>) -> tensor<2x3x17x16xf32> {
  %c = arith.constant dense<0.25> : tensor<2x3x17x16xf32>
  %q1 = arith.mulf %q, %c : tensor<2x3x17x16xf32>
  %s = heddle.matmul %q1, %k transpose_b : tensor<2x3x17x16xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x40xf32>
  %d = arith.constant dense<4.0> : tensor<17x8xf32>
  %a1 = arith.mulf %a, %d : tensor<17x8xf32>
  %bias = heddle.matmul %a1, %bb transpose_b : tensor<17x8xf32>, tensor<40x8xf32> -> tensor<17x40xf32>
  %bc = heddle.broadcast %bias to [2, 3, 17, 40] : tensor<17x40xf32> -> tensor<2x3x17x40xf32>
  %s2 = arith.addf %s, %bc : tensor<2x3x17x40xf32>
  %w = heddle.softmax %s2 axis(3) : tensor<2x3x17x40xf32>
  %o = heddle.matmul %w, %v : tensor<2x3x17x40xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x16xf32>
  return %o : tensor<2x3x17x16xf32>
}

func.func @scale_in_scores(%q: tensor<2x3x17x16xf32>, %k: tensor<2x3x40x16xf32>, %v: tensor<2x3x40x16xf32>, %a: tensor<17x8xf32>, %bb: tensor<40x8xf32>) -> tensor<2x3x17x16xf32> {
  %s = heddle.generic over [2, 3, 17, 40] reduce [16] initial [0.0 : f32] ins(%q, %k : tensor<2x3x17x16xf32>, tensor<2x3x40x16xf32>)
    maps [affine_map<(b, h, q, k, c) -> (b, h, q, c)>, affine_map<(b, h, q, k, c) -> (b, h, k, c)>] {
   ^bb0(%x: f32, %y: f32, %acc: f32):
     %f = arith.constant 0.05 : f32
     %0 = arith.mulf %x, %y : f32
     %1 = arith.mulf %0, %f : f32
     %2 = arith.addf %acc, %1 : f32
     heddle.yield %2 : f32
  } : tensor<2x3x17x40xf32>
  %bias = heddle.matmul %a, %bb transpose_b : tensor<17x8xf32>, tensor<40x8xf32> -> tensor<17x40xf32>
  %bc = heddle.broadcast %bias to [2, 3, 17, 40] : tensor<17x40xf32> -> tensor<2x3x17x40xf32>
  %s2 = arith.addf %s, %bc : tensor<2x3x17x40xf32>
  %w = heddle.softmax %s2 axis(3) : tensor<2x3x17x40xf32>
  %o = heddle.matmul %w, %v : tensor<2x3x17x40xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x16xf32>
  return %o : tensor<2x3x17x16xf32>
}

func.func @scale_in_bias(%q: tensor<2x3x17x16xf32>, %k: tensor<2x3x40x16xf32>, %v: tensor<2x3x40x16xf32>, %a: tensor<17x8xf32>, %bb: tensor<40x8xf32>) -> tensor<2x3x17x16xf32> {
  %c = arith.constant dense<0.25> : tensor<2x3x17x16xf32>
  %q1 = arith.mulf %q, %c : tensor<2x3x17x16xf32>
  %s = heddle.matmul %q1, %k transpose_b : tensor<2x3x17x16xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x40xf32>
  %two = arith.constant dense<4.0> : tensor<17x8xf32>
  %bias = heddle.generic over [17, 40] reduce [8] initial [0.0 : f32] ins(%a, %bb : tensor<17x8xf32>, tensor<40x8xf32>)
    maps [affine_map<(q, k, c) -> (q, c)>, affine_map<(q, k, c) -> (k, c)>] {
   ^bb0(%x: f32, %y: f32, %acc: f32):
     %f = arith.constant 4.0 : f32
     %0 = arith.mulf %x, %y : f32
     %1 = arith.mulf %0, %f : f32
     %2 = arith.addf %acc, %1 : f32
     heddle.yield %2 : f32
  } : tensor<17x40xf32>
  %bc = heddle.broadcast %bias to [2, 3, 17, 40] : tensor<17x40xf32> -> tensor<2x3x17x40xf32>
  %s2 = arith.addf %s, %bc : tensor<2x3x17x40xf32>
  %w = heddle.softmax %s2 axis(3) : tensor<2x3x17x40xf32>
  %o = heddle.matmul %w, %v : tensor<2x3x17x40xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x16xf32>
  return %o : tensor<2x3x17x16xf32>
}

func.func @returned_bias(%q: tensor<2x3x17x16xf32>, %k: tensor<2x3x40x16xf32>, %v: tensor<2x3x40x16xf32>, %a: tensor<2x3x17x8xf32>, %bb: tensor<2x3x40x8xf32>) -> (tensor<2x3x17x16xf32>, tensor<2x3x17x40xf32>) {
  %s = heddle.matmul %q, %k transpose_b : tensor<2x3x17x16xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x40xf32>
  %bias = heddle.generic over [2, 3, 17, 40] reduce [8] initial [0.0 : f32] ins(%a, %bb : tensor<2x3x17x8xf32>, tensor<2x3x40x8xf32>)
    maps [affine_map<(b, h, q, k, c) -> (b, h, q, c)>, affine_map<(b, h, q, k, c) -> (b, h, k, c)>] {
   ^bb0(%x: f32, %y: f32, %acc: f32):
     %f = arith.constant 0.05 : f32
     %0 = arith.mulf %x, %y : f32
     %1 = arith.mulf %0, %f : f32
     %2 = arith.addf %acc, %1 : f32
     heddle.yield %2 : f32
  } : tensor<2x3x17x40xf32>
  %s2 = arith.addf %s, %bias : tensor<2x3x17x40xf32>
  %w = heddle.softmax %s2 axis(3) : tensor<2x3x17x40xf32>
  %o = heddle.matmul %w, %v : tensor<2x3x17x40xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x16xf32>
  return %o, %bias : tensor<2x3x17x16xf32>, tensor<2x3x17x40xf32>
}
