// Contractions for the blocks of a device.
// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-decompose \
// RUN:   --heddle-set-target="cpu=x86-64-v4 device=opencl" --heddle-find-contractions --heddle-configure-kernels --heddle-lower-kernels | FileCheck %s

// 50 terms are tiles of 8: past the last one both operands are 0. Rows and columns past the
// last are those.
// CHECK-LABEL: halide.pipeline @linear_gelu
// CHECK: halide.func @row_tile(%[[M:.*]], %[[T:.*]], %[[TILE:.*]]) : f32
// CHECK: %[[FIRST:.*]] = arith.muli %[[TILE]], %{{.*}}8
// CHECK: %[[K:.*]] = arith.addi %[[FIRST]], %[[T]]
// CHECK: %[[THERE:.*]] = arith.cmpi slt, %[[K]], %{{.*}}50
// CHECK: %[[NEAR:.*]] = arith.minsi %[[K]]
// CHECK: %[[ROW:.*]] = arith.minsi %[[M]]
// CHECK: halide.access @arg0(%[[NEAR]], %[[ROW]])
// CHECK: arith.select %[[THERE]]
// CHECK: halide.func @column_tile(
// CHECK: halide.update @tile_sum(%[[N:.*]], %[[M:.*]]) reduce(%[[T:.*]] < 8, %[[TILE:.*]] < 7)
// CHECK: halide.access @row_tile(%[[M]], %[[T]], %[[TILE]])
// CHECK: halide.access @column_tile(%[[N]], %[[T]], %[[TILE]])

// Of few rows slices: one term of 16 each, so that threads read side by side.
// CHECK: halide.update @slice_sum(%{{.*}}, %{{.*}}, %[[SLICE:.*]]) reduce(%[[STEP:.*]] < 4)
// CHECK: %[[FIRST:.*]] = arith.muli %[[STEP]], %{{.*}}16
// CHECK: arith.addi %[[FIRST]], %[[SLICE]]
// CHECK: halide.where
// CHECK: halide.func @slices(
// CHECK: halide.update @sum_of_slices(

