// Attention whose heads are others than those that its cache was filled with: the channels of
// a token are the same.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify -o kernel.o | FileCheck %s

// CHECK: verified fewer as a whole
// CHECK: verified more as a whole

func.func @fewer(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]}, %k: tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]}, %v: tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]},
   %starts: tensor<?xi32> {heddle.sizes = ["batch"]}, %lengths: tensor<?xi32> {heddle.sizes = ["batch"]},
   %c: !heddle.cache<1 x 4 x 8 x f32> {heddle.sizes = ["batch", "capacity"]}) -> (tensor<?x?x64xf32>, !heddle.cache<1 x 4 x 8 x f32>) {
  %c1 = heddle.cache.append %c, %k, %v layer(0) at(%starts) lengths(%lengths) : !heddle.cache<1 x 4 x 8 x f32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?xi32>, tensor<?xi32>
  %rk, %rv = heddle.cache.read %c1 layer(0) : !heddle.cache<1 x 4 x 8 x f32>
  %m = heddle.mask.causal offset(%starts : tensor<?xi32>)
  %o = heddle.attention %q, %rk, %rv mask(%m) heads(4, kv = 2) : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %o, %c1 : tensor<?x?x64xf32>, !heddle.cache<1 x 4 x 8 x f32>
}

// Of i8 each number has the scale of the head that it was stored for.
func.func @more(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]}, %k: tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]}, %v: tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]},
   %starts: tensor<?xi32> {heddle.sizes = ["batch"]}, %lengths: tensor<?xi32> {heddle.sizes = ["batch"]},
   %c: !heddle.cache<1 x 2 x 16 x i8> {heddle.sizes = ["batch", "capacity"]}) -> (tensor<?x?x64xf32>, !heddle.cache<1 x 2 x 16 x i8>) {
  %c1 = heddle.cache.append %c, %k, %v layer(0) at(%starts) lengths(%lengths) : !heddle.cache<1 x 2 x 16 x i8>, tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?xi32>, tensor<?xi32>
  %rk, %rv = heddle.cache.read %c1 layer(0) : !heddle.cache<1 x 2 x 16 x i8>
  %m = heddle.mask.causal offset(%starts : tensor<?xi32>)
  %o = heddle.attention %q, %rk, %rv mask(%m) heads(8, kv = 4) : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %o, %c1 : tensor<?x?x64xf32>, !heddle.cache<1 x 2 x 16 x i8>
}
