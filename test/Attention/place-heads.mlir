// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-decompose --heddle-place-heads --canonicalize | FileCheck %s

// CHECK-DAG: #[[JOINED:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d3)>

// Heads that views move to a dimension of their own, and back.
// CHECK-LABEL: func.func @moved
// CHECK-SAME: %[[X:[a-z0-9]*]]: tensor<?x?x64xf32
// CHECK-NEXT: %[[Y:.*]] = heddle.attention %[[X]], %[[X]], %[[X]] heads(4, kv = 4)
// CHECK-NEXT: return %[[Y]]
func.func @moved(%x: tensor<?x?x64xf32> {heddle.sizes = ["b", "l"]}) -> tensor<?x?x64xf32> {
  %0 = heddle.reshape %x to ["b", "l", 4, 16] : tensor<?x?x64xf32> -> tensor<?x?x4x16xf32>
  %1 = heddle.transpose %0 permutation [0, 2, 1, 3] : tensor<?x?x4x16xf32> -> tensor<?x4x?x16xf32>
  %2 = heddle.attention %1, %1, %1 heads(4, kv = 4)
      : tensor<?x4x?x16xf32>, tensor<?x4x?x16xf32>, tensor<?x4x?x16xf32>
  %3 = heddle.transpose %2 permutation [0, 2, 1, 3] : tensor<?x4x?x16xf32> -> tensor<?x?x4x16xf32>
  %4 = heddle.reshape %3 to ["b", "l", -1] : tensor<?x?x4x16xf32> -> tensor<?x?x64xf32>
  return %4 : tensor<?x?x64xf32>
}

// One head: its dimension has one element.
// CHECK-LABEL: func.func @one_head
// CHECK-NEXT: %[[Y:.*]] = heddle.attention %[[X:.*]], %[[X]], %[[X]] heads(1, kv = 1)
// CHECK-NEXT: return %[[Y]]
func.func @one_head(%x: tensor<2x5x16xf32>) -> tensor<2x5x16xf32> {
  %0 = heddle.reshape %x to [2, 1, 5, 16] : tensor<2x5x16xf32> -> tensor<2x1x5x16xf32>
  %1 = heddle.attention %0, %0, %0 heads(1, kv = 1)
      : tensor<2x1x5x16xf32>, tensor<2x1x5x16xf32>, tensor<2x1x5x16xf32>
  %2 = heddle.reshape %1 to [2, 5, 16] : tensor<2x1x5x16xf32> -> tensor<2x5x16xf32>
  return %2 : tensor<2x5x16xf32>
}

// Half of the channels, and the output as heads inside of tokens.
// CHECK-LABEL: func.func @packed
// CHECK: heddle.generic
// CHECK: %[[Y:.*]] = heddle.attention %{{.*}}, %{{.*}}, %{{.*}} heads(4, kv = 4) scale(2.500000e-01) output_layout(batch, length, head, channel)
// CHECK-NEXT: return %[[Y]]
func.func @packed(%x: tensor<2x5x4x32xf32>) -> tensor<2x5x4x16xf32> {
  %0:2 = heddle.split %x axis(3) sizes [16, 16] : tensor<2x5x4x32xf32> -> tensor<2x5x4x16xf32>, tensor<2x5x4x16xf32>
  %1 = heddle.attention %0#0, %0#1, %0#1 heads(4, kv = 4) layout(batch, length, head, channel)
      : tensor<2x5x4x16xf32>, tensor<2x5x4x16xf32>, tensor<2x5x4x16xf32>
  return %1 : tensor<2x5x4x16xf32>
}

// Products that read heads side by side: their order does not matter.
// CHECK-LABEL: func.func @joined
// CHECK: %[[Y:.*]] = heddle.attention {{.*}} output_layout(batch, length, channel)
// CHECK-NEXT: heddle.generic over [2, 5, 8] {{.*}} ins(%[[Y]], %{{.*}} : tensor<2x5x64xf32>, tensor<64x8xf32>) maps [#[[JOINED]],
func.func @joined(%x: tensor<2x4x5x16xf32>, %w: tensor<64x8xf32>) -> tensor<2x5x8xf32> {
  %0 = heddle.attention %x, %x, %x heads(4, kv = 4)
      : tensor<2x4x5x16xf32>, tensor<2x4x5x16xf32>, tensor<2x4x5x16xf32>
  %1 = heddle.generic over [2, 5, 8] reduce [64] initial [0.0 : f32]
      ins(%0, %w : tensor<2x4x5x16xf32>, tensor<64x8xf32>)
      maps [affine_map<(b, l, o, k) -> (b, k floordiv 16, l, k mod 16)>,
            affine_map<(b, l, o, k) -> (k, o)>] {
  ^bb0(%a: f32, %c: f32, %sum: f32):
    %p = arith.mulf %a, %c : f32
    %s = arith.addf %sum, %p : f32
    heddle.yield %s : f32
  } : tensor<2x5x8xf32>
  return %1 : tensor<2x5x8xf32>
}

// What else reads the output needs it as it is.
// CHECK-LABEL: func.func @read_twice
// CHECK: heddle.attention
// CHECK: heddle.generic
func.func @read_twice(%x: tensor<2x4x5x16xf32>) -> (tensor<2x4x5x16xf32>, tensor<2x5x4x16xf32>) {
  %0 = heddle.attention %x, %x, %x heads(4, kv = 4)
      : tensor<2x4x5x16xf32>, tensor<2x4x5x16xf32>, tensor<2x4x5x16xf32>
  %1 = heddle.transpose %0 permutation [0, 2, 1, 3] : tensor<2x4x5x16xf32> -> tensor<2x5x4x16xf32>
  return %0, %1 : tensor<2x4x5x16xf32>, tensor<2x5x4x16xf32>
}

// A dimension of one element is not that of four heads.
// CHECK-LABEL: func.func @no_head
// CHECK: heddle.attention %{{.*}} heads(4, kv = 4) {{.*}} : tensor<2x5x12xf32>
// CHECK-NEXT: %[[Y:.*]] = heddle.generic over [2, 1, 5, 12]
// CHECK: return %[[Y]]
func.func @no_head(%q: tensor<2x5x12xf32>, %k: tensor<2x7x12xf32>) -> tensor<2x1x5x12xf32> {
  %0 = heddle.attention %q, %k, %k heads(4, kv = 4) : tensor<2x5x12xf32>, tensor<2x7x12xf32>, tensor<2x7x12xf32>
  %1 = heddle.expand %0 axes [1] : tensor<2x5x12xf32> -> tensor<2x1x5x12xf32>
  return %1 : tensor<2x1x5x12xf32>
}
