// RUN: heddle-opt %s --heddle-to-kernels | FileCheck %s

// Of a value that is read by its elements' numbers the kernel has one dimension.
// CHECK-DAG: #[[SUM:.*]] = affine_map<(d0, d1) -> (d0 + d1)>
// CHECK-DAG: #[[APART:.*]] = affine_map<(d0) -> (d0 floordiv 7, d0 mod 7)>

// CHECK-LABEL: heddle.kernel @sums
// CHECK-SAME: tensor<56xf32>
// CHECK: maps [#[[SUM]]]
func.func @sums(%x: tensor<8x7xf32>) -> tensor<50xf32> {
  %y = heddle.generic over [50] reduce [3] initial [0.0 : f32] ins(%x : tensor<8x7xf32>)
      maps [affine_map<(i, j) -> ((i + j) floordiv 7, (i + j) mod 7)>] {
  ^bb0(%a: f32, %sum: f32):
    %0 = arith.addf %sum, %a : f32
    heddle.yield %0 : f32
  } : tensor<50xf32>
  return %y : tensor<50xf32>
}

// Of sizes that calls choose, too.
// CHECK-LABEL: heddle.kernel @rows
// CHECK-SAME: tensor<?xf32, #heddle.sizes<"n * w">>
func.func @rows(%x: tensor<?x?xf32> {heddle.sizes = ["n", "w"]}) -> tensor<?x3xf32> {
  %flat = heddle.reshape %x to ["n * w"] : tensor<?x?xf32> -> tensor<?xf32>
  %y = heddle.generic over ["n * w", 3] ins(%flat : tensor<?xf32>) maps [affine_map<(i, j) -> (i)>] {
  ^bb0(%a: f32):
    %0 = math.exp %a : f32
    heddle.yield %0 : f32
  } : tensor<?x3xf32>
  return %y : tensor<?x3xf32>
}

// Not where another reads it by rows and columns, nor of another number.
// CHECK-LABEL: heddle.kernel @apart
// CHECK-SAME: tensor<8x7xf32>
// CHECK: maps [#[[APART]],
func.func @apart(%x: tensor<8x7xf32>) -> tensor<49xf32> {
  %y = heddle.generic over [49] ins(%x, %x : tensor<8x7xf32>, tensor<8x7xf32>)
      maps [affine_map<(i) -> (i floordiv 7, i mod 7)>, affine_map<(i) -> (i mod 8, 0)>] {
  ^bb0(%a: f32, %b: f32):
    %0 = arith.addf %a, %b : f32
    heddle.yield %0 : f32
  } : tensor<49xf32>
  return %y : tensor<49xf32>
}

// CHECK-LABEL: heddle.kernel @other_divisor
// CHECK-SAME: tensor<8x7xf32>
func.func @other_divisor(%x: tensor<8x7xf32>) -> tensor<48xf32> {
  %y = heddle.generic over [48] ins(%x : tensor<8x7xf32>) maps [affine_map<(i) -> (i floordiv 6, i mod 6)>] {
  ^bb0(%a: f32):
    %0 = math.exp %a : f32
    heddle.yield %0 : f32
  } : tensor<48xf32>
  return %y : tensor<48xf32>
}

// Nor where there are more elements than kernels count.
// CHECK-LABEL: heddle.kernel @many
// CHECK-SAME: tensor<65536x65536xi8>
func.func @many(%x: tensor<65536x65536xi8>) -> tensor<70000xi8> {
  %y = heddle.generic over [70000] ins(%x : tensor<65536x65536xi8>)
      maps [affine_map<(i) -> (i floordiv 65536, i mod 65536)>] {
  ^bb0(%a: i8):
    heddle.yield %a : i8
  } : tensor<70000xi8>
  return %y : tensor<70000xi8>
}

heddle.weight @w = dense<[[0.5, -1.0], [2.0, 4.0], [-8.0, 16.0]]> : tensor<3x2xf32>

// Nor of a weight, whose layout others choose.
// CHECK-LABEL: heddle.kernel @weight
// CHECK-SAME: tensor<3x2xf32>
func.func @weight() -> tensor<6xf32> {
  %w = heddle.weight_ref @w : tensor<3x2xf32>
  %y = heddle.generic over [6] ins(%w : tensor<3x2xf32>) maps [affine_map<(i) -> (i floordiv 2, i mod 2)>] {
  ^bb0(%a: f32):
    %0 = math.exp %a : f32
    heddle.yield %0 : f32
  } : tensor<6xf32>
  return %y : tensor<6xf32>
}
