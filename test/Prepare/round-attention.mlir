// RUN: heddle-opt %s --split-input-file --heddle-resolve-sizes --heddle-round-attention=cpu=znver4 | FileCheck %s
// RUN: heddle-opt %s --split-input-file --heddle-resolve-sizes --heddle-round-attention=cpu=sapphirerapids \
// RUN:   | FileCheck %s --check-prefix=TILES
// RUN: heddle-opt %s --split-input-file --heddle-resolve-sizes --heddle-round-attention=cpu=icelake-server \
// RUN:   | FileCheck %s --check-prefix=NONE
// RUN: not heddle-opt %s --split-input-file --heddle-resolve-sizes --heddle-round-attention=cpu=none 2>&1 \
// RUN:   | FileCheck %s --check-prefix=ERROR
// NONE-NOT: products(bf16)
// ERROR: error: LLVM knows no x86-64 CPU named 'none'

// Attention whose factors may be rounded, and that has no cache.
heddle.weight @w from "w" : tensor<16x32xbf16>
// CHECK-LABEL: func.func @attention
// CHECK: heddle.attention %{{.*}} heads(4, kv = 4) products(bf16)
// CHECK: heddle.attention %{{.*}} heads(4, kv = 4) normalize(sum) :
// CHECK: heddle.attention %{{[a-z0-9]+}}, %key, %value heads(4, kv = 4) :
// CHECK: heddle.attention %{{.*}} heads(4, kv = 4) :
func.func @attention(%x: tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]},
    %cache: !heddle.cache<1 x 4 x 8 x f32> {heddle.sizes = ["batch", "capacity"]})
    -> (tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?x?x16xf32>) {
  %w = heddle.weight_ref @w : tensor<16x32xbf16>
  %r = heddle.cast %x : tensor<?x?x32xf32> -> tensor<?x?x32xbf16>
  %d = heddle.cast %r : tensor<?x?x32xbf16> -> tensor<?x?x32xf32>
  %y = heddle.linear %d, %w : tensor<?x?x32xf32>, tensor<16x32xbf16>
  %0 = heddle.attention %d, %x, %x heads(4, kv = 4)
      : tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  %1 = heddle.attention %x, %x, %x heads(4, kv = 4) normalize(sum)
      : tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  %k, %v = heddle.cache.read %cache layer(0) : !heddle.cache<1 x 4 x 8 x f32>
  %2 = heddle.attention %x, %k, %v heads(4, kv = 4)
      : tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  %h = heddle.reshape %k to ["batch", "capacity", 4, 8] : tensor<?x?x32xf32> -> tensor<?x?x4x8xf32>
  %g = heddle.reshape %h to ["batch", "capacity", 32] : tensor<?x?x4x8xf32> -> tensor<?x?x32xf32>
  %3 = heddle.attention %x, %g, %g heads(4, kv = 4)
      : tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %0, %1, %2, %y : tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?x?x16xf32>
}

// -----

// Beside layers that multiply bytes, too.
heddle.weight @m from "m" : tensor<16x32xf32>
// CHECK-LABEL: func.func @bytes
// CHECK: heddle.attention %{{.*}} products(bf16)
func.func @bytes(%x: tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]})
    -> (tensor<?x?x32xf32>, tensor<?x?x16xf32>) {
  %c, %s = heddle.quantize %x axis(2) group(32) : tensor<?x?x32xf32> -> tensor<?x?x32xi8>, tensor<?x?x1xf32>
  %d = heddle.dequantize %c, %s axis(2) : tensor<?x?x32xi8>, tensor<?x?x1xf32> -> tensor<?x?x32xf32>
  %m = heddle.weight_ref @m : tensor<16x32xf32>
  %y = heddle.linear %d, %m : tensor<?x?x32xf32>, tensor<16x32xf32>
  %0 = heddle.attention %x, %x, %x heads(4, kv = 4)
      : tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %0, %y : tensor<?x?x32xf32>, tensor<?x?x16xf32>
}

// -----

// Nothing else is narrowed, or only to 16 bits, or only weights.
heddle.weight @m from "m" : tensor<16x32xf32>
// CHECK-LABEL: func.func @wide
// CHECK-NOT: products(bf16)
heddle.weight @w from "w" : tensor<32x64xf32>
func.func @wide(%x: tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]})
    -> (tensor<?x?x32xf32>, tensor<?x?x16xf32>, tensor<32x64xbf16>) {
  %c, %s = heddle.quantize %x axis(2) group(32) : tensor<?x?x32xf32> -> tensor<?x?x32xi16>, tensor<?x?x1xf32>
  %d = heddle.dequantize %c, %s axis(2) : tensor<?x?x32xi16>, tensor<?x?x1xf32> -> tensor<?x?x32xf32>
  %m = heddle.weight_ref @m : tensor<16x32xf32>
  %y = heddle.linear %d, %m : tensor<?x?x32xf32>, tensor<16x32xf32>
  %w = heddle.weight_ref @w : tensor<32x64xf32>
  %n = heddle.cast %w : tensor<32x64xf32> -> tensor<32x64xbf16>
  %0 = heddle.attention %x, %x, %x heads(4, kv = 4)
      : tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %0, %y, %n : tensor<?x?x32xf32>, tensor<?x?x16xf32>, tensor<32x64xbf16>
}

