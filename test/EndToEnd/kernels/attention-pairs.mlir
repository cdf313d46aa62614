// Attention whose factors are rounded to bf16, multiplied in pairs where the CPU does so, and
// as f32 elsewhere: whole tiles and their tails, masks whose blocks are whole and mixed, heads
// whose scale is no power of two, values of other widths, an odd number of channels.
//
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify --target-cpu=native -o kernel.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --verify --target-cpu=x86-64-v3 -o kernel.o | FileCheck %s %}
// RUN: %if !device %{ heddlec %s --target-cpu=znver5 --quiet --emit=asm -o - | FileCheck %s --check-prefix=PAIRS %}

// PAIRS: tails_attention_task0:
// PAIRS: vdpbf16ps
// CHECK: verified tails: {{[23]}} kernels,
// CHECK: verified causal: {{[23]}} kernels,
// CHECK: verified odd: {{[23]}} kernels,
// CHECK: verified weights: 2 kernels,
// CHECK: verified thirds: {{[23]}} kernels,
// CHECK: verified groups: {{[34]}} kernels,

func.func @tails(%q: tensor<2x37x128xf32>, %k: tensor<2x545x64xf32>) -> tensor<2x37x128xf32> {
  %o = heddle.attention %q, %k, %k heads(4, kv = 2) products(bf16)
      : tensor<2x37x128xf32>, tensor<2x545x64xf32>, tensor<2x545x64xf32>
  return %o : tensor<2x37x128xf32>
}

func.func @causal(%q: tensor<1x?x192xf32> {heddle.sizes = ["length"]}, %k: tensor<1x?x96xf32> {heddle.sizes = ["length"]},
    %v: tensor<1x?x40xf32> {heddle.sizes = ["length"]}) -> (tensor<1x?x80xf32>, tensor<1x4x?xf32>) {
  %m = heddle.mask.causal align(top_left)
  %o, %l = heddle.attention %q, %k, %v mask(%m) heads(4, kv = 2) results(output, log_sum_exp) products(bf16)
      : tensor<1x?x192xf32>, tensor<1x?x96xf32>, tensor<1x?x40xf32>
  return %o, %l : tensor<1x?x80xf32>, tensor<1x4x?xf32>
}

func.func @odd(%q: tensor<1x33x10xf32>) -> tensor<1x33x10xf32> {
  %o = heddle.attention %q, %q, %q heads(2, kv = 2) products(bf16)
      : tensor<1x33x10xf32>, tensor<1x33x10xf32>, tensor<1x33x10xf32>
  return %o : tensor<1x33x10xf32>
}

// Values that nothing reads are in no pairs, and so are keys.
func.func @weights(%q: tensor<1x33x64xf32>, %k: tensor<1x47x64xf32>) -> tensor<1x4x33x47xf32> {
  %w = heddle.attention %q, %k, %k heads(4, kv = 4) results(weights) products(bf16)
      : tensor<1x33x64xf32>, tensor<1x47x64xf32>, tensor<1x47x64xf32>
  return %w : tensor<1x4x33x47xf32>
}

// Places and channels that do not fill the tile registers that there are.
func.func @thirds(%q: tensor<2x?x160xf32> {heddle.sizes = ["length"]}, %k: tensor<2x?x160xf32> {heddle.sizes = ["length"]},
    %v: tensor<2x?x192xf32> {heddle.sizes = ["length"]}) -> (tensor<2x?x192xf32>, tensor<2x2x?x?xf32>) {
  %m = heddle.mask.causal align(top_left)
  %o, %w = heddle.attention %q, %k, %v mask(%m) heads(2, kv = 2) results(output, weights) products(bf16)
      : tensor<2x?x160xf32>, tensor<2x?x160xf32>, tensor<2x?x192xf32>
  return %o, %w : tensor<2x?x192xf32>, tensor<2x2x?x?xf32>
}

// Heads of a group side by side, values of two tiles, and documents, whose blocks are mixed.
func.func @groups(%q: tensor<1x?x192xf32> {heddle.sizes = ["length"]}, %k: tensor<1x?x64xf32> {heddle.sizes = ["length"]},
    %v: tensor<1x?x256xf32> {heddle.sizes = ["length"]}, %d: tensor<1x?xi32> {heddle.sizes = ["length"]})
    -> tensor<1x?x768xf32> {
  %m = heddle.mask.documents %d, %d : tensor<1x?xi32>, tensor<1x?xi32>
  %o = heddle.attention %q, %k, %v mask(%m) heads(6, kv = 2) products(bf16)
      : tensor<1x?x192xf32>, tensor<1x?x64xf32>, tensor<1x?x256xf32>
  return %o : tensor<1x?x768xf32>
}
