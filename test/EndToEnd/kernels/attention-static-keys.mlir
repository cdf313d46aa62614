// Numbers of keys that are known: what Halide proves of a chunk of them, such as that
// no block is left beside its pairs of blocks, must not count against the schedule.
//

// On a device, which takes long here, with --slow.
// UNSUPPORTED: brief

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify -o kernel.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --verify --target-cpu=x86-64-v3 -o kernel.o | FileCheck %s %}

// CHECK: verified pairs_of_blocks:
// CHECK: verified one_query:
// CHECK: verified one_block_left:
// CHECK: verified third_chunk:
// CHECK: verified causal:

func.func @pairs_of_blocks(%q: tensor<1x5x32xf32>, %k: tensor<1x768x32xf32>,
    %v: tensor<1x768x32xf32>) -> tensor<1x5x32xf32> {
  %o = heddle.attention %q, %k, %v heads(4, kv = 4) scale(0.3)
      : tensor<1x5x32xf32>, tensor<1x768x32xf32>, tensor<1x768x32xf32>
  return %o : tensor<1x5x32xf32>
}

func.func @one_query(%q: tensor<1x1x32xf32>, %k: tensor<1x700x32xf32>,
    %v: tensor<1x700x32xf32>) -> tensor<1x1x32xf32> {
  %o = heddle.attention %q, %k, %v heads(4, kv = 4) scale(0.3)
      : tensor<1x1x32xf32>, tensor<1x700x32xf32>, tensor<1x700x32xf32>
  return %o : tensor<1x1x32xf32>
}

func.func @one_block_left(%q: tensor<1x5x32xf32>, %k: tensor<1x800x32xf32>,
    %v: tensor<1x800x32xf32>) -> tensor<1x5x32xf32> {
  %o = heddle.attention %q, %k, %v heads(4, kv = 4) scale(0.3)
      : tensor<1x5x32xf32>, tensor<1x800x32xf32>, tensor<1x800x32xf32>
  return %o : tensor<1x5x32xf32>
}

func.func @third_chunk(%q: tensor<1x5x32xf32>, %k: tensor<1x1500x32xf32>,
    %v: tensor<1x1500x32xf32>) -> tensor<1x5x32xf32> {
  %o = heddle.attention %q, %k, %v heads(4, kv = 4) scale(0.3)
      : tensor<1x5x32xf32>, tensor<1x1500x32xf32>, tensor<1x1500x32xf32>
  return %o : tensor<1x5x32xf32>
}

func.func @causal(%q: tensor<1x768x8xf32>, %k: tensor<1x768x8xf32>,
    %v: tensor<1x768x8xf32>) -> tensor<1x768x8xf32> {
  %m = heddle.mask.causal align(bottom_right)
  %o = heddle.attention %q, %k, %v mask(%m) heads(1, kv = 1) scale(0.3)
      : tensor<1x768x8xf32>, tensor<1x768x8xf32>, tensor<1x768x8xf32>
  return %o : tensor<1x768x8xf32>
}
