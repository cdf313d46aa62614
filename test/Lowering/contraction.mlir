// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-lower-kernels=target-cpu=x86-64-v4 | FileCheck %s

// Weights are read in panels of 64 columns; the residual is added where the sums are
// stored.
// CHECK-LABEL: halide.pipeline @linear_addf
// CHECK: halide.input @arg1 [64, 64, 2] : f32 from argument(1)
// CHECK: halide.func @accumulator(%{{.*}}, %{{.*}}) : f32 reduction(contraction)
// CHECK: halide.update @accumulator(%[[N:.*]], %[[M:.*]]) reduce(%[[K:.*]] < 64)
// CHECK: %[[LANE:.*]] = halide.mod %[[N]], %{{.*}}64
// CHECK: %[[PANEL:.*]] = arith.floordivsi %[[N]], %{{.*}}64
// CHECK: halide.access @arg1(%[[LANE]], %[[K]], %[[PANEL]])
// CHECK: halide.access @arg0(%[[K]], %[[M]])
// CHECK: halide.func @addf(%[[C:.*]], %[[ROW:.*]]) : f32
// CHECK-DAG: halide.access @arg2(%[[C]], %[[ROW]])
// CHECK-DAG: halide.access @linear(%[[C]], %[[ROW]])
// CHECK: halide.output @addf [96, %{{.*}}] strides [1, 128] to result(0)
heddle.kernel @linear_addf(%x: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %w: tensor<96x64xf32> {heddle.weight},
    %residual: tensor<?x?x96xf32> {heddle.sizes = ["batch", "length"]})
    -> (tensor<?x?x96xf32> {heddle.sizes = ["batch", "length"]}) {
  %y = heddle.linear %x, %w : tensor<?x?x64xf32>, tensor<96x64xf32>
  %sum = arith.addf %residual, %y : tensor<?x?x96xf32>
  heddle.yield %sum : tensor<?x?x96xf32>
}

// Columns that do not fill the last panel: rows have room for whole panels.
// CHECK-LABEL: halide.pipeline @half_panel
// CHECK: halide.input @arg1 [64, 64, 1] : f32
// CHECK: halide.output {{.*}}[40, %{{.*}}] strides [1, 64]
heddle.kernel @half_panel(%x: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %w: tensor<40x64xf32> {heddle.weight})
    -> (tensor<?x?x40xf32> {heddle.sizes = ["batch", "length"]}) {
  %y = heddle.linear %x, %w : tensor<?x?x64xf32>, tensor<40x64xf32>
  heddle.yield %y : tensor<?x?x40xf32>
}

// Products and sums are f32 whatever the weights are.
// CHECK-LABEL: halide.pipeline @bf16
// CHECK: halide.input @arg1 [64, 64, 1] : bf16
// CHECK: %[[W:.*]] = halide.access @arg1({{.*}}) : bf16
// CHECK: arith.extf %[[W]] : bf16 to f32
heddle.kernel @bf16(%x: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %w: tensor<32x64xbf16> {heddle.weight})
    -> (tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]}) {
  %y = heddle.linear %x, %w : tensor<?x?x64xf32>, tensor<32x64xbf16>
  heddle.yield %y : tensor<?x?x32xf32>
}
