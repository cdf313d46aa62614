// Two masks that both bound the keys, on keys and values that are activations.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify --target-cpu=native -o kernel.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --verify --target-cpu=x86-64-v3 -o kernel.o | FileCheck %s %}

// CHECK: verified both: {{2|3}} kernels,
// CHECK: verified either: {{2|3}} kernels,

func.func @both(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]},
    %counts: tensor<?xi32> {heddle.sizes = ["batch"]}) -> tensor<?x?x64xf32> {
  %c = heddle.mask.causal offset(%starts : tensor<?xi32>)
  %l = heddle.mask.lengths %counts : tensor<?xi32>
  %m = heddle.mask.and %c, %l
  %o = heddle.attention %q, %k, %v mask(%m) heads(4, kv = 2) scale(0.2500)
      : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %o : tensor<?x?x64xf32>
}

func.func @either(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]},
    %starts: tensor<?xi32> {heddle.sizes = ["batch"]},
    %counts: tensor<?xi32> {heddle.sizes = ["batch"]}) -> tensor<?x?x64xf32> {
  %c = heddle.mask.causal offset(%starts : tensor<?xi32>)
  %l = heddle.mask.lengths %counts : tensor<?xi32>
  %m = heddle.mask.or %c, %l
  %o = heddle.attention %q, %k, %v mask(%m) heads(4, kv = 2) scale(0.2500)
      : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %o : tensor<?x?x64xf32>
}
