// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-decompose --heddle-generalize-elementwise --heddle-merge-generics | FileCheck %s

// CHECK-DAG: #[[HEADS:.*]] = affine_map<(d0, d1, d2, d3) -> (d0, d2, d1 * 16 + d3)>
// CHECK-DAG: #[[STRIDED:.*]] = affine_map<(d0, d1)[s0, s1] -> (d0, d1 * s0)>
// CHECK-DAG: #[[COLUMN:.*]] = affine_map<(d0, d1)[s0, s1] -> (d1 * s1, 0)>
// CHECK-DAG: #[[ROWS:.*]] = affine_map<(d0, d1) -> (d1, d0)>

// A chain of elementwise ops is one body.
// CHECK-LABEL: func.func @chain
// CHECK: heddle.generic over [4, 8]
// CHECK: math.exp
// CHECK: arith.addf
// CHECK: math.sqrt
// CHECK-NOT: heddle.generic
func.func @chain(%x: tensor<4x8xf32>, %y: tensor<4x8xf32>) -> tensor<4x8xf32> {
  %0 = math.exp %x : tensor<4x8xf32>
  %1 = arith.addf %0, %y : tensor<4x8xf32>
  %2 = math.sqrt %1 : tensor<4x8xf32>
  return %2 : tensor<4x8xf32>
}

// Maps of views are composed, and simplified with the sizes of dimensions.
// CHECK-LABEL: func.func @views
// CHECK-COUNT-1: heddle.generic over ["b", 4, "l", 16] ins(%{{.*}} : {{.*}}) maps [#[[HEADS]]]
// CHECK-NOT: heddle.generic
func.func @views(%x: tensor<?x?x64xf32> {heddle.sizes = ["b", "l"]}) -> tensor<?x4x?x16xf32> {
  %0 = heddle.reshape %x to ["b", "l", 4, 16] : tensor<?x?x64xf32> -> tensor<?x?x4x16xf32>
  %1 = heddle.transpose %0 permutation [0, 2, 1, 3] : tensor<?x?x4x16xf32> -> tensor<?x4x?x16xf32>
  return %1 : tensor<?x4x?x16xf32>
}

// A reshape to rows and back is nothing.
// CHECK-LABEL: func.func @rows_and_back
// CHECK: heddle.generic over ["b", "l", 64]
// CHECK-NOT: floordiv
// CHECK: math.exp
// CHECK-NOT: heddle.generic
func.func @rows_and_back(%x: tensor<?x?x64xf32> {heddle.sizes = ["b", "l"]}) -> tensor<?x?x64xf32> {
  %0 = heddle.reshape %x to [-1, 64] : tensor<?x?x64xf32> -> tensor<?x64xf32>
  %1 = heddle.reshape %0 to ["b", "l", 64] : tensor<?x64xf32> -> tensor<?x?x64xf32>
  %2 = math.exp %1 : tensor<?x?x64xf32>
  return %2 : tensor<?x?x64xf32>
}

// An index of the producer is a coordinate of the reader.
// CHECK-LABEL: func.func @index
// CHECK: heddle.generic over [6, 5] ins(%{{.*}} : tensor<5x6xf32>) maps [#[[ROWS]]]
// CHECK: heddle.index 1
// CHECK: arith.sitofp
// CHECK-NOT: heddle.generic
func.func @index(%x: tensor<5x6xf32>) -> tensor<6x5xf32> {
  %0 = heddle.iota axis(0) sizes [5, 6] : tensor<5x6xf32>
  %1 = arith.mulf %x, %0 : tensor<5x6xf32>
  %2 = heddle.transpose %1 permutation [1, 0] : tensor<5x6xf32> -> tensor<6x5xf32>
  return %2 : tensor<6x5xf32>
}

// What is read several times is computed once: by two ops, or for each column.
// CHECK-LABEL: func.func @shared
// CHECK: %[[E:.*]] = heddle.generic over [4, 8]
// CHECK: math.exp
// CHECK: heddle.generic over [4, 8] ins(%[[E]]
// CHECK: heddle.generic over [4, 4] reduce [8] {{.*}} ins(%[[E]]
func.func @shared(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x4xf32>) {
  %0 = math.exp %x : tensor<4x8xf32>
  %1 = arith.mulf %0, %x : tensor<4x8xf32>
  %2 = heddle.matmul %0, %x transpose_b : tensor<4x8xf32>, tensor<4x8xf32> -> tensor<4x4xf32>
  return %1, %2 : tensor<4x8xf32>, tensor<4x4xf32>
}

