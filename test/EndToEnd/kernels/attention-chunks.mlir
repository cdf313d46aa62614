// heddle.attention over several chunks of 512 keys, whose sums are rescaled to the largest
// maximum so far. The last chunk is not full, nor is its last block of 32 keys.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify --target-cpu=native -o kernel.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --verify --target-cpu=x86-64-v3 -o kernel.o | FileCheck %s %}

// Devices merge the splits of few queries' keys in one more kernel.
// CHECK: verified one_query: {{1|2}} kernels,
// CHECK: verified ends_in_third: 2 kernels,
// CHECK: verified starts_in_third: 2 kernels,
// CHECK: verified ends_in_first_or_second: 2 kernels,

func.func @one_query(%q: tensor<2x1x32xf32>, %k: tensor<2x1100x16xf32>,
    %v: tensor<2x1100x16xf32>) -> tensor<2x1x32xf32> {
  %o = heddle.attention %q, %k, %v heads(4, kv = 2) scale(1.3)
      : tensor<2x1x32xf32>, tensor<2x1100x16xf32>, tensor<2x1100x16xf32>
  return %o : tensor<2x1x32xf32>
}

func.func @ends_in_third(%q: tensor<2x15x24xf32>, %k: tensor<2x1100x8xf32>,
    %v: tensor<2x1100x8xf32>) -> tensor<2x15x24xf32> {
  %m = heddle.mask.causal align(bottom_right)
  %o = heddle.attention %q, %k, %v mask(%m) heads(3, kv = 1) scale(1.3)
      : tensor<2x15x24xf32>, tensor<2x1100x8xf32>, tensor<2x1100x8xf32>
  return %o : tensor<2x15x24xf32>
}

// The first two chunks are dropped, and for the last query all three.
func.func @starts_in_third(%q: tensor<2x15x24xf32>, %k: tensor<2x1100x8xf32>,
    %v: tensor<2x1100x8xf32>) -> tensor<2x15x24xf32> {
  %c = heddle.mask.causal align(bottom_right)
  %m = heddle.mask.not %c
  %o = heddle.attention %q, %k, %v mask(%m) heads(3, kv = 1) scale(1.3)
      : tensor<2x15x24xf32>, tensor<2x1100x8xf32>, tensor<2x1100x8xf32>
  return %o : tensor<2x15x24xf32>
}

// Queries of one tile end before and after the end of a chunk.
func.func @ends_in_first_or_second(%q: tensor<1x600x8xf32>, %k: tensor<1x600x8xf32>,
    %v: tensor<1x600x8xf32>) -> tensor<1x600x8xf32> {
  %m = heddle.mask.causal align(bottom_right)
  %o = heddle.attention %q, %k, %v mask(%m) heads(1, kv = 1) scale(1.3)
      : tensor<1x600x8xf32>, tensor<1x600x8xf32>, tensor<1x600x8xf32>
  return %o : tensor<1x600x8xf32>
}
