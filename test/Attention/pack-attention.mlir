// --heddle-pack-attention: keys lie in blocks of 32, and values where that pays.
// RUN: heddle-opt %s --heddle-set-target=cpu=x86-64-v3 --heddle-resolve-sizes --heddle-pack-attention | FileCheck %s
// RUN: heddle-opt %s --heddle-set-target=cpu=znver5 --heddle-resolve-sizes --heddle-pack-attention \
// RUN:   | FileCheck %s --check-prefix=PAIRS
// RUN: heddle-opt %s --heddle-set-target=device=opencl --heddle-resolve-sizes --heddle-pack-attention \
// RUN:   | FileCheck %s --check-prefix=DEVICE

// CHECK: #[[TOKENS:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2 * 32 + d4, d1 * 16 + d3)>

// CHECK-LABEL: func.func @known
// CHECK-SAME: %[[Q:[a-z0-9]*]]: tensor<2x64x64xf32>, %[[K:[a-z0-9]*]]:
// CHECK: %[[PACKED:.*]] = heddle.generic over [2, 2, 2, 16, 32] ins(%[[K]] : tensor<2x64x32xf32>) maps [#[[TOKENS]]]
// CHECK: heddle.attention %[[Q]], %[[K]], %{{.*}} packed(%[[PACKED]] : tensor<2x2x2x16x32xf32>)
func.func @known(%q: tensor<2x64x64xf32>, %k: tensor<2x64x32xf32>) -> tensor<2x64x64xf32> {
  %o = heddle.attention %q, %k, %k heads(4, kv = 2)
      : tensor<2x64x64xf32>, tensor<2x64x32xf32>, tensor<2x64x32xf32>
  return %o : tensor<2x64x64xf32>
}

// Past the last key, it is the last.
// CHECK-LABEL: func.func @unknown
// CHECK: heddle.generic over ["batch", 4, "ceildiv(keys, 32)", 8, 32] tables(
// CHECK: heddle.read
// Nor is it known whether they are many, whose values are copied, too.
// CHECK: heddle.generic over ["batch", 4, "ceildiv(keys, 32)", 32, 8] tables(
// CHECK: packed(%{{.*}}, %{{.*}} : tensor<?x4x?x8x32xf32, {{.*}}>, tensor<?x4x?x32x8xf32
// A device reads values as they are.
// DEVICE-LABEL: func.func @unknown
// DEVICE: heddle.generic over ["batch", 4, "ceildiv(keys, 32)", 8, 32] tables(
// DEVICE-NOT: heddle.generic
// DEVICE: return
func.func @unknown(%q: tensor<?x4x?x8xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x4x?x8xf32> {heddle.sizes = ["batch", "keys"]}) -> tensor<?x4x?x8xf32> {
  %o = heddle.attention %q, %k, %k heads(4, kv = 4)
      : tensor<?x4x?x8xf32>, tensor<?x4x?x8xf32>, tensor<?x4x?x8xf32>
  return %o : tensor<?x4x?x8xf32>
}

// One query reads each key once.
// CHECK-LABEL: func.func @decode
// CHECK-NOT: heddle.generic
func.func @decode(%q: tensor<2x1x64xf32>, %k: tensor<2x64x64xf32>) -> tensor<2x1x64xf32> {
  %o = heddle.attention %q, %k, %k heads(4, kv = 4)
      : tensor<2x1x64xf32>, tensor<2x64x64xf32>, tensor<2x64x64xf32>
  return %o : tensor<2x1x64xf32>
}

