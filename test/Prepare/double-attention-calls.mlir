// RUN: heddle-opt %s --heddle-decompose | FileCheck %s

// A mask of a call that is not inlined yet has no formula.
func.func private @make() -> !heddle.mask {
  %mask = heddle.mask.causal align(top_left)
  return %mask : !heddle.mask
}

// CHECK-LABEL: func.func private @called
// CHECK: heddle.attention
func.func private @called(%q: tensor<2x5x16xf64>) -> tensor<2x5x16xf64> {
  %mask = func.call @make() : () -> !heddle.mask
  %o = heddle.attention %q, %q, %q mask(%mask) heads(2, kv = 2) : tensor<2x5x16xf64>, tensor<2x5x16xf64>, tensor<2x5x16xf64>
  return %o : tensor<2x5x16xf64>
}