// -----

// Over a cache of bf16, of one query, too.
heddle.weight @m from "m" : tensor<16x32xf32>
// CHECK-LABEL: func.func @cached
// CHECK: heddle.attention %{{.*}} products(bf16)
// TILES-LABEL: func.func @cached
// TILES-NOT: products(bf16)
func.func @cached(%x: tensor<?x1x32xf32> {heddle.sizes = ["batch"]},
    %cache: !heddle.cache<1 x 4 x 8 x bf16> {heddle.sizes = ["batch", "capacity"]})
    -> (tensor<?x1x32xf32>, tensor<?x1x16xf32>) {
  %c, %s = heddle.quantize %x axis(2) group(32) : tensor<?x1x32xf32> -> tensor<?x1x32xi8>, tensor<?x1x1xf32>
  %d = heddle.dequantize %c, %s axis(2) : tensor<?x1x32xi8>, tensor<?x1x1xf32> -> tensor<?x1x32xf32>
  %m = heddle.weight_ref @m : tensor<16x32xf32>
  %y = heddle.linear %d, %m : tensor<?x1x32xf32>, tensor<16x32xf32>
  %k, %v = heddle.cache.read %cache layer(0) : !heddle.cache<1 x 4 x 8 x bf16>
  %0 = heddle.attention %x, %k, %v heads(4, kv = 4)
      : tensor<?x1x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %0, %y : tensor<?x1x32xf32>, tensor<?x1x16xf32>
}

// -----

// Tile registers have whole vectors of values, which are read, of more than two queries, and as many rows
// as one has. Vectors take any even number of channels.
heddle.weight @m from "m" : tensor<16x32xf32>
// CHECK-LABEL: func.func @shapes
// CHECK-COUNT-3: products(bf16)
// CHECK-NOT: products(bf16)
// TILES-LABEL: func.func @shapes
// TILES: heddle.attention %{{.*}} heads(1, kv = 1) products(bf16)
// TILES-NOT: products(bf16)
func.func @shapes(%x: tensor<1x?x32xf32> {heddle.sizes = ["n"]}, %two: tensor<1x2x32xf32>,
    %narrow: tensor<1x?x24xf32> {heddle.sizes = ["n"]}, %wide: tensor<1x?x704xf32> {heddle.sizes = ["n"]})
    -> tensor<1x?x16xf32> {
  %c, %s = heddle.quantize %x axis(2) group(32) : tensor<1x?x32xf32> -> tensor<1x?x32xi8>, tensor<1x?x1xf32>
  %d = heddle.dequantize %c, %s axis(2) : tensor<1x?x32xi8>, tensor<1x?x1xf32> -> tensor<1x?x32xf32>
  %m = heddle.weight_ref @m : tensor<16x32xf32>
  %y = heddle.linear %d, %m : tensor<1x?x32xf32>, tensor<16x32xf32>
  %0 = heddle.attention %x, %x, %x heads(1, kv = 1) : tensor<1x?x32xf32>, tensor<1x?x32xf32>, tensor<1x?x32xf32>
  %1 = heddle.attention %x, %x, %narrow heads(1, kv = 1) : tensor<1x?x32xf32>, tensor<1x?x32xf32>, tensor<1x?x24xf32>
  %2 = heddle.attention %x, %x, %wide heads(1, kv = 1) : tensor<1x?x32xf32>, tensor<1x?x32xf32>, tensor<1x?x704xf32>
  %3 = heddle.attention %two, %x, %x heads(1, kv = 1) : tensor<1x2x32xf32>, tensor<1x?x32xf32>, tensor<1x?x32xf32>
  %4 = heddle.attention %x, %x, %x heads(1, kv = 1) results(weights) : tensor<1x?x32xf32>, tensor<1x?x32xf32>, tensor<1x?x32xf32>
  return %y : tensor<1x?x16xf32>
}

// -----

// No layer multiplies what is rounded.
// CHECK-LABEL: func.func @f32
// CHECK-NOT: products(bf16)
func.func @f32(%x: tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]}, %w: tensor<32x32xf32>)
    -> (tensor<?x?x32xf32>, tensor<?x?x32xbf16>) {
  %y = heddle.linear %x, %w : tensor<?x?x32xf32>, tensor<32x32xf32>
  %r = heddle.cast %y : tensor<?x?x32xf32> -> tensor<?x?x32xbf16>
  %0 = heddle.attention %y, %x, %x heads(4, kv = 4)
      : tensor<?x?x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %0, %r : tensor<?x?x32xf32>, tensor<?x?x32xbf16>
}