// What is made of the sums is there twice, and the output chooses.
// CHECK: halide.func @result(
// CHECK: halide.access @tile_sum
// CHECK: halide.func @result_few(
// CHECK: halide.access @sum_of_slices
// CHECK: halide.func @generic(
// CHECK: halide.access @result(
// CHECK: halide.func @generic_few(
// CHECK: halide.access @result_few(
// CHECK: halide.func @chosen(
// CHECK: %[[MANY:.*]] = arith.cmpi sge, %{{.*}}, %{{.*}}4
// CHECK: %[[A:.*]] = halide.access @generic(
// CHECK: %[[B:.*]] = halide.access @generic_few(
// CHECK: arith.select %[[MANY]], %[[A]], %[[B]]
// CHECK: halide.output @chosen
heddle.kernel @linear_gelu(%x: tensor<?x50xf32> {heddle.sizes = ["rows"]},
    %w: tensor<96x50xf32> {heddle.weight, heddle.layout = #heddle.layout<panels of 16 along 0>})
    -> (tensor<?x96xf32> {heddle.sizes = ["rows"]}) {
  %y = heddle.linear %x, %w : tensor<?x50xf32>, tensor<96x50xf32>
  %z = heddle.generic over ["rows", 96] ins(%y : tensor<?x96xf32>)
      maps [affine_map<(r, c) -> (r, c)>] {
  ^bb0(%a: f32):
    %s = arith.mulf %a, %a : f32
    heddle.yield %s : f32
  } : tensor<?x96xf32>
  heddle.yield %z : tensor<?x96xf32>
}

// A number of rows that is known has one form.
// CHECK-LABEL: halide.pipeline @three_rows
// CHECK-NOT: tile_sum
// CHECK: halide.update @sum_of_slices(
// CHECK: halide.output @result
heddle.kernel @three_rows(%x: tensor<3x64xf32>,
    %w: tensor<96x64xf32> {heddle.weight, heddle.layout = #heddle.layout<panels of 16 along 0>})
    -> tensor<3x96xf32> {
  %y = heddle.linear %x, %w : tensor<3x64xf32>, tensor<96x64xf32>
  heddle.yield %y : tensor<3x96xf32>
}

// CHECK-LABEL: halide.pipeline @four_rows
// CHECK: halide.update @tile_sum(
// CHECK-NOT: slices
heddle.kernel @four_rows(%x: tensor<4x64xf32>,
    %w: tensor<96x64xf32> {heddle.weight, heddle.layout = #heddle.layout<panels of 16 along 0>})
    -> tensor<4x96xf32> {
  %y = heddle.linear %x, %w : tensor<4x64xf32>, tensor<96x64xf32>
  heddle.yield %y : tensor<4x96xf32>
}

// A window of 3 and 1 over 24 channels has tiles of channels, 3 for each step of the window.
// CHECK-LABEL: halide.pipeline @window
// CHECK: halide.func @row_tile(%{{[a-z0-9_]+}}, %[[TERM:[a-z0-9_]+]], %[[TILE:[a-z0-9_]+]], %[[X:[a-z0-9_]+]], %[[Y:[a-z0-9_]+]]) : f32
// CHECK: %[[FIRST:.*]] = arith.muli %[[TILE]], %{{.*}}8
// CHECK: %[[CHANNEL:.*]] = arith.addi %[[FIRST]], %[[TERM]]
// CHECK: halide.access @arg0(%[[X]], %[[Y]], %[[CHANNEL]], %
// CHECK: halide.update @tile_sum({{.*}}) reduce(%{{.*}} < 8, %{{.*}} < 3, %{{.*}} < 1, %{{.*}} < 3)
heddle.kernel @window(%w: tensor<32x24x3x1xf32>, %x: tensor<24x3x512xf32>) -> tensor<32x512xf32> {
  %y = heddle.generic over [32, 512] reduce [24, 3, 1] initial [0.0 : f32]
      ins(%w, %x : tensor<32x24x3x1xf32>, tensor<24x3x512xf32>)
      maps [affine_map<(o, c, i, h, v) -> (o, i, h, v)>, affine_map<(o, c, i, h, v) -> (i, h, c)>] {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    heddle.yield %s : f32
  } : tensor<32x512xf32>
  heddle.yield %y : tensor<32x512xf32>
}

// The last dimension fills tiles, whose terms lie side by side, and stays theirs beside a longer one.
// CHECK-LABEL: halide.pipeline @heads
// CHECK: halide.func @row_tile(%{{[a-z0-9_]+}}, %[[TERM:[a-z0-9_]+]], %[[TILE:[a-z0-9_]+]], %[[HEAD:[a-z0-9_]+]]) : f32
// CHECK: %[[FIRST:.*]] = arith.muli %[[TILE]], %{{.*}}8
// CHECK: %[[CHANNEL:.*]] = arith.addi %[[FIRST]], %[[TERM]]
// CHECK: halide.access @arg0(%[[CHANNEL]], %[[HEAD]], %
heddle.kernel @heads(%x: tensor<512x64x32xf32>, %w: tensor<64x32x96xf32>) -> tensor<512x96xf32> {
  %y = heddle.generic over [512, 96] reduce [64, 32] initial [0.0 : f32]
      ins(%x, %w : tensor<512x64x32xf32>, tensor<64x32x96xf32>)
      maps [affine_map<(r, c, h, d) -> (r, h, d)>, affine_map<(r, c, h, d) -> (h, d, c)>] {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %p = arith.mulf %a, %b : f32
    %s = arith.addf %sum, %p : f32
    heddle.yield %s : f32
  } : tensor<512x96xf32>
  heddle.yield %y : tensor<512x96xf32>
}
