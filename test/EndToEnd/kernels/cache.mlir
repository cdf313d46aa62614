// heddle.cache.append and attention over what the cache holds: the sequences have different
// lengths, what they append crosses a block of 32 positions, and the rest of the cache,
// the other layer among it, holds NaN. Each pair of functions works on one cache.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify --target-cpu=native -o kernel.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --verify --target-cpu=x86-64-v3 -o kernel.o | FileCheck %s %}

// Devices merge the splits of few queries' keys in one more kernel.
// CHECK: verified prefill_2x16: 3 kernel
// CHECK: verified decode_2x16: {{3|4}} kernel
// CHECK: verified prefill_1x8: 3 kernel
// CHECK: verified decode_1x8: {{3|4}} kernel
// CHECK: verified prefill_3x64: 3 kernel
// CHECK: verified decode_3x64: {{3|4}} kernel
// CHECK: verified source_of_lengths: 1 kernel
// CHECK: verified source_of_all: {{2|3}} kernel

module attributes {heddle.positions = 64 : i64} {
func.func @prefill_2x16(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]},
    %v: tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]},
    %starts: tensor<?xi32> {heddle.name = "starts", heddle.sizes = ["batch"]},
    %lengths: tensor<?xi32> {heddle.name = "lengths", heddle.sizes = ["batch"]},
    %c: !heddle.cache<2 x 2 x 16 x f32> {heddle.sizes = ["batch", "capacity"]}) -> (tensor<?x?x64xf32>, !heddle.cache<2 x 2 x 16 x f32>) {
  %c1 = heddle.cache.append %c, %k, %v layer(1) at(%starts) lengths(%lengths)
      : !heddle.cache<2 x 2 x 16 x f32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?xi32>, tensor<?xi32>
  %keys, %values = heddle.cache.read %c1 layer(1) : !heddle.cache<2 x 2 x 16 x f32>
  %causal = heddle.mask.causal offset(%starts : tensor<?xi32>)
  %total = arith.addi %starts, %lengths : tensor<?xi32>
  %valid = heddle.mask.lengths %total : tensor<?xi32>
  %mask = heddle.mask.and %causal, %valid
  %o = heddle.attention %q, %keys, %values mask(%mask) heads(4, kv = 2) scale(0.2500)
      : tensor<?x?x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %o, %c1 : tensor<?x?x64xf32>, !heddle.cache<2 x 2 x 16 x f32>
}

func.func @decode_2x16(%q: tensor<?x1x64xf32> {heddle.sizes = ["batch"]},
    %k: tensor<?x1x32xf32> {heddle.sizes = ["batch"]},
    %v: tensor<?x1x32xf32> {heddle.sizes = ["batch"]},
    %starts: tensor<?xi32> {heddle.name = "starts", heddle.sizes = ["batch"]},
    %lengths: tensor<?xi32> {heddle.name = "lengths", heddle.sizes = ["batch"]},
    %c: !heddle.cache<2 x 2 x 16 x f32> {heddle.sizes = ["batch", "capacity"]}) -> (tensor<?x1x64xf32>, !heddle.cache<2 x 2 x 16 x f32>) {
  %c1 = heddle.cache.append %c, %k, %v layer(1) at(%starts) lengths(%lengths)
      : !heddle.cache<2 x 2 x 16 x f32>, tensor<?x1x32xf32>, tensor<?x1x32xf32>, tensor<?xi32>, tensor<?xi32>
  %keys, %values = heddle.cache.read %c1 layer(1) : !heddle.cache<2 x 2 x 16 x f32>
  %causal = heddle.mask.causal offset(%starts : tensor<?xi32>)
  %total = arith.addi %starts, %lengths : tensor<?xi32>
  %valid = heddle.mask.lengths %total : tensor<?xi32>
  %mask = heddle.mask.and %causal, %valid
  %o = heddle.attention %q, %keys, %values mask(%mask) heads(4, kv = 2) scale(0.2500)
      : tensor<?x1x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %o, %c1 : tensor<?x1x64xf32>, !heddle.cache<2 x 2 x 16 x f32>
}

