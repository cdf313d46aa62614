// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-lower-kernels=target-cpu=x86-64-v4 | FileCheck %s

// The squares of a row are summed in 16 lanes (64 = 4 * 16), these to one sum, and
// 1 / 64 makes it a mean.
// CHECK-LABEL: halide.pipeline @rms_norm
// CHECK: halide.update @partial(%[[LANE:.*]], %[[M:.*]]) reduce(%[[R:.*]] < 4)
// CHECK: %[[FIRST:.*]] = arith.muli %[[R]], %{{.*}}16
// CHECK: %[[C:.*]] = arith.addi %[[FIRST]], %[[LANE]]
// CHECK: halide.access @arg0(%[[C]], %[[M]])
// CHECK: halide.update @total(%{{.*}}) reduce(%{{.*}} < 16)
// CHECK: halide.func @inverse
// CHECK: arith.constant 1.562500e-02
// CHECK: math.sqrt
// CHECK: halide.func @norm(%[[C:.*]], %[[M:.*]]) : f32
// CHECK-DAG: halide.access @inverse(%[[M]])
// CHECK-DAG: halide.access @arg1(%[[C]])
// CHECK: halide.output @norm [64, %{{.*}}] strides [1, 64] to result(0)
heddle.kernel @rms_norm(%x: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %w: tensor<64xf32> {heddle.weight})
    -> (tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]}) {
  %y = heddle.rms_norm %x, %w epsilon(1.0e-5) : tensor<?x?x64xf32>, tensor<64xf32>
  heddle.yield %y : tensor<?x?x64xf32>
}
