// Attention whose keys are cut into splits: each part by itself, as what merges them reads it.

// On a device, which takes long here, with --slow.
// UNSUPPORTED: brief

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify --target-cpu=native -o kernel.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --verify --target-cpu=x86-64-v3 -o kernel.o | FileCheck %s %}

// A device packs no values.
// CHECK: verified whole: {{[23]}} kernels,
// CHECK: verified causal: {{[23]}} kernels,
// CHECK: verified window: {{[23]}} kernels,
// CHECK: verified dense: {{[34]}} kernels,
// CHECK: verified sinks: {{[23]}} kernels,
// CHECK: verified output_alone: 1 kernels,
// CHECK: verified known_keys: 2 kernels,
// CHECK: verified few_keys: 2 kernels,

func.func @whole(%q: tensor<?x3x64xf32> {heddle.sizes = ["batch"]},
    %k: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x48xf32> {heddle.sizes = ["batch", "keys"]})
    -> (tensor<3x?x3x96xf32>, tensor<3x?x3x96xf32>, tensor<3x?x4x3xf32>, tensor<3x?x4x3xf32>, tensor<3x?x4x3xf32>) {
  %r:5 = heddle.attention %q, %k, %v heads(4, kv = 2)
      results(output, unnormalized, maximum, sum, log_sum_exp) splits(3)
      : tensor<?x3x64xf32>, tensor<?x?x32xf32>, tensor<?x?x48xf32>
  return %r#0, %r#1, %r#2, %r#3, %r#4 : tensor<3x?x3x96xf32>, tensor<3x?x3x96xf32>, tensor<3x?x4x3xf32>, tensor<3x?x4x3xf32>, tensor<3x?x4x3xf32>
}

// Splits without keys, where there are fewer blocks.
func.func @causal(%q: tensor<?x3x64xf32> {heddle.sizes = ["batch"]},
    %k: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x48xf32> {heddle.sizes = ["batch", "keys"]}, %s: tensor<?xi32> {heddle.sizes = ["batch"]})
    -> (tensor<8x?x3x96xf32>, tensor<8x?x3x96xf32>, tensor<8x?x4x3xf32>, tensor<8x?x4x3xf32>, tensor<8x?x4x3xf32>) {
  %m = heddle.mask.causal offset(%s : tensor<?xi32>)
  %r:5 = heddle.attention %q, %k, %v mask(%m) heads(4, kv = 2)
      results(output, unnormalized, maximum, sum, log_sum_exp) splits(8)
      : tensor<?x3x64xf32>, tensor<?x?x32xf32>, tensor<?x?x48xf32>
  return %r#0, %r#1, %r#2, %r#3, %r#4 : tensor<8x?x3x96xf32>, tensor<8x?x3x96xf32>, tensor<8x?x4x3xf32>, tensor<8x?x4x3xf32>, tensor<8x?x4x3xf32>
}

// The first block that any row keeps belongs to any split.
func.func @window(%q: tensor<?x3x64xf32> {heddle.sizes = ["batch"]},
    %k: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x48xf32> {heddle.sizes = ["batch", "keys"]}, %s: tensor<?xi32> {heddle.sizes = ["batch"]})
    -> (tensor<5x?x3x96xf32>, tensor<5x?x3x96xf32>, tensor<5x?x4x3xf32>, tensor<5x?x4x3xf32>, tensor<5x?x4x3xf32>) {
  %m = heddle.mask.window left(40) right(0) offset(%s : tensor<?xi32>)
  %r:5 = heddle.attention %q, %k, %v mask(%m) heads(4, kv = 2)
      results(output, unnormalized, maximum, sum, log_sum_exp) splits(5)
      : tensor<?x3x64xf32>, tensor<?x?x32xf32>, tensor<?x?x48xf32>
  return %r#0, %r#1, %r#2, %r#3, %r#4 : tensor<5x?x3x96xf32>, tensor<5x?x3x96xf32>, tensor<5x?x4x3xf32>, tensor<5x?x4x3xf32>, tensor<5x?x4x3xf32>
}