// What is broadcast is read where it is, with a stride; so is a view of it.
// CHECK-LABEL: func.func @broadcast
// CHECK: heddle.generic {{.*}} maps [#[[STRIDED]], #[[COLUMN]]] symbols ["min(1, floordiv(a, 2))", "min(1, floordiv(b, 2))"]
// CHECK: arith.addf
// CHECK-NOT: heddle.generic
func.func @broadcast(%x: tensor<?x?xf32> {heddle.sizes = ["n", "a"]}, %y: tensor<?x1xf32> {heddle.sizes = ["b"]}) -> tensor<?x?xf32> {
  %0 = heddle.transpose %y permutation [1, 0] : tensor<?x1xf32> -> tensor<1x?xf32>
  %1:2 = heddle.broadcast_tensors %x, %0 : tensor<?x?xf32>, tensor<1x?xf32> -> tensor<?x?xf32>, tensor<?x?xf32>
  %2 = arith.addf %1#0, %1#1 : tensor<?x?xf32>
  return %2 : tensor<?x?xf32>
}

// What several windows have is computed once; windows side by side have nothing in common.
// CHECK-LABEL: func.func @windows
// CHECK: heddle.generic over [16]
// CHECK: math.exp
// CHECK: heddle.generic over [7] reduce [3]
// CHECK-NOT: math.exp
// CHECK: return
func.func @windows(%x: tensor<16xf32>) -> tensor<7xf32> {
  %e = math.exp %x : tensor<16xf32>
  %y = heddle.generic over [7] reduce [3] initial [0.0 : f32] ins(%e : tensor<16xf32>) maps [affine_map<(i, j) -> (i * 2 + j)>] {
  ^bb0(%a: f32, %sum: f32):
    %0 = arith.addf %sum, %a : f32
    heddle.yield %0 : f32
  } : tensor<7xf32>
  return %y : tensor<7xf32>
}

// CHECK-LABEL: func.func @blocks
// CHECK: heddle.generic over [8] reduce [2]
// CHECK: math.exp
// CHECK-NOT: heddle.generic
func.func @blocks(%x: tensor<16xf32>) -> tensor<8xf32> {
  %e = math.exp %x : tensor<16xf32>
  %y = heddle.generic over [8] reduce [2] initial [0.0 : f32] ins(%e : tensor<16xf32>) maps [affine_map<(i, j) -> (i * 2 + j)>] {
  ^bb0(%a: f32, %sum: f32):
    %0 = arith.addf %sum, %a : f32
    heddle.yield %0 : f32
  } : tensor<8xf32>
  return %y : tensor<8xf32>
}

// Nor have the taps of one window that are in different phases; those of two windows have.
// CHECK-LABEL: func.func @phases
// CHECK: heddle.generic over [2, 8]
// CHECK: math.exp
// CHECK: heddle.generic over [7] reduce [3]
// CHECK-NOT: math.exp
// CHECK: return
func.func @phases(%x: tensor<2x8xf32>) -> tensor<7xf32> {
  %e = math.exp %x : tensor<2x8xf32>
  %y = heddle.generic over [7] reduce [3] initial [0.0 : f32] ins(%e : tensor<2x8xf32>)
      maps [affine_map<(i, k) -> (k mod 2, i + k floordiv 2)>] {
  ^bb0(%a: f32, %sum: f32):
    %0 = arith.addf %sum, %a : f32
    heddle.yield %0 : f32
  } : tensor<7xf32>
  return %y : tensor<7xf32>
}

// Another coordinate tells the rows apart whose windows overlap.
// CHECK-LABEL: func.func @relative
// CHECK: heddle.generic over [8, 8]
// CHECK: math.exp
// CHECK-NOT: heddle.generic
func.func @relative(%x: tensor<8x15xf32>) -> tensor<8x8xf32> {
  %e = math.exp %x : tensor<8x15xf32>
  %y = heddle.generic over [8, 8] ins(%e : tensor<8x15xf32>) maps [affine_map<(q, k) -> (q, k - q + 7)>] {
  ^bb0(%a: f32):
    heddle.yield %a : f32
  } : tensor<8x8xf32>
  return %y : tensor<8x8xf32>
}

