// heddle.attention of operands in any layout and of short floats: read in place, but for
// keys, which are packed once.

// On a device, which takes long here, with --slow.
// UNSUPPORTED: brief

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify --target-cpu=native -o kernel.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --verify --target-cpu=x86-64-v3 -o kernel.o | FileCheck %s %}

// A device packs no values.
// CHECK: verified inside: {{[23]}} kernels,
// CHECK: verified combined: {{[23]}} kernels,
// CHECK: verified one_sequence: {{[34]}} kernels,
// CHECK: verified several: {{[45]}} kernels,
// CHECK: verified channels_first: {{[45]}} kernels,
// CHECK: verified expanded as a whole
// CHECK: verified as_one_head as a whole
// CHECK: verified first_query as a whole
// CHECK: verified first_sequence as a whole
// CHECK: verified first_queries as a whole
// CHECK: verified all_but_last as a whole

func.func @inside(%q: tensor<2x?x4x16xf32> {heddle.sizes = ["length"]},
    %k: tensor<2x?x2x16xf32> {heddle.sizes = ["keys"]},
    %v: tensor<2x?x2x24xbf16> {heddle.sizes = ["keys"]}) -> tensor<2x?x4x24xf32> {
  %y = heddle.attention %q, %k, %v heads(4, kv = 2) layout(batch, length, head, channel)
      : tensor<2x?x4x16xf32>, tensor<2x?x2x16xf32>, tensor<2x?x2x24xbf16>
  return %y : tensor<2x?x4x24xf32>
}

func.func @combined(%x: tensor<2x?x192xf32> {heddle.sizes = ["length"]}) -> tensor<2x?x64xf32> {
  %q, %k, %v = heddle.split %x axis(2) sizes [64, 64, 64]
      : tensor<2x?x192xf32> -> tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x64xf32>
  %y = heddle.attention %q, %k, %v heads(4, kv = 4)
      : tensor<2x?x64xf32>, tensor<2x?x64xf32>, tensor<2x?x64xf32>
  return %y : tensor<2x?x64xf32>
}

// The output is rounded to the query's type by another kernel, if nothing else reads it.
func.func @one_sequence(%x: tensor<?x64xf16> {heddle.sizes = ["length"]}) -> tensor<?x64xf16> {
  %m = heddle.mask.causal align(top_left)
  %y = heddle.attention %x, %x, %x mask(%m) heads(4, kv = 4) layout(length, channel)
      : tensor<?x64xf16>, tensor<?x64xf16>, tensor<?x64xf16>
  return %y : tensor<?x64xf16>
}

func.func @several(%x: tensor<?x3x?x4x16xf32> {heddle.sizes = ["outer", "length"]}, %n: tensor<?xi32> {heddle.sizes = ["3 * outer"]})
    -> (tensor<?x3x?x4x16xf32>, tensor<?x3x4x?xf32>) {
  %m = heddle.mask.lengths %n : tensor<?xi32>
  %y, %l = heddle.attention %x, %x, %x mask(%m) heads(4, kv = 4)
      layout(batch, batch, length, head, channel) results(output, log_sum_exp)
      : tensor<?x3x?x4x16xf32>, tensor<?x3x?x4x16xf32>, tensor<?x3x?x4x16xf32>
  return %y, %l : tensor<?x3x?x4x16xf32>, tensor<?x3x4x?xf32>
}

// Channels that do not lie side by side are copied first.
func.func @channels_first(%q: tensor<64x?x2xf32> {heddle.sizes = ["length"]}, %k: tensor<64x?x2xf32> {heddle.sizes = ["keys"]})
    -> tensor<2x4x?x16xf32> {
  %y = heddle.attention %q, %k, %k heads(4, kv = 4) layout(channel, length, batch) output_layout(batch, head, length, channel)
      : tensor<64x?x2xf32>, tensor<64x?x2xf32>, tensor<64x?x2xf32>
  return %y : tensor<2x4x?x16xf32>
}

