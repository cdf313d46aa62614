// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-decompose | FileCheck %s

// CHECK-DAG: #[[TRANSPOSED:.*]] = affine_map<(d0, d1) -> (d1, d0)>
// CHECK-DAG: #[[HEADS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d1, d2 * 16 + d3)>
// CHECK-DAG: #[[TOKENS:.*]] = affine_map<(d0, d1)[s0] -> (d0 floordiv s0, d0 mod s0, d1)>
// CHECK-DAG: #[[ROWS:.*]] = affine_map<(d0, d1)[s0] -> (d0, d1 * s0)>
// CHECK-DAG: #[[ROW:.*]] = affine_map<(d0, d1)[s0] -> (d1 * s0)>
// CHECK-DAG: #[[FIRST:.*]] = affine_map<(d0, d1) -> (0)>
// CHECK-DAG: #[[SAME:.*]] = affine_map<(d0) -> (d0)>
// CHECK-DAG: #[[BACKWARDS:.*]] = affine_map<(d0) -> (-d0 + 4)>

// CHECK-LABEL: func.func @transpose
// CHECK: heddle.generic over [3, 2] ins({{.*}}) maps [#[[TRANSPOSED]]]
func.func @transpose(%x: tensor<2x3xf32>) -> tensor<3x2xf32> {
  %y = heddle.transpose %x permutation [1, 0] : tensor<2x3xf32> -> tensor<3x2xf32>
  return %y : tensor<3x2xf32>
}

// Groups of dimensions that have equally many elements do not mix.
// CHECK-LABEL: func.func @heads
// CHECK: heddle.generic over ["b", "l", 4, 16] ins({{.*}}) maps [#[[HEADS]]]
func.func @heads(%x: tensor<?x?x64xf32> {heddle.sizes = ["b", "l"]}) -> tensor<?x?x4x16xf32> {
  %y = heddle.reshape %x to ["b", "l", -1, 16] : tensor<?x?x64xf32> -> tensor<?x?x4x16xf32>
  return %y : tensor<?x?x4x16xf32>
}

// CHECK-LABEL: func.func @tokens
// CHECK: heddle.generic over ["b * l", 64] ins({{.*}}) maps [#[[TOKENS]]] symbols ["l"]
func.func @tokens(%x: tensor<?x?x64xf32> {heddle.sizes = ["b", "l"]}) -> tensor<?x64xf32> {
  %y = heddle.reshape %x to [-1, 64] : tensor<?x?x64xf32> -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// CHECK-LABEL: func.func @backwards
// CHECK: heddle.generic over [5] ins({{.*}}) maps [#[[BACKWARDS]]]
func.func @backwards(%x: tensor<5xf32>) -> tensor<5xf32> {
  %y = heddle.slice %x offsets [4] sizes [5] steps [-1] : tensor<5xf32> -> tensor<5xf32>
  return %y : tensor<5xf32>
}

// CHECK-LABEL: func.func @pad
// CHECK: %[[I:.*]] = heddle.index 0
// CHECK: %[[LOW:.*]] = heddle.size "n"
// CHECK: %[[AT:.*]] = arith.subi %[[I]], %[[LOW]]
// CHECK: %[[ONE:.*]] = arith.constant 1.0
// CHECK: heddle.read %{{.*}}[%[[AT]]] fill(%[[ONE]])
func.func @pad(%x: tensor<?xf32> {heddle.sizes = ["n"]}) -> tensor<?xf32> {
  %y = heddle.pad %x low ["n"] high [0] value(1.0 : f32) : tensor<?xf32> -> tensor<?xf32>
  return %y : tensor<?xf32>
}

// A size that may be 1 has a stride of 0 or 1; what has the common sizes is nobody's op.
// CHECK-LABEL: func.func @broadcast
// CHECK-SAME: %[[X:.*]]: tensor<?x?xf32, #heddle.sizes<"n", "a">>, %[[Y:.*]]: tensor<?xf32, #heddle.sizes<"b">>, %[[Z:.*]]: tensor<1xf32>
// CHECK: %[[U:.*]] = heddle.generic over ["n", "min(b, min(1, a)) * max(a, b)"] ins(%[[X]] {{.*}}) maps [#[[ROWS]]] symbols ["min(1, floordiv(a, 2))"]
// CHECK: %[[V:.*]] = heddle.generic over ["n", "min(b, min(1, a)) * max(a, b)"] ins(%[[Y]] {{.*}}) maps [#[[ROW]]] symbols ["min(1, floordiv(b, 2))"]
// CHECK: %[[W:.*]] = heddle.generic over ["n", "min(b, min(1, a)) * max(a, b)"] ins(%[[Z]] {{.*}}) maps [#[[FIRST]]]
// CHECK: %[[S:.*]] = arith.addf %[[U]], %[[V]]
// CHECK: arith.mulf %[[S]], %[[W]]
func.func @broadcast(%x: tensor<?x?xf32> {heddle.sizes = ["n", "a"]}, %y: tensor<?xf32> {heddle.sizes = ["b"]}, %z: tensor<1xf32>) -> tensor<?x?xf32> {
  %u, %v, %w = heddle.broadcast_tensors %x, %y, %z : tensor<?x?xf32>, tensor<?xf32>, tensor<1xf32> -> tensor<?x?xf32>, tensor<?x?xf32>, tensor<?x?xf32>
  %s = arith.addf %u, %v : tensor<?x?xf32>
  %t, %r = heddle.broadcast_tensors %s, %w : tensor<?x?xf32>, tensor<?x?xf32> -> tensor<?x?xf32>, tensor<?x?xf32>
  %p = arith.mulf %t, %r : tensor<?x?xf32>
  return %p : tensor<?x?xf32>
}

// No size that is declared to be more is 1.
// CHECK-LABEL: func.func @broadcast_declared
// CHECK: heddle.generic over ["n"] ins({{.*}}) maps [#[[SAME]]]
func.func @broadcast_declared(%x: tensor<?xf32> {heddle.sizes = ["a"]}, %y: tensor<?xf32> {heddle.sizes = ["n"]}) -> tensor<?xf32>
    attributes {heddle.symbols = [#heddle.symbol<"a", 2 to 8>, #heddle.symbol<"n", 1 to 8>]} {
  %u = heddle.broadcast %x to ["n"] : tensor<?xf32> -> tensor<?xf32>
  return %u : tensor<?xf32>
}
