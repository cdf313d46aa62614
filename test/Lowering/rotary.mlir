// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-lower-kernels=target-cpu=x86-64-v4 | FileCheck %s

// Element e of each half of a head is rotated with that of the other half. The angle of
// position 256 * a + b is that of row 256 + a of the table and that of row b.
// CHECK-LABEL: halide.pipeline @rotary
// CHECK: %[[LENGTH:.*]] = halide.param "length"
// CHECK: halide.func @rotary(%[[E:.*]], %[[HALF:.*]], %[[H:.*]], %[[M:.*]]) : f32
// CHECK: %[[FIRST:.*]] = halide.access @arg0
// CHECK: %[[SECOND:.*]] = halide.access @arg0
// CHECK: halide.mod %[[M]], %[[LENGTH]]
// CHECK: halide.access @arg1
// CHECK: %[[PADDED:.*]] = arith.minsi
// CHECK: halide.promise_clamped %[[PADDED]]
// CHECK-COUNT-4: halide.access @arg2
// CHECK: arith.cmpi eq, %[[HALF]]
// CHECK: arith.mulf %[[SECOND]]
// CHECK: arith.mulf %[[FIRST]]
// CHECK: arith.subf
// CHECK: arith.select
// CHECK: halide.output @rotary [4, 2, 4, %{{.*}}] strides [1, 4, 8, 64] to result(0)
heddle.kernel @rotary(%x: tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]},
    %starts: tensor<?xi32> {heddle.external, heddle.sizes = ["batch"]},
    %table: tensor<258x2x4xf32> {heddle.weight})
    -> (tensor<?x?x32xf32> {heddle.sizes = ["batch", "length"]}) {
  %y = heddle.rotary %x at(%starts) heads(4) positions(512) base(1.0e4) table(%table : tensor<258x2x4xf32>) : tensor<?x?x32xf32>, tensor<?xi32>
  heddle.yield %y : tensor<?x?x32xf32>
}
