// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-lower-kernels=target-cpu=x86-64-v4 \
// RUN:   --heddle-schedule=target-cpu=x86-64-v4 | FileCheck %s

// Blocks of 16 rows in parallel; what a row needs is made where the row is.
// CHECK-LABEL: halide.pipeline @rms_norm
// CHECK: halide.vectorize @norm "c" by 16
// CHECK-NEXT: halide.split @norm "m" into ("block", "row") by 16 tail(guard_with_if)
// CHECK-NEXT: halide.parallel @norm "block"
// CHECK-DAG: halide.compute_at @inverse @norm "row"
// CHECK-DAG: halide.compute_at @total @norm "row"
// CHECK-DAG: halide.compute_at @partial @norm "row"
// CHECK: halide.vectorize @partial update(0) "l" by 16
heddle.kernel @rms_norm(%x: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %w: tensor<64xf32> {heddle.weight})
    -> (tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]}) {
  %y = heddle.rms_norm %x, %w epsilon(1.0e-5) : tensor<?x?x64xf32>, tensor<64xf32>
  heddle.yield %y : tensor<?x?x64xf32>
}

// What is read once is computed where it is read.
// CHECK-LABEL: halide.pipeline @gate
// CHECK: halide.vectorize @mulf "c" by 16
// CHECK: halide.split @mulf "m" into ("block", "row") by 16 tail(guard_with_if)
// CHECK: halide.parallel @mulf "block"
// CHECK-NOT: halide.{{.*}} @activation
heddle.kernel @gate(%x: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %y: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]})
    -> (tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]}) {
  %a = heddle.activation silu %x : tensor<?x?x64xf32>
  %p = arith.mulf %a, %y : tensor<?x?x64xf32>
  heddle.yield %p : tensor<?x?x64xf32>
}