func.func @prefill_1x8(%q: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]},
    %v: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]},
    %starts: tensor<?xi32> {heddle.name = "starts", heddle.sizes = ["batch"]},
    %lengths: tensor<?xi32> {heddle.name = "lengths", heddle.sizes = ["batch"]},
    %c: !heddle.cache<2 x 1 x 8 x f32> {heddle.sizes = ["batch", "capacity"]}) -> (tensor<?x?x64xf32>, !heddle.cache<2 x 1 x 8 x f32>) {
  %c1 = heddle.cache.append %c, %k, %v layer(1) at(%starts) lengths(%lengths)
      : !heddle.cache<2 x 1 x 8 x f32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?xi32>, tensor<?xi32>
  %keys, %values = heddle.cache.read %c1 layer(1) : !heddle.cache<2 x 1 x 8 x f32>
  %causal = heddle.mask.causal offset(%starts : tensor<?xi32>)
  %total = arith.addi %starts, %lengths : tensor<?xi32>
  %valid = heddle.mask.lengths %total : tensor<?xi32>
  %mask = heddle.mask.and %causal, %valid
  %o = heddle.attention %q, %keys, %values mask(%mask) heads(8, kv = 1) scale(0.3536)
      : tensor<?x?x64xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return %o, %c1 : tensor<?x?x64xf32>, !heddle.cache<2 x 1 x 8 x f32>
}

func.func @decode_1x8(%q: tensor<?x1x64xf32> {heddle.sizes = ["batch"]},
    %k: tensor<?x1x8xf32> {heddle.sizes = ["batch"]},
    %v: tensor<?x1x8xf32> {heddle.sizes = ["batch"]},
    %starts: tensor<?xi32> {heddle.name = "starts", heddle.sizes = ["batch"]},
    %lengths: tensor<?xi32> {heddle.name = "lengths", heddle.sizes = ["batch"]},
    %c: !heddle.cache<2 x 1 x 8 x f32> {heddle.sizes = ["batch", "capacity"]}) -> (tensor<?x1x64xf32>, !heddle.cache<2 x 1 x 8 x f32>) {
  %c1 = heddle.cache.append %c, %k, %v layer(1) at(%starts) lengths(%lengths)
      : !heddle.cache<2 x 1 x 8 x f32>, tensor<?x1x8xf32>, tensor<?x1x8xf32>, tensor<?xi32>, tensor<?xi32>
  %keys, %values = heddle.cache.read %c1 layer(1) : !heddle.cache<2 x 1 x 8 x f32>
  %causal = heddle.mask.causal offset(%starts : tensor<?xi32>)
  %total = arith.addi %starts, %lengths : tensor<?xi32>
  %valid = heddle.mask.lengths %total : tensor<?xi32>
  %mask = heddle.mask.and %causal, %valid
  %o = heddle.attention %q, %keys, %values mask(%mask) heads(8, kv = 1) scale(0.3536)
      : tensor<?x1x64xf32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>
  return %o, %c1 : tensor<?x1x64xf32>, !heddle.cache<2 x 1 x 8 x f32>
}

func.func @prefill_3x64(%q: tensor<?x?x576xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x?x192xf32> {heddle.sizes = ["batch", "length"]},
    %v: tensor<?x?x192xf32> {heddle.sizes = ["batch", "length"]},
    %starts: tensor<?xi32> {heddle.name = "starts", heddle.sizes = ["batch"]},
    %lengths: tensor<?xi32> {heddle.name = "lengths", heddle.sizes = ["batch"]},
    %c: !heddle.cache<2 x 3 x 64 x f32> {heddle.sizes = ["batch", "capacity"]}) -> (tensor<?x?x576xf32>, !heddle.cache<2 x 3 x 64 x f32>) {
  %c1 = heddle.cache.append %c, %k, %v layer(1) at(%starts) lengths(%lengths)
      : !heddle.cache<2 x 3 x 64 x f32>, tensor<?x?x192xf32>, tensor<?x?x192xf32>, tensor<?xi32>, tensor<?xi32>
  %keys, %values = heddle.cache.read %c1 layer(1) : !heddle.cache<2 x 3 x 64 x f32>
  %causal = heddle.mask.causal offset(%starts : tensor<?xi32>)
  %total = arith.addi %starts, %lengths : tensor<?xi32>
  %valid = heddle.mask.lengths %total : tensor<?xi32>
  %mask = heddle.mask.and %causal, %valid
  %o = heddle.attention %q, %keys, %values mask(%mask) heads(9, kv = 3) scale(0.1250)
      : tensor<?x?x576xf32>, tensor<?x?x192xf32>, tensor<?x?x192xf32>
  return %o, %c1 : tensor<?x?x576xf32>, !heddle.cache<2 x 3 x 64 x f32>
}

