// heddle.attention whose result is the caller's and has channels that are no multiple of a
// panel, so that it is copied from the workspace.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify --target-cpu=native -o kernel.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --verify --target-cpu=x86-64-v3 -o kernel.o | FileCheck %s %}

// CHECK: verified odd_heads: {{2|3}} kernels,
// CHECK: verified small_heads: {{2|3}} kernels,
// CHECK: verified bottom_right: {{2|3}} kernels,

func.func @odd_heads(%q: tensor<?x?x60xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x20xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x20xf32> {heddle.sizes = ["batch", "keys"]}) -> tensor<?x?x60xf32> {
  %c = heddle.mask.causal align(bottom_right)
  %o = heddle.attention %q, %k, %v mask(%c) heads(3, kv = 1) scale(0.2236)
      : tensor<?x?x60xf32>, tensor<?x?x20xf32>, tensor<?x?x20xf32>
  return %o : tensor<?x?x60xf32>
}

func.func @small_heads(%q: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x8xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x8xf32> {heddle.sizes = ["batch", "keys"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]}) -> tensor<?x?x8xf32> {
  %c = heddle.mask.causal offset(%starts : tensor<?xi32>)
  %o = heddle.attention %q, %k, %v mask(%c) heads(2, kv = 2) scale(0.5000)
      : tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return %o : tensor<?x?x8xf32>
}

func.func @bottom_right(%q: tensor<?x?x48xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x16xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x16xf32> {heddle.sizes = ["batch", "keys"]}) -> tensor<?x?x48xf32> {
  %c = heddle.mask.causal align(bottom_right)
  %o = heddle.attention %q, %k, %v mask(%c) heads(6, kv = 2) scale(0.3536)
      : tensor<?x?x48xf32>, tensor<?x?x16xf32>, tensor<?x?x16xf32>
  return %o : tensor<?x?x48xf32>
}