// CHECK-LABEL: func.func @few
// CHECK: heddle.generic over ["batch", 4, "ceildiv(keys, 32)", 8, 32]
// CHECK-NOT: heddle.generic
// CHECK: return
func.func @few(%q: tensor<?x4x?x8xf32> {heddle.sizes = ["batch", "length"]},
    %k: tensor<?x4x?x8xf32> {heddle.sizes = ["batch", "keys"]}) -> tensor<?x4x?x8xf32>
    attributes {heddle.symbols = [#heddle.symbol<"keys", 0 to 2048>]} {
  %o = heddle.attention %q, %k, %k heads(4, kv = 4)
      : tensor<?x4x?x8xf32>, tensor<?x4x?x8xf32>, tensor<?x4x?x8xf32>
  return %o : tensor<?x4x?x8xf32>
}

// Channel 2 c + t of key j at 2 j + t, and value 2 i + t at 2 d + t.
// PAIRS: #[[OF_KEY:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2 * 32 + d4 floordiv 2, d1 * 16 + d3 * 2 + d4 mod 2)>
// PAIRS: #[[OF_VALUE:.*]] = affine_map<(d0, d1, d2, d3, d4) -> (d0, d2 * 32 + d3 * 2 + d4 mod 2, d1 * 16 + d4 floordiv 2)>
// PAIRS-LABEL: func.func @pairs
// PAIRS: %[[K:.*]] = heddle.generic over [2, 2, 2, 8, 64] ins(%{{.*}} : tensor<2x64x32xf32>) maps [#[[OF_KEY]]]
// PAIRS: %[[V:.*]] = heddle.generic over [2, 2, 2, 16, 32] ins(%{{.*}} : tensor<2x64x32xf32>) maps [#[[OF_VALUE]]]
// PAIRS: packed(%[[K]], %[[V]] : tensor<2x2x2x8x64xbf16>, tensor<2x2x2x16x32xbf16>)
// Where nothing multiplies pairs, keys are rounded all the same.
// CHECK-LABEL: func.func @pairs
// CHECK: heddle.generic over [2, 2, 2, 16, 32] ins(
// CHECK: arith.truncf %{{.*}} : f32 to bf16
// CHECK: arith.extf
// CHECK-NOT: heddle.generic
// CHECK: return
func.func @pairs(%q: tensor<2x64x64xf32>, %k: tensor<2x64x32xf32>) -> tensor<2x64x64xf32> {
  %o = heddle.attention %q, %k, %k heads(4, kv = 2) products(bf16)
      : tensor<2x64x64xf32>, tensor<2x64x32xf32>, tensor<2x64x32xf32>
  return %o : tensor<2x64x64xf32>
}

// Where no result reads values, none are copied, and keys are in no pairs, which are of both.
// PAIRS-LABEL: func.func @weights
// PAIRS: %[[K:.*]] = heddle.generic over [2, 2, 2, 16, 32]
// PAIRS: packed(%[[K]] : tensor<2x2x2x16x32xf32>) heads(4, kv = 2) {{.*}}products(bf16)
func.func @weights(%q: tensor<2x64x64xf32>, %k: tensor<2x64x32xf32>) -> tensor<2x4x64x64xf32> {
  %o = heddle.attention %q, %k, %k heads(4, kv = 2) results(weights) products(bf16)
      : tensor<2x64x64xf32>, tensor<2x64x32xf32>, tensor<2x64x32xf32>
  return %o : tensor<2x4x64x64xf32>
}

// Pairs of a cache of bf16 stay there, where vectors multiply them.
// PAIRS-LABEL: func.func @cached_pairs
// PAIRS: heddle.attention {{.*}} products(bf16) {heddle.pairs}
// PAIRS: heddle.attention
// PAIRS-NOT: heddle.pairs
// CHECK-LABEL: func.func @cached_pairs
// CHECK-NOT: heddle.pairs
// DEVICE-LABEL: func.func @cached_pairs
// DEVICE-NOT: heddle.pairs
func.func @cached_pairs(%q: tensor<?x1x32xf32> {heddle.sizes = ["batch"]},
    %c: !heddle.cache<1 x 4 x 8 x bf16> {heddle.sizes = ["batch", "capacity"]}) -> (tensor<?x1x32xf32>, tensor<?x1x32xf32>) {
  %k, %v = heddle.cache.read %c layer(0) : !heddle.cache<1 x 4 x 8 x bf16>
  %0 = heddle.attention %q, %k, %v heads(4, kv = 4) products(bf16) : tensor<?x1x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  // Heads that are not the cache's.
  %1 = heddle.attention %q, %k, %v heads(2, kv = 2) products(bf16) : tensor<?x1x32xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  return %0, %1 : tensor<?x1x32xf32>, tensor<?x1x32xf32>
}
