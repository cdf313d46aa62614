// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-decompose --heddle-generalize-elementwise | FileCheck %s

// Attention of f64 is its formula, step by step: scores, those that the mask keeps, their maximum,
// weights, their sum, and the values with the weights' shares.
// CHECK-LABEL: func.func @attention
// CHECK-NOT: heddle.attention
// CHECK: heddle.generic over ["b", 4, "n", "n"] reduce [8] initial [0.000000e+00]
// CHECK: heddle.generic over ["b", 4, "n", "n"] {{.*}} tables(%{{.*}} : tensor<?xi32
// CHECK: arith.cmpi sle
// CHECK: heddle.read
// CHECK: arith.cmpi slt
// CHECK: arith.andi
// CHECK: arith.select
// CHECK: heddle.generic over ["b", 4, "n"] reduce ["n"] initial [0xFFF0000000000000 : f64]
// CHECK: math.exp %{{.*}} : f64
// CHECK: heddle.generic over ["b", 4, "n"] reduce ["n"] initial [0.000000e+00]
// CHECK: arith.divf
// CHECK: heddle.generic over ["b", 4, "n", 8] reduce ["n"] initial [0.000000e+00]
// CHECK: math.log %{{.*}} : f64
func.func @attention(%q: tensor<?x?x32xf64> {heddle.sizes = ["b", "n"]}, %k: tensor<?x?x16xf64> {heddle.sizes = ["b", "n"]},
    %lengths: tensor<?xi32> {heddle.sizes = ["b"]}) -> (tensor<?x?x32xf64>, tensor<?x4x?xf64>) {
  %causal = heddle.mask.causal align(bottom_right)
  %valid = heddle.mask.lengths %lengths : tensor<?xi32>
  %mask = heddle.mask.and %causal, %valid
  %o:2 = heddle.attention %q, %k, %k mask(%mask) heads(4, kv = 2) results(output, log_sum_exp)
      : tensor<?x?x32xf64>, tensor<?x?x16xf64>, tensor<?x?x16xf64>
  return %o#0, %o#1 : tensor<?x?x32xf64>, tensor<?x4x?xf64>
}

// A region is as it stands, of all scores.
// CHECK-LABEL: func.func @score
// CHECK: math.tanh %{{.*}} : f64
func.func @score(%q: tensor<2x5x16xf64>) -> tensor<2x5x16xf64> {
  %o = heddle.attention %q, %q, %q heads(2, kv = 2) score {
    ^bb0(%s: tensor<2x2x5x5xf64>):
      %t = math.tanh %s : tensor<2x2x5x5xf64>
      heddle.yield %t : tensor<2x2x5x5xf64>
    } : tensor<2x5x16xf64>, tensor<2x5x16xf64>, tensor<2x5x16xf64>
  return %o : tensor<2x5x16xf64>
}

// Masks of functions that are not inlined yet have no formula.
// CHECK-LABEL: func.func private @not_inlined
// CHECK: heddle.attention
func.func private @not_inlined(%q: tensor<2x5x16xf64>, %valid: !heddle.mask) -> tensor<2x5x16xf64> {
  %causal = heddle.mask.causal align(top_left)
  %mask = heddle.mask.and %causal, %valid
  %o = heddle.attention %q, %q, %q mask(%mask) heads(2, kv = 2) : tensor<2x5x16xf64>, tensor<2x5x16xf64>, tensor<2x5x16xf64>
  return %o : tensor<2x5x16xf64>
}
