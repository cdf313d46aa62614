// Scores that are all -inf, of one query, whose scores registers hold: the row is 0, and a NaN among
// its values is not read. Halide's LLVM takes a comparison of floats with -inf for false.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify --target-cpu=native -o kernel.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --verify --target-cpu=x86-64-v3 -o kernel.o | FileCheck %s %}

// CHECK: verified one_query: 2 kernels, worst error 0 of tolerance 0
// CHECK-NEXT: verified one_query as a whole: worst error 0 of tolerance 0 {{.*}} among values up to 0
// CHECK-NEXT: verified one_query_of_batches: 2 kernels, worst error 0 of tolerance 0
// CHECK-NEXT: verified one_query_of_batches as a whole: worst error 0 of tolerance 0 {{.*}} among values up to 0
// CHECK-NEXT: verified unnormalized:
// CHECK-NEXT: verified unnormalized as a whole: worst error 0 of tolerance 0 {{.*}} among values up to 0
// CHECK-NEXT: verified no_numbers: 2 kernels

func.func @one_query(%q: tensor<1x1x64xf32>, %k: tensor<1x64x64xf32>, %v: tensor<1x64x64xf32>, %x: tensor<1x64xf32>) -> tensor<1x1x64xf32> {
  %none = arith.constant dense<0xFF800000> : tensor<1x64xf32>
  %bias = arith.addf %x, %none : tensor<1x64xf32>
  %o = heddle.attention %q, %k, %v heads(4, kv = 4)
    score(%bias : tensor<1x64xf32>) {
    ^bb0(%s: tensor<1x4x1x64xf32>, %b: tensor<1x64xf32>):
      %0 = heddle.generic over [1, 4, 1, 64] ins(%s, %b : tensor<1x4x1x64xf32>, tensor<1x64xf32>)
          maps [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (i, j)>] {
      ^bb0(%e: f32, %by: f32):
        %1 = arith.addf %e, %by : f32
        heddle.yield %1 : f32
      } : tensor<1x4x1x64xf32>
      heddle.yield %0 : tensor<1x4x1x64xf32>
    } : tensor<1x1x64xf32>, tensor<1x64x64xf32>, tensor<1x64x64xf32>
  return %o : tensor<1x1x64xf32>
}
func.func @one_query_of_batches(%q: tensor<2x1x64xf32>, %k: tensor<2x40x64xf32>, %v: tensor<2x40x64xf32>, %x: tensor<40xf32>) -> tensor<2x1x64xf32> {
  %none = arith.constant dense<0xFF800000> : tensor<40xf32>
  %bias = arith.addf %x, %none : tensor<40xf32>
  %o = heddle.attention %q, %k, %v heads(4, kv = 4)
    score(%bias : tensor<40xf32>) {
    ^bb0(%s: tensor<2x4x1x40xf32>, %b: tensor<40xf32>):
      %0 = heddle.generic over [2, 4, 1, 40] ins(%s, %b : tensor<2x4x1x40xf32>, tensor<40xf32>)
          maps [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (j)>] {
      ^bb0(%e: f32, %by: f32):
        %1 = arith.addf %e, %by : f32
        heddle.yield %1 : f32
      } : tensor<2x4x1x40xf32>
      heddle.yield %0 : tensor<2x4x1x40xf32>
    } : tensor<2x1x64xf32>, tensor<2x40x64xf32>, tensor<2x40x64xf32>
  return %o : tensor<2x1x64xf32>
}

// Weights are the scores as they are, and values NaN.
func.func @unnormalized(%q: tensor<1x1x64xf32>, %k: tensor<1x64x64xf32>, %x: tensor<64xf32>, %y: tensor<1x64x64xf32>) -> tensor<1x1x64xf32> {
  %none = arith.constant dense<0xFF800000> : tensor<64xf32>
  %bias = arith.addf %x, %none : tensor<64xf32>
  %nan = arith.constant dense<0x7FC00000> : tensor<1x64x64xf32>
  %v = arith.addf %y, %nan : tensor<1x64x64xf32>
  %o = heddle.attention %q, %k, %v heads(4, kv = 4) normalize(none)
    score(%bias : tensor<64xf32>) {
    ^bb0(%s: tensor<1x4x1x64xf32>, %b: tensor<64xf32>):
      %0 = heddle.generic over [1, 4, 1, 64] ins(%s, %b : tensor<1x4x1x64xf32>, tensor<64xf32>)
          maps [affine_map<(b, h, i, j) -> (b, h, i, j)>, affine_map<(b, h, i, j) -> (j)>] {
      ^bb0(%e: f32, %by: f32):
        %1 = arith.addf %e, %by : f32
        heddle.yield %1 : f32
      } : tensor<1x4x1x64xf32>
      heddle.yield %0 : tensor<1x4x1x64xf32>
    } : tensor<1x1x64xf32>, tensor<1x64x64xf32>, tensor<1x64x64xf32>
  return %o : tensor<1x1x64xf32>
}
// Of rows whose scores are all NaN, the maximum is NaN, too.
func.func @no_numbers(%x: tensor<1x5x16xf32>, %k: tensor<1x40x16xf32>) -> (tensor<1x5x16xf32>, tensor<1x1x5xf32>, tensor<1x1x5xf32>, tensor<1x1x5xf32>) {
  %r:4 = heddle.attention %x, %k, %k heads(1, kv = 1) results(output, maximum, sum, log_sum_exp) score {
  ^bb0(%s: tensor<1x1x5x40xf32>):
    %0 = arith.mulf %s, %s : tensor<1x1x5x40xf32>
    %1 = arith.negf %0 : tensor<1x1x5x40xf32>
    %2 = math.log %1 : tensor<1x1x5x40xf32>
    heddle.yield %2 : tensor<1x1x5x40xf32>
  } : tensor<1x5x16xf32>, tensor<1x40x16xf32>, tensor<1x40x16xf32>
  return %r#0, %r#1, %r#2, %r#3 : tensor<1x5x16xf32>, tensor<1x1x5xf32>, tensor<1x1x5xf32>, tensor<1x1x5xf32>
}