// Weights of integers are decoded where they are read, by every reader.
// CHECK-LABEL: func.func @decoded
// CHECK-COUNT-2: ins(%{{.*}}, %{{.*}}, %{{.*}} : tensor<?x64xf32, #heddle.sizes<"n">>, tensor<32x64xi8>, tensor<32x2xf16>)
// CHECK-NOT: heddle.generic
heddle.weight @q from "q" : tensor<32x64xi8>
heddle.weight @s from "s" : tensor<32x2xf16>
func.func @decoded(%x: tensor<?x64xf32> {heddle.sizes = ["n"]}) -> (tensor<?x32xf32>, tensor<?x32xf32>) {
  %q = heddle.weight_ref @q : tensor<32x64xi8>
  %s = heddle.weight_ref @s : tensor<32x2xf16>
  %w = heddle.dequantize %q, %s axis(1) : tensor<32x64xi8>, tensor<32x2xf16> -> tensor<32x64xf32>
  %y = heddle.linear %x, %w : tensor<?x64xf32>, tensor<32x64xf32>
  %e = math.exp %x : tensor<?x64xf32>
  %z = heddle.linear %e, %w : tensor<?x64xf32>, tensor<32x64xf32>
  return %y, %z : tensor<?x32xf32>, tensor<?x32xf32>
}

// What is known of one op's inputs does not hold for others.
// CHECK-LABEL: func.func @negated
// CHECK-NOT: heddle.contraction
// CHECK: return
func.func @negated(%x: tensor<7x48xf32>, %w: tensor<64x48xf32>) -> tensor<7x64xf32> {
  %n = arith.negf %x : tensor<7x48xf32>
  %y = heddle.generic over [7, 64] reduce [48] initial [0.0 : f32]
      ins(%n, %w : tensor<7x48xf32>, tensor<64x48xf32>)
      maps [affine_map<(r, c, k) -> (r, k)>, affine_map<(r, c, k) -> (c, k)>]
      attributes {heddle.contraction = #heddle.contraction<rows(0) columns(1)>} {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %0 = arith.mulf %a, %b : f32
    %1 = arith.addf %sum, %0 : f32
    heddle.yield %1 : f32
  } : tensor<7x64xf32>
  return %y : tensor<7x64xf32>
}

// Elements of tables are decoded where they are read.
// CHECK-LABEL: func.func @looked_up
// CHECK: heddle.generic {{.*}} tables(%{{.*}}, %{{.*}} : tensor<32x64xi8>, tensor<32x2xf16>)
// CHECK: ^bb0(%[[ID:.*]]: i32, %[[Q:.*]]: tensor<32x64xi8>, %[[S:.*]]: tensor<32x2xf16>)
// CHECK: %[[K:.*]] = heddle.index 1
// CHECK: heddle.read %[[Q]][%[[ID]], %[[K]]]
// CHECK: %[[G:.*]] = arith.floordivsi %[[K]], %{{.*}}
// CHECK: heddle.read %[[S]][%[[ID]], %[[G]]]
// CHECK-NOT: heddle.generic
// CHECK: return
func.func @looked_up(%ids: tensor<?xi32> {heddle.sizes = ["n"]}) -> tensor<?x64xf32> {
  %q = heddle.weight_ref @q : tensor<32x64xi8>
  %s = heddle.weight_ref @s : tensor<32x2xf16>
  %w = heddle.dequantize %q, %s axis(1) : tensor<32x64xi8>, tensor<32x2xf16> -> tensor<32x64xf32>
  %y = heddle.gather %w, %ids axis(0) : tensor<32x64xf32>, tensor<?xi32> -> tensor<?x64xf32>
  return %y : tensor<?x64xf32>
}

// Of a table in other dimensions, the element that is nearest to an index outside is another
// one in the weight: such a table is made first.
// CHECK-LABEL: func.func @reshaped
// CHECK: heddle.generic
// CHECK: heddle.generic {{.*}} tables(%{{.*}} : tensor<4x3xf32>)
heddle.weight @narrow from "narrow" : tensor<2x6xbf16>
func.func @reshaped(%ids: tensor<?xi32> {heddle.sizes = ["n"]}) -> tensor<?x3xf32> {
  %w = heddle.weight_ref @narrow : tensor<2x6xbf16>
  %r = heddle.reshape %w to [4, 3] : tensor<2x6xbf16> -> tensor<4x3xbf16>
  %e = arith.extf %r : tensor<4x3xbf16> to tensor<4x3xf32>
  %y = heddle.gather %e, %ids axis(0) : tensor<4x3xf32>, tensor<?xi32> -> tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}
