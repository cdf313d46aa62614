// Two reductions of one op that read another one, and are both results of the function.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify -o kernel.o | FileCheck %s

// CHECK: verified two_of_one: 2 kernels,

#i = affine_map<(b, s) -> (b, s)>
#m = affine_map<(b, s) -> (b)>
func.func @two_of_one(%x: tensor<?x96xf32> {heddle.sizes = ["batch"]}) -> (tensor<?xf32>, tensor<?xf32>) {
  %n = heddle.generic over ["batch"] reduce [96] initial [0xFF800000 : f32] ins(%x : tensor<?x96xf32>) maps [#i] {
  ^bb0(%e: f32, %acc: f32):
    %2 = arith.maximumf %acc, %e : f32
    heddle.yield %2 : f32
  } : tensor<?xf32>
  %1:2 = heddle.generic over ["batch"] reduce [96] initial [0.0 : f32, 0.0 : f32] ins(%x, %n : tensor<?x96xf32>, tensor<?xf32>) maps [#i, #m] {
  ^bb0(%e: f32, %l: f32, %s: f32, %t: f32):
    %d = arith.subf %e, %l : f32
    %w = math.exp %d : f32
    %wx = arith.mulf %w, %e : f32
    %s2 = arith.addf %s, %wx : f32
    %t2 = arith.addf %t, %w : f32
    heddle.yield %s2, %t2 : f32, f32
  } : tensor<?xf32>, tensor<?xf32>
  return %1#0, %1#1 : tensor<?xf32>, tensor<?xf32>
}
