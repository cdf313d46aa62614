// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-lower-kernels=target-cpu=x86-64-v4 | FileCheck %s

// A result that is the caller's has rows as wide as its type says: what is computed in
// whole panels is copied. The other one stays in panels.
// CHECK-LABEL: halide.pipeline @two
// CHECK: halide.output @linear [40, %{{.*}}] strides [1, 64]{{$}}
// CHECK: halide.func @result(%[[C:.*]], %[[M:.*]]) : f32
// CHECK-NEXT: halide.access @linear(%[[C]], %[[M]])
// CHECK: halide.output @result [40, %{{.*}}] strides [1, 40] to result(0)
// CHECK: halide.output @linear_1 [32, %{{.*}}] strides [1, 64] to result(1)
heddle.kernel @two(%x: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %w: tensor<40x64xf32> {heddle.weight}, %v: tensor<32x64xf32> {heddle.weight})
    -> (tensor<?x?x40xf32> {heddle.external, heddle.sizes = ["batch", "length"]}, tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]}) {
  %y = heddle.linear %x, %w : tensor<?x?x64xf32>, tensor<40x64xf32>
  %z = heddle.linear %x, %v : tensor<?x?x64xf32>, tensor<32x64xf32>
  heddle.yield %y, %z : tensor<?x?x40xf32>, tensor<?x?x32xf32>
}
