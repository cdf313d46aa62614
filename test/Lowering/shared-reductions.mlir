// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-lower-kernels=target-cpu=x86-64-v4 | FileCheck %s

// A contraction that two results read is computed once, into the workspace.
// CHECK-LABEL: halide.pipeline @two_results
// CHECK: halide.output @maximumf [60, %{{.*}}] strides [1, 64] to result(0)
// CHECK: halide.output @addf [60, %{{.*}}] strides [1, 64] to result(1)
// CHECK: halide.output @linear [60, %{{.*}}] strides [1, 64]{{$}}
heddle.kernel @two_results(%x: tensor<?x60xf32> {heddle.sizes = ["rows"]},
    %w: tensor<60x60xf32> {heddle.weight})
    -> (tensor<?x60xf32> {heddle.sizes = ["rows"]}, tensor<?x60xf32> {heddle.sizes = ["rows"]}) {
  %y = heddle.linear %x, %w : tensor<?x60xf32>, tensor<60x60xf32>
  %a = arith.maximumf %x, %y : tensor<?x60xf32>
  %b = arith.addf %x, %y : tensor<?x60xf32>
  heddle.yield %a, %b : tensor<?x60xf32>, tensor<?x60xf32>
}

// One that a result reads by two ways, or that is copied for the caller, is not.
// CHECK-LABEL: halide.pipeline @one_result
// CHECK-NOT: halide.output @linear
heddle.kernel @one_result(%x: tensor<?x60xf32> {heddle.sizes = ["rows"]},
    %w: tensor<60x60xf32> {heddle.weight})
    -> (tensor<?x60xf32> {heddle.external, heddle.sizes = ["rows"]}) {
  %y = heddle.linear %x, %w : tensor<?x60xf32>, tensor<60x60xf32>
  %a = arith.maximumf %x, %y : tensor<?x60xf32>
  %b = arith.addf %a, %y : tensor<?x60xf32>
  heddle.yield %b : tensor<?x60xf32>
}
