// A mask that calls may broadcast is read where attention makes its scores, as a bias of a score
// region is.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify -o kernel.o | FileCheck %s
// RUN: heddlec %s --emit=kernels -o - | FileCheck %s --check-prefix=KERNELS

// CHECK: verified found as a whole
// CHECK: verified region as a whole

// KERNELS: heddle.attention {{.*}} score(
// KERNELS: heddle.attention {{.*}} score(

func.func @found(%q: tensor<?x3x?x16xf32> {heddle.sizes = ["b", "l"]}, %k: tensor<?x3x?x16xf32> {heddle.sizes = ["b", "k"]}, %v: tensor<?x3x?x16xf32> {heddle.sizes = ["b", "k"]}, %m: tensor<?x1x?x?xf32> {heddle.sizes = ["mb", "ml", "mk"]}) -> tensor<?x3x?x16xf32> {
  %s = heddle.matmul %q, %k transpose_b : tensor<?x3x?x16xf32>, tensor<?x3x?x16xf32> -> tensor<?x3x?x?xf32>
  %bc = heddle.broadcast %m to ["b", 3, "l", "k"] : tensor<?x1x?x?xf32> -> tensor<?x3x?x?xf32>
  %s2 = arith.addf %s, %bc : tensor<?x3x?x?xf32>
  %w = heddle.softmax %s2 axis(3) : tensor<?x3x?x?xf32>
  %o = heddle.matmul %w, %v : tensor<?x3x?x?xf32>, tensor<?x3x?x16xf32> -> tensor<?x3x?x16xf32>
  return %o : tensor<?x3x?x16xf32>
}

func.func @region(%q: tensor<?x?x64xf32> {heddle.sizes = ["b", "l"]}, %k: tensor<?x?x64xf32> {heddle.sizes = ["b", "k"]}, %m: tensor<?x1x?x?xf32> {heddle.sizes = ["mb", "ml", "mk"]}) -> tensor<?x?x64xf32> {
  %o = heddle.attention %q, %k, %k heads(4, kv = 4) scale(0.25)
     score(%m : tensor<?x1x?x?xf32>) {
  ^bb0(%s: tensor<?x4x?x?xf32>, %bias: tensor<?x1x?x?xf32>):
    %bc = heddle.broadcast %bias to ["b", 4, "l", "k"] : tensor<?x1x?x?xf32> -> tensor<?x4x?x?xf32>
    %c = arith.addf %s, %bc : tensor<?x4x?x?xf32>
    heddle.yield %c : tensor<?x4x?x?xf32>
  } : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  return %o : tensor<?x?x64xf32>
}
