// heddle.attention with heads so wide that a tile of rows is more than Halide keeps on the
// stack by itself, and that fewer rows of the widest fit there.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify --target-cpu=native -o kernel.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --verify --target-cpu=x86-64-v3 -o kernel.o | FileCheck %s %}

// Devices merge the splits of few queries' keys in one more kernel.
// CHECK: verified wide: {{2|3}} kernels,
// CHECK: verified wide_odd: {{1|2}} kernels,
// CHECK: verified widest: {{2|3}} kernels,

func.func @wide(%q: tensor<?x?x1024xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x512xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x512xf32> {heddle.sizes = ["batch", "keys"]}) -> tensor<?x?x1024xf32> {
  %m = heddle.mask.causal align(bottom_right)
  %y = heddle.attention %q, %k, %v mask(%m) heads(2, kv = 1) scale(0.04)
    : tensor<?x?x1024xf32>, tensor<?x?x512xf32>, tensor<?x?x512xf32>
  return %y : tensor<?x?x1024xf32>
}

func.func @wide_odd(%q: tensor<?x1x1203xf32> {heddle.sizes = ["batch"]},
    %k: tensor<?x?x401xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x401xf32> {heddle.sizes = ["batch", "keys"]}) -> tensor<?x1x1203xf32> {
  %y = heddle.attention %q, %k, %v heads(3, kv = 1) scale(0.05)
    : tensor<?x1x1203xf32>, tensor<?x?x401xf32>, tensor<?x?x401xf32>
  return %y : tensor<?x1x1203xf32>
}

func.func @widest(%q: tensor<?x?x8192xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x8192xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x8192xf32> {heddle.sizes = ["batch", "keys"]}) -> tensor<?x?x8192xf32> {
  %m = heddle.mask.causal align(bottom_right)
  %y = heddle.attention %q, %k, %v mask(%m) heads(1, kv = 1) scale(0.01)
    : tensor<?x?x8192xf32>, tensor<?x?x8192xf32>, tensor<?x?x8192xf32>
  return %y : tensor<?x?x8192xf32>
}
