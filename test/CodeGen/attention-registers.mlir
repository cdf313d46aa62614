// RUN: heddlec %s --target-cpu=x86-64-v4 --emit=llvm -o %t
// RUN: FileCheck %s < %t
// The sums of scores and of values, 6 rows of 64, stay in registers: no memory of their
// size is left. (Halide gives freed memory to the next func of the same type; one that is
// indexed by a loop would keep the sums there.)
// RUN: not grep -E "alloca \[(192|384) x float\]" %t
// CHECK: %query_tile{{.*}} = alloca [768 x float]
func.func @forward(%q: tensor<?x?x128xf32> {heddle.sizes = ["batch", "length"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]},
    %cache: !heddle.cache<1 x 2 x 64 x f32> {heddle.sizes = ["batch", "capacity"]}) -> tensor<?x?x128xf32> {
  %key, %value = heddle.cache.read %cache layer(0) : !heddle.cache<1 x 2 x 64 x f32>
  %causal = heddle.mask.causal offset(%starts : tensor<?xi32>)
  %y = heddle.attention %q, %key, %value mask(%causal) heads(2, kv = 2) scale(0.125) : tensor<?x?x128xf32>, tensor<?x?x128xf32>, tensor<?x?x128xf32>
  return %y : tensor<?x?x128xf32>
}
