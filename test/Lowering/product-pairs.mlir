// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-find-contractions --heddle-set-target=cpu=znver4 \
// RUN:   --heddle-configure-kernels --heddle-lower-kernels | FileCheck %s

// Products of bf16 are added up in pairs, which lie side by side. Their order is the instruction's.
// CHECK-LABEL: halide.pipeline @linear
// CHECK: halide.input @arg1 [2, 48, 32, 2] : bf16
// CHECK: halide.update @accumulator(%[[N:.*]], %[[M:.*]]) reduce(%[[TERM:.*]] < 2, %[[PAIR:.*]] < 32)
// CHECK: %[[FIRST:.*]] = arith.muli %[[PAIR]], %{{.*}}2
// CHECK: %[[K:.*]] = arith.addi %[[FIRST]], %[[TERM]]
// CHECK: halide.access @arg1(%[[TERM]], %{{.*}}, %[[PAIR]], %{{.*}}) : bf16
// CHECK: halide.access @arg0(%[[K]], %{{.*}}) : bf16
// CHECK: arith.mulf %{{.*}} {halide.reordered} : f32
// CHECK: arith.addf %{{.*}} {halide.reordered} : f32
heddle.kernel @linear(%x: tensor<?x64xbf16> {heddle.sizes = ["rows"]},
    %w: tensor<96x64xbf16> {heddle.weight, heddle.layout = #heddle.layout<panels of 48 along 0 groups of 2>})
    -> (tensor<?x96xf32> {heddle.sizes = ["rows"]}) {
  %y = heddle.generic over ["rows", 96] reduce [64] initial [0.0 : f32]
      ins(%x, %w : tensor<?x64xbf16>, tensor<96x64xbf16>)
      maps [affine_map<(r, c, k) -> (r, k)>, affine_map<(r, c, k) -> (c, k)>] {
  ^bb0(%a: bf16, %b: bf16, %sum: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %sum, %2 : f32
    heddle.yield %3 : f32
  } : tensor<?x96xf32>
  heddle.yield %y : tensor<?x96xf32>
}

// Deep sums are made of blocks of whole pairs; the last block has fewer.
// CHECK-LABEL: halide.pipeline @deep
// CHECK: halide.update @block_sum(%{{.*}}, %{{.*}}, %[[BLOCK:.*]]) reduce(%[[TERM:.*]] < 2, %[[PLACE:.*]] < 512)
// CHECK: %[[PAIR:.*]] = arith.addi %{{.*}}, %[[PLACE]]
// CHECK: %[[THERE:.*]] = arith.cmpi slt, %[[PAIR]], %{{.*}}1031
// CHECK: halide.where %[[THERE]]
heddle.kernel @deep(%x: tensor<?x2062xbf16> {heddle.sizes = ["rows"]},
    %w: tensor<96x2062xbf16> {heddle.weight, heddle.layout = #heddle.layout<panels of 48 along 0 groups of 2>})
    -> (tensor<?x96xf32> {heddle.sizes = ["rows"]}) {
  %y = heddle.generic over ["rows", 96] reduce [2062] initial [0.0 : f32]
      ins(%x, %w : tensor<?x2062xbf16>, tensor<96x2062xbf16>)
      maps [affine_map<(r, c, k) -> (r, k)>, affine_map<(r, c, k) -> (c, k)>] {
  ^bb0(%a: bf16, %b: bf16, %sum: f32):
    %0 = arith.extf %a : bf16 to f32
    %1 = arith.extf %b : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.addf %sum, %2 : f32
    heddle.yield %3 : f32
  } : tensor<?x96xf32>
  heddle.yield %y : tensor<?x96xf32>
}
