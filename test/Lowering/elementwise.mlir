// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-lower-kernels=target-cpu=x86-64-v4 | FileCheck %s

// One func for each op. silu(x) = x / (1 + 2^(-x log2(e))).
// CHECK-LABEL: halide.pipeline @gate
// CHECK: halide.func @activation(%[[C:.*]], %[[M:.*]]) : f32
// CHECK: %[[X:.*]] = halide.access @arg0(%[[C]], %[[M]])
// CHECK: arith.constant -1.44269
// CHECK: math.roundeven
// CHECK: arith.bitcast
// CHECK: %[[DENOMINATOR:.*]] = arith.addf
// CHECK: arith.divf %[[X]], %[[DENOMINATOR]]
// CHECK: halide.func @mulf(%[[C:.*]], %[[M:.*]]) : f32
// CHECK-DAG: %[[A:.*]] = halide.access @activation(%[[C]], %[[M]])
// CHECK-DAG: %[[Y:.*]] = halide.access @arg1(%[[C]], %[[M]])
// CHECK: arith.mulf %[[A]], %[[Y]] {halide.strict}
// CHECK: halide.output @mulf [64, %{{.*}}] strides [1, 64] to result(0)
heddle.kernel @gate(%x: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %y: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]})
    -> (tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]}) {
  %a = heddle.activation silu %x : tensor<?x?x64xf32>
  %p = arith.mulf %a, %y : tensor<?x?x64xf32>
  heddle.yield %p : tensor<?x?x64xf32>
}