func.func @dense(%q: tensor<?x3x64xf32> {heddle.sizes = ["batch"]},
    %k: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x48xf32> {heddle.sizes = ["batch", "keys"]}, %d: tensor<?x4x3x?xi1> {heddle.sizes = ["batch", "keys"]})
    -> (tensor<2x?x3x96xf32>, tensor<2x?x3x96xf32>, tensor<2x?x4x3xf32>, tensor<2x?x4x3xf32>, tensor<2x?x4x3xf32>) {
  %m = heddle.mask.dense %d over(batch, head, query, key) : tensor<?x4x3x?xi1>
  %r:5 = heddle.attention %q, %k, %v mask(%m) heads(4, kv = 2)
      results(output, unnormalized, maximum, sum, log_sum_exp) splits(2)
      : tensor<?x3x64xf32>, tensor<?x?x32xf32>, tensor<?x?x48xf32>
  return %r#0, %r#1, %r#2, %r#3, %r#4 : tensor<2x?x3x96xf32>, tensor<2x?x3x96xf32>, tensor<2x?x4x3xf32>, tensor<2x?x4x3xf32>, tensor<2x?x4x3xf32>
}

// The sink belongs to the first split.
func.func @sinks(%q: tensor<?x3x64xf32> {heddle.sizes = ["batch"]},
    %k: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x48xf32> {heddle.sizes = ["batch", "keys"]}, %sink: tensor<4xf32>)
    -> (tensor<4x?x3x96xf32>, tensor<4x?x3x96xf32>, tensor<4x?x4x3xf32>, tensor<4x?x4x3xf32>, tensor<4x?x4x3xf32>) {
  %r:5 = heddle.attention %q, %k, %v sinks(%sink : tensor<4xf32>) heads(4, kv = 2)
      results(output, unnormalized, maximum, sum, log_sum_exp) splits(4)
      : tensor<?x3x64xf32>, tensor<?x?x32xf32>, tensor<?x?x48xf32>
  return %r#0, %r#1, %r#2, %r#3, %r#4 : tensor<4x?x3x96xf32>, tensor<4x?x3x96xf32>, tensor<4x?x4x3xf32>, tensor<4x?x4x3xf32>, tensor<4x?x4x3xf32>
}

// It is split once.
func.func @output_alone(%q: tensor<1x1x8xf32>, %k: tensor<1x?x8xf32> {heddle.sizes = ["keys"]},
    %v: tensor<1x?x8xf32> {heddle.sizes = ["keys"]}) -> tensor<3x1x1x8xf32> {
  %r = heddle.attention %q, %k, %v heads(1, kv = 1) splits(3)
      : tensor<1x1x8xf32>, tensor<1x?x8xf32>, tensor<1x?x8xf32>
  return %r : tensor<3x1x1x8xf32>
}

// Splits have different numbers of blocks, or none, which is known.
func.func @known_keys(%q: tensor<2x3x16xf32>, %k: tensor<2x1000x8xf32>, %v: tensor<2x1000x8xf32>)
    -> (tensor<7x2x3x16xf32>, tensor<7x2x2x3xf32>) {
  %r, %s = heddle.attention %q, %k, %v heads(2, kv = 1) results(unnormalized, sum) splits(7)
      : tensor<2x3x16xf32>, tensor<2x1000x8xf32>, tensor<2x1000x8xf32>
  return %r, %s : tensor<7x2x3x16xf32>, tensor<7x2x2x3xf32>
}

func.func @few_keys(%q: tensor<2x3x16xf32>, %k: tensor<2x65x8xf32>, %v: tensor<2x65x8xf32>)
    -> (tensor<16x2x3x16xf32>, tensor<16x2x2x3xf32>) {
  %r, %s = heddle.attention %q, %k, %v heads(2, kv = 1) results(output, maximum) splits(16)
      : tensor<2x3x16xf32>, tensor<2x65x8xf32>, tensor<2x65x8xf32>
  return %r, %s : tensor<16x2x3x16xf32>, tensor<16x2x2x3xf32>
}
