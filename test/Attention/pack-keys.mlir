// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-pack-keys | FileCheck %s

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