func.func @decode_3x64(%q: tensor<?x1x576xf32> {heddle.sizes = ["batch"]},
    %k: tensor<?x1x192xf32> {heddle.sizes = ["batch"]},
    %v: tensor<?x1x192xf32> {heddle.sizes = ["batch"]},
    %starts: tensor<?xi32> {heddle.name = "starts", heddle.sizes = ["batch"]},
    %lengths: tensor<?xi32> {heddle.name = "lengths", heddle.sizes = ["batch"]},
    %c: !heddle.cache<2 x 3 x 64 x f32> {heddle.sizes = ["batch", "capacity"]}) -> (tensor<?x1x576xf32>, !heddle.cache<2 x 3 x 64 x f32>) {
  %c1 = heddle.cache.append %c, %k, %v layer(1) at(%starts) lengths(%lengths)
      : !heddle.cache<2 x 3 x 64 x f32>, tensor<?x1x192xf32>, tensor<?x1x192xf32>, tensor<?xi32>, tensor<?xi32>
  %keys, %values = heddle.cache.read %c1 layer(1) : !heddle.cache<2 x 3 x 64 x f32>
  %causal = heddle.mask.causal offset(%starts : tensor<?xi32>)
  %total = arith.addi %starts, %lengths : tensor<?xi32>
  %valid = heddle.mask.lengths %total : tensor<?xi32>
  %mask = heddle.mask.and %causal, %valid
  %o = heddle.attention %q, %keys, %values mask(%mask) heads(9, kv = 3) scale(0.1250)
      : tensor<?x1x576xf32>, tensor<?x?x192xf32>, tensor<?x?x192xf32>
  return %o, %c1 : tensor<?x1x576xf32>, !heddle.cache<2 x 3 x 64 x f32>
}

// A source from position 0 on, of which some tokens count, or all.
func.func @source_of_lengths(%k: tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]},
    %lengths: tensor<?xi32> {heddle.name = "lengths", heddle.sizes = ["batch"]},
    %c: !heddle.cache<2 x 2 x 16 x f32> {heddle.sizes = ["batch", "source"]}) -> !heddle.cache<2 x 2 x 16 x f32> {
  %c1 = heddle.cache.append %c, %k, %k layer(1) lengths(%lengths)
      : !heddle.cache<2 x 2 x 16 x f32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?xi32>
  return %c1 : !heddle.cache<2 x 2 x 16 x f32>
}

func.func @source_of_all(%k: tensor<?x45x32xf32> {heddle.sizes = ["batch"]},
    %q: tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]},
    %c: !heddle.cache<2 x 2 x 16 x f32> {heddle.sizes = ["batch", 45]}) -> (tensor<?x?x32xf32>, !heddle.cache<2 x 2 x 16 x f32>) {
  %c1 = heddle.cache.append %c, %k, %k layer(0) : !heddle.cache<2 x 2 x 16 x f32>, tensor<?x45x32xf32>, tensor<?x45x32xf32>
  %keys, %values = heddle.cache.read %c1 layer(0) : !heddle.cache<2 x 2 x 16 x f32>
  %y = heddle.attention %q, %keys, %values heads(2, kv = 2)
      : tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %y, %c1 : tensor<?x?x32xf32>, !heddle.cache<2 x 2 x 16 x f32>
}
}
