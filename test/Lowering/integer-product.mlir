// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-decompose --heddle-generalize-elementwise --heddle-merge-generics \
// RUN:   --heddle-set-target=cpu=icelake-server --heddle-find-contractions --heddle-assign-layouts --heddle-form-kernels \
// RUN:   --heddle-configure-kernels --heddle-lower-kernels | FileCheck %s

heddle.weight @halves = dense<5> : tensor<96x64xui4>
heddle.weight @bytes = dense<5> : tensor<96x64xi8>
heddle.weight @groups = dense<0.5> : tensor<96x4xf32>
heddle.weight @rows = dense<0.5> : tensor<96x1xf32>
heddle.weight @minimums = dense<0.5> : tensor<96x4xf16>
heddle.weight @two = dense<0.5> : tensor<96x2xf16>

// Pairs are of i16; what is subtracted is added up with the blocks, from panels of the same width, and
// is 0 where it was.
// CHECK-LABEL: halide.pipeline @pairs_linear2_subf
// CHECK: halide.input @arg2 [2, 32, 8, 3] : ui16
// CHECK: halide.input @arg5 [32, 4, 3] : f16
// CHECK: halide.update @block_sum(%{{.*}}, %{{.*}}, %{{.*}}) reduce(%term < 2, %share < 4, %place < 2)
// CHECK: arith.extsi %{{.*}} : i16 to i32
// CHECK: arith.extsi %{{.*}} : i16 to i32
// CHECK: halide.update @accumulator(%[[N:.*]], %[[M:.*]]) reduce(%[[BLOCK:.*]] < 4)
// CHECK: %[[OLD:.*]] = halide.access @accumulator(%[[N]], %[[M]])
// CHECK: halide.access @block_sum(%[[N]], %[[M]], %[[BLOCK]])
// CHECK: %[[SUM:.*]] = arith.addf %[[OLD]], %{{.*}}
// CHECK: halide.access @arg4(%[[BLOCK]], %{{.*}}) : f32
// CHECK: %[[LESS:.*]] = arith.subf %[[SUM]], %{{.*}}
// CHECK-NEXT: halide.yield %[[LESS]]
// CHECK: halide.func @[[NOTHING:result_.*]](%{{.*}}, %{{.*}}) : f32
// CHECK-NEXT: arith.constant 0.000000e+00
// CHECK-NEXT: halide.yield
// CHECK-NOT: halide.update
// CHECK: halide.access @[[NOTHING]]
func.func @pairs(%q: tensor<?x64xi16> {heddle.sizes = ["n"]}, %s: tensor<?x4xf32> {heddle.sizes = ["n"]},
    %sums: tensor<?x4xf32> {heddle.sizes = ["n"]}) -> tensor<?x96xf32> {
  %c = heddle.weight_ref @halves : tensor<96x64xui4>
  %t = heddle.weight_ref @groups : tensor<96x4xf32>
  %m = heddle.weight_ref @minimums : tensor<96x4xf16>
  %d = heddle.dequantize %q, %s axis(1) : tensor<?x64xi16>, tensor<?x4xf32> -> tensor<?x64xf32>
  %w = heddle.dequantize %c, %t axis(1) : tensor<96x64xui4>, tensor<96x4xf32> -> tensor<96x64xf32>
  %y = heddle.linear %d, %w : tensor<?x64xf32>, tensor<96x64xf32>
  %o = heddle.linear %sums, %m : tensor<?x4xf32>, tensor<96x4xf16>
  %z = arith.subf %y, %o : tensor<?x96xf32>
  return %z : tensor<?x96xf32>
}

// Fours are of bytes, of which two halves share one.
// CHECK-LABEL: halide.pipeline @fours_linear
// CHECK: halide.input @arg2 [4, 32, 8, 3] : ui8
// CHECK: halide.update @block_sum(%{{.*}}, %{{.*}}, %{{.*}}) reduce(%term < 4, %share < 2, %place < 8)
// CHECK: halide.access @arg0(%{{.*}}, %{{.*}}) : i8
// CHECK-NEXT: arith.extsi %{{.*}} : i8 to i32
// CHECK: arith.extui %{{.*}} : i8 to i32
// CHECK-NEXT: arith.muli
func.func @fours(%q: tensor<?x64xi8> {heddle.sizes = ["n"]}, %s: tensor<?x1xf32> {heddle.sizes = ["n"]})
    -> tensor<?x96xf32> {
  %c = heddle.weight_ref @halves : tensor<96x64xui4>
  %t = heddle.weight_ref @rows : tensor<96x1xf32>
  %d = heddle.dequantize %q, %s axis(1) : tensor<?x64xi8>, tensor<?x1xf32> -> tensor<?x64xf32>
  %w = heddle.dequantize %c, %t axis(1) : tensor<96x64xui4>, tensor<96x1xf32> -> tensor<96x64xf32>
  %y = heddle.linear %d, %w : tensor<?x64xf32>, tensor<96x64xf32>
  return %y : tensor<?x96xf32>
}

