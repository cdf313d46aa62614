// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify -o kernel.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --verify --target-cpu=x86-64-v3 -o kernel.o | FileCheck %s %}

// Scores of 1e31: a dropped key has less weight than any kept one, and the
// tolerance is no larger than what such a softmax, which takes one key, can reach.
// CHECK: verified huge: 2 kernels, worst error {{[0-9.e-]+}} of tolerance {{[0-9.]+(e-[0-9]+)?}} in kernel @huge_{{attention|pack}}
// CHECK-NEXT: verified huge as a whole: worst error {{[0-9.e-]+}} of tolerance {{[0-9.]+(e-[0-9]+)?}} at result0
func.func @huge(%q: tensor<2x8x64xf32>, %k: tensor<2x8x64xf32>, %v: tensor<2x8x64xf32>) -> tensor<2x8x64xf32> {
  %c = heddle.mask.causal align(top_left)
  %o = heddle.attention %q, %k, %v mask(%c) heads(4, kv = 4) scale(1.0e31) : tensor<2x8x64xf32>, tensor<2x8x64xf32>, tensor<2x8x64xf32>
  return %o : tensor<2x8x64xf32>
}

// Scores that are subnormal on their way may be 0, which bounds of the reference know.
// CHECK: verified tiny as a whole
func.func @tiny(%q: tensor<2x8x64xf32>, %k: tensor<2x8x64xf32>, %v: tensor<2x8x64xf32>) -> tensor<2x8x64xf32> {
  %o = heddle.attention %q, %k, %v heads(4, kv = 4) scale(0.25) score {
  ^bb0(%s: tensor<2x4x8x8xf32>):
    %small = arith.constant dense<1.0e-38> : tensor<2x4x8x8xf32>
    %large = arith.constant dense<1.0e+38> : tensor<2x4x8x8xf32>
    %0 = arith.mulf %s, %small : tensor<2x4x8x8xf32>
    %2 = arith.mulf %0, %large : tensor<2x4x8x8xf32>
    heddle.yield %2 : tensor<2x4x8x8xf32>
  } : tensor<2x8x64xf32>, tensor<2x8x64xf32>, tensor<2x8x64xf32>
  return %o : tensor<2x8x64xf32>
}
