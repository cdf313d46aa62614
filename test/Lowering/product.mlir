// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-decompose \
// RUN:   --heddle-set-target=cpu=x86-64-v4 --heddle-find-contractions --heddle-configure-kernels --heddle-lower-kernels | FileCheck %s

// Weights are read in panels of 64 columns, rows past the last as the last; the residual is
// added where the sums are stored.
// CHECK-LABEL: halide.pipeline @linear_addf
// CHECK: halide.input @arg1 [64, 64, 2] : f32 from argument(1)
// CHECK: halide.func @accumulator(%{{.*}}, %{{.*}}) : f32 reduction(contraction)
// CHECK-SAME: heddle.tile = {bits = 32 : i64, column = "d1", panel = 64 : i64, row = "d0"}
// CHECK: halide.update @accumulator(%[[N:.*]], %[[M:.*]]) reduce(%[[K:.*]] < 64)
// CHECK: %[[LANE:.*]] = halide.mod %[[N]], %{{.*}}64
// CHECK: %[[PANEL:.*]] = arith.floordivsi %[[N]], %{{.*}}64
// CHECK: halide.access @arg1(%[[LANE]], %[[K]], %[[PANEL]])
// CHECK: %[[ROW:.*]] = arith.minsi %[[M]]
// CHECK: halide.access @arg0(%[[K]], %[[ROW]])
// CHECK: halide.func @generic(%[[C:.*]], %[[R:.*]]) : f32
// CHECK-DAG: halide.access @arg2(%[[C]], %[[R]])
// CHECK-DAG: halide.access @result(%[[C]], %[[R]])
// CHECK: halide.output @generic [96, %{{.*}}] to result(0)
heddle.kernel @linear_addf(%x: tensor<?x64xf32> {heddle.sizes = ["rows"]},
    %w: tensor<96x64xf32> {heddle.weight, heddle.layout = #heddle.layout<panels of 64 along 0>},
    %residual: tensor<?x96xf32> {heddle.sizes = ["rows"]})
    -> (tensor<?x96xf32> {heddle.sizes = ["rows"]}) {
  %y = heddle.linear %x, %w : tensor<?x64xf32>, tensor<96x64xf32>
  %sum = heddle.generic over ["rows", 96] ins(%y, %residual : tensor<?x96xf32>, tensor<?x96xf32>)
      maps [affine_map<(r, c) -> (r, c)>, affine_map<(r, c) -> (r, c)>] {
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    heddle.yield %s : f32
  } : tensor<?x96xf32>
  heddle.yield %sum : tensor<?x96xf32>
}

// Panels along the second dimension of a weight, which a matrix product reads.
// CHECK-LABEL: halide.pipeline @matmul
// CHECK: halide.input @arg1 [64, 64, 2] : f32
// CHECK: halide.access @arg1(%{{.*}}, %[[K:.*]], %{{.*}}) : f32
heddle.kernel @matmul(%x: tensor<?x64xf32> {heddle.sizes = ["rows"]},
    %w: tensor<64x96xf32> {heddle.weight, heddle.layout = #heddle.layout<panels of 64 along 1>})
    -> (tensor<?x96xf32> {heddle.sizes = ["rows"]}) {
  %y = heddle.matmul %x, %w : tensor<?x64xf32>, tensor<64x96xf32> -> tensor<?x96xf32>
  heddle.yield %y : tensor<?x96xf32>
}

// Products and sums are f32 whatever the weights are.
// CHECK-LABEL: halide.pipeline @bf16
// CHECK: halide.input @arg1 [64, 64, 1] : bf16
// CHECK: %[[W:.*]] = halide.access @arg1({{.*}}) : bf16
// CHECK: arith.extf %[[W]] : bf16 to f32
heddle.kernel @bf16(%x: tensor<?x64xf32> {heddle.sizes = ["rows"]},
    %w: tensor<32x64xbf16> {heddle.weight, heddle.layout = #heddle.layout<panels of 64 along 0>})
    -> (tensor<?x32xf32> {heddle.sizes = ["rows"]}) {
  %y = heddle.linear %x, %w : tensor<?x64xf32>, tensor<32x64xbf16>
  heddle.yield %y : tensor<?x32xf32>
}

// Deep sums are made of blocks: a single f32 accumulator would lose what 8192 terms have in
// common.
// CHECK-LABEL: halide.pipeline @deep
// CHECK: halide.update @block_sum({{.*}}) reduce(%{{.*}} < 2048)
// CHECK: halide.update @accumulator({{.*}}) reduce(%{{.*}} < 4)
heddle.kernel @deep(%x: tensor<?x8192xf32> {heddle.sizes = ["rows"]},
    %w: tensor<32x8192xf32> {heddle.weight, heddle.layout = #heddle.layout<panels of 64 along 0>})
    -> (tensor<?x32xf32> {heddle.sizes = ["rows"]}) {
  %y = heddle.linear %x, %w : tensor<?x8192xf32>, tensor<32x8192xf32>
  heddle.yield %y : tensor<?x32xf32>
}

// Two integers of 4 bits are in a byte, of neighbours along the depth; scales that are in no
// panels end where the columns do.
// CHECK-LABEL: halide.pipeline @halves
// CHECK: halide.input @arg1 [64, 32, 2] : ui8
// CHECK: halide.input @arg2 [2, 96] : bf16
// CHECK: halide.update @accumulator(%[[N:.*]], %{{.*}}) reduce(%[[K:.*]] < 64)
// CHECK: %[[PAIR:.*]] = arith.floordivsi %[[K]], %{{.*}}2
// CHECK: %[[BYTE:.*]] = halide.access @arg1(%{{.*}}, %[[PAIR]], %{{.*}}) : i8
// CHECK: %[[WIDE:.*]] = arith.extui %[[BYTE]] : i8 to i16
// CHECK: arith.shli %[[WIDE]], %c12
// CHECK: %[[LOWER:.*]] = arith.shrsi %{{.*}}, %c12
// CHECK: arith.shli %[[WIDE]], %c8
// CHECK: %[[UPPER:.*]] = arith.shrsi %{{.*}}, %c12
// CHECK: arith.select %{{.*}}, %[[UPPER]], %[[LOWER]] : i16
// CHECK: %[[LAST:.*]] = arith.minsi %[[N]]
// CHECK: halide.access @arg2(%{{.*}}, %[[LAST]])
heddle.kernel @halves(%x: tensor<?x64xf32> {heddle.sizes = ["rows"]},
    %w: tensor<96x64xi4> {heddle.weight, heddle.layout = #heddle.layout<panels of 64 along 0>},
    %s: tensor<96x2xbf16> {heddle.weight}) -> (tensor<?x96xf32> {heddle.sizes = ["rows"]}) {
  %y = heddle.generic over ["rows", 96] reduce [64] initial [0.0 : f32]
      ins(%x, %w, %s : tensor<?x64xf32>, tensor<96x64xi4>, tensor<96x2xbf16>)
      maps [affine_map<(r, c, k) -> (r, k)>, affine_map<(r, c, k) -> (c, k)>, affine_map<(r, c, k) -> (c, k floordiv 32)>] {
  ^bb0(%a: f32, %code: i8, %scale: bf16, %sum: f32):
    %0 = arith.sitofp %code : i8 to f32
    %1 = arith.extf %scale : bf16 to f32
    %2 = arith.mulf %0, %1 : f32
    %3 = arith.mulf %a, %2 : f32
    %4 = arith.addf %sum, %3 : f32
    heddle.yield %4 : f32
  } : tensor<?x96xf32>
  heddle.yield %y : tensor<?x96xf32>
}