// What is seen of several heads with a dimension of one element where heads could be.
func.func @expanded(%q: tensor<2x5x12xf32>, %k: tensor<2x7x12xf32>) -> tensor<2x1x5x12xf32> {
  %o = heddle.attention %q, %k, %k heads(4, kv = 4) : tensor<2x5x12xf32>, tensor<2x7x12xf32>, tensor<2x7x12xf32>
  %y = heddle.expand %o axes [1] : tensor<2x5x12xf32> -> tensor<2x1x5x12xf32>
  return %y : tensor<2x1x5x12xf32>
}

func.func @as_one_head(%q: tensor<2x5x12xf32>, %k: tensor<2x7x12xf32>) -> tensor<2x1x5x12xf32> {
  %o = heddle.attention %q, %k, %k heads(4, kv = 4) : tensor<2x5x12xf32>, tensor<2x7x12xf32>, tensor<2x7x12xf32>
  %r = heddle.reshape %o to [2, 5, 1, 12] : tensor<2x5x12xf32> -> tensor<2x5x1x12xf32>
  %t = heddle.transpose %r permutation [0, 2, 1, 3] : tensor<2x5x1x12xf32> -> tensor<2x1x5x12xf32>
  %y = heddle.attention %t, %t, %t heads(1, kv = 1) : tensor<2x1x5x12xf32>, tensor<2x1x5x12xf32>, tensor<2x1x5x12xf32>
  return %y : tensor<2x1x5x12xf32>
}

// Parts of the output that begin where it begins.
func.func @first_query(%q: tensor<?x?x12xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x1x12xf32> {
  %0 = heddle.attention %q, %q, %q heads(4, kv = 4) : tensor<?x?x12xf32>, tensor<?x?x12xf32>, tensor<?x?x12xf32>
  %1 = heddle.slice %0 offsets [0, 0, 0] sizes ["batch", 1, 12] steps [1, 1, 1] : tensor<?x?x12xf32> -> tensor<?x1x12xf32>
  return %1 : tensor<?x1x12xf32>
}

func.func @first_sequence(%q: tensor<2x5x12xf32>, %k: tensor<2x7x12xf32>) -> tensor<1x5x12xf32> {
  %0 = heddle.attention %q, %k, %k heads(4, kv = 4) : tensor<2x5x12xf32>, tensor<2x7x12xf32>, tensor<2x7x12xf32>
  %1 = heddle.slice %0 offsets [0, 0, 0] sizes [1, 5, 12] steps [1, 1, 1] : tensor<2x5x12xf32> -> tensor<1x5x12xf32>
  return %1 : tensor<1x5x12xf32>
}

func.func @first_queries(%q: tensor<2x5x12xf32>, %k: tensor<2x7x12xf32>) -> tensor<2x3x4x3xf32> {
  %0 = heddle.attention %q, %k, %k heads(4, kv = 4) : tensor<2x5x12xf32>, tensor<2x7x12xf32>, tensor<2x7x12xf32>
  %1 = heddle.slice %0 offsets [0, 0, 0] sizes [2, 3, 12] steps [1, 1, 1] : tensor<2x5x12xf32> -> tensor<2x3x12xf32>
  %2 = heddle.reshape %1 to [2, 3, 4, 3] : tensor<2x3x12xf32> -> tensor<2x3x4x3xf32>
  return %2 : tensor<2x3x4x3xf32>
}

func.func @all_but_last(%q: tensor<?x?x12xf32> {heddle.sizes = ["batch", "length"]}, %k: tensor<?x?x12xf32> {heddle.sizes = ["batch", "keys"]}) -> tensor<?x?x12xf32>
    attributes {heddle.symbols = [#heddle.symbol<"length", 2 to 1000>]} {
  %0 = heddle.attention %q, %k, %k heads(4, kv = 4) : tensor<?x?x12xf32>, tensor<?x?x12xf32>, tensor<?x?x12xf32>
  %1 = heddle.slice %0 offsets [0, 0, 0] sizes ["batch", "length - 1", 12] steps [1, 1, 1] : tensor<?x?x12xf32> -> tensor<?x?x12xf32>
  return %1 : tensor<?x?x12xf32>
}