// Rows that the scale of columns multiplies are subtracted before it does.
// CHECK-LABEL: halide.pipeline @signs_linear2_subf
// CHECK: halide.update @accumulator(%[[N:.*]], %[[M:.*]]) reduce(%[[BLOCK:.*]] < 4)
// CHECK: %[[SUM:.*]] = arith.sitofp %{{.*}} : i32 to f32
// CHECK-NEXT: %[[SCALED:.*]] = arith.mulf %[[SUM]], %{{.*}}
// CHECK: halide.access @arg4(%[[BLOCK]], %{{.*}}) : f32
// CHECK: %[[LESS:.*]] = arith.subf %[[SCALED]], %{{.*}}
// CHECK-NEXT: %[[TERM:.*]] = arith.mulf %[[LESS]], %{{.*}}
// CHECK-NEXT: arith.addf %{{.*}}, %[[TERM]]
// CHECK-NEXT: halide.yield
func.func @signs(%q: tensor<?x64xi16> {heddle.sizes = ["n"]}, %s: tensor<?x4xf32> {heddle.sizes = ["n"]},
    %sums: tensor<?x4xf32> {heddle.sizes = ["n"]}) -> tensor<?x96xf32> {
  %c = heddle.weight_ref @halves : tensor<96x64xui4>
  %t = heddle.weight_ref @groups : tensor<96x4xf32>
  %d = heddle.dequantize %q, %s axis(1) : tensor<?x64xi16>, tensor<?x4xf32> -> tensor<?x64xf32>
  %w = heddle.dequantize %c, %t axis(1) : tensor<96x64xui4>, tensor<96x4xf32> -> tensor<96x64xf32>
  %y = heddle.linear %d, %w : tensor<?x64xf32>, tensor<96x64xf32>
  %o = heddle.linear %sums, %t : tensor<?x4xf32>, tensor<96x4xf32>
  %z = arith.subf %y, %o : tensor<?x96xf32>
  return %z : tensor<?x96xf32>
}

// Rows that its square multiplies are not.
// CHECK-LABEL: halide.pipeline @squares_linear
// CHECK: halide.update @accumulator(%{{.*}}, %{{.*}}) reduce(%{{.*}} < 4)
// CHECK: %[[SUM:.*]] = arith.addf
// CHECK: %[[OFFSET:.*]] = arith.mulf
// CHECK: arith.subf %[[SUM]], %{{.*}}
// CHECK-NEXT: halide.yield
func.func @squares(%q: tensor<?x64xi16> {heddle.sizes = ["n"]}, %s: tensor<?x4xf32> {heddle.sizes = ["n"]},
    %sums: tensor<?x4xf32> {heddle.sizes = ["n"]}) -> tensor<?x96xf32> {
  %c = heddle.weight_ref @halves : tensor<96x64xui4>
  %t = heddle.weight_ref @groups : tensor<96x4xf32>
  %d = heddle.dequantize %q, %s axis(1) : tensor<?x64xi16>, tensor<?x4xf32> -> tensor<?x64xf32>
  %w = heddle.dequantize %c, %t axis(1) : tensor<96x64xui4>, tensor<96x4xf32> -> tensor<96x64xf32>
  %y = heddle.linear %d, %w : tensor<?x64xf32>, tensor<96x64xf32>
  %o = heddle.generic over ["n", 96] reduce [4] initial [0.0 : f32]
      ins(%sums, %t : tensor<?x4xf32>, tensor<96x4xf32>)
      maps [affine_map<(r, c, k) -> (r, k)>, affine_map<(r, c, k) -> (c, k)>] {
  ^bb0(%a: f32, %b: f32, %sum: f32):
    %1 = arith.mulf %b, %b : f32
    %2 = arith.mulf %a, %1 : f32
    %3 = arith.addf %sum, %2 : f32
    heddle.yield %3 : f32
  } : tensor<?x96xf32>
  %z = arith.subf %y, %o : tensor<?x96xf32>
  return %z : tensor<?x96xf32>
}

// Two terms for each block are a product of their own.
// CHECK-LABEL: halide.pipeline @others_linear2_subf
// CHECK: halide.update @block_sum
// CHECK: halide.update @accumulator
// CHECK-NOT: arith.subf
// CHECK: halide.update @accumulator_{{.*}}(%{{.*}}, %{{.*}}) reduce(%{{.*}} < 2)
// CHECK: arith.subf
func.func @others(%q: tensor<?x64xi16> {heddle.sizes = ["n"]}, %s: tensor<?x1xf32> {heddle.sizes = ["n"]},
    %sums: tensor<?x2xf32> {heddle.sizes = ["n"]}) -> tensor<?x96xf32> {
  %c = heddle.weight_ref @bytes : tensor<96x64xi8>
  %t = heddle.weight_ref @rows : tensor<96x1xf32>
  %m = heddle.weight_ref @two : tensor<96x2xf16>
  %d = heddle.dequantize %q, %s axis(1) : tensor<?x64xi16>, tensor<?x1xf32> -> tensor<?x64xf32>
  %w = heddle.dequantize %c, %t axis(1) : tensor<96x64xi8>, tensor<96x1xf32> -> tensor<96x64xf32>
  %y = heddle.linear %d, %w : tensor<?x64xf32>, tensor<96x64xf32>
  %o = heddle.linear %sums, %m : tensor<?x2xf32>, tensor<96x2xf16>
  %z = arith.subf %y, %o : tensor<?x96xf32>
  return %z : tensor<?x96xf32>
}
