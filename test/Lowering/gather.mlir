// RUN: heddle-opt %s --heddle-resolve-sizes --heddle-lower-kernels=target-cpu=x86-64-v4 | FileCheck %s

// A table is packed like weights, so that it can be both. Ids that are padding may be
// anything, hence the clamp.
// CHECK-LABEL: halide.pipeline @embedding
// CHECK: halide.input @arg1 [64, 64, 2] : f32
// CHECK: halide.func @embedding(%[[C:.*]], %[[M:.*]]) : f32
// CHECK: %[[ID:.*]] = halide.access @arg0(%[[M]])
// CHECK: %[[LOW:.*]] = arith.maxsi %[[ID]], %{{.*}}0
// CHECK: %[[ROW:.*]] = arith.minsi %[[LOW]], %{{.*}}71
// CHECK: %[[LANE:.*]] = halide.mod %[[ROW]], %{{.*}}64
// CHECK: %[[PANEL:.*]] = arith.floordivsi %[[ROW]], %{{.*}}64
// CHECK: halide.access @arg1(%[[LANE]], %[[C]], %[[PANEL]])
heddle.kernel @embedding(%ids: tensor<?x?xi32> {heddle.external, heddle.sizes = ["batch", "length"]},
    %w: tensor<72x64xf32> {heddle.weight})
    -> (tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]}) {
  %y = heddle.embedding %ids, %w : tensor<?x?xi32>, tensor<72x64xf32>
  heddle.yield %y : tensor<?x?x64xf32>
}

// The last valid row of each sequence.
// CHECK-LABEL: halide.pipeline @last_token
// CHECK: %[[LENGTH:.*]] = halide.param "length"
// CHECK: halide.func @last(%[[C:.*]], %[[B:.*]]) : f32
// CHECK: %[[VALID:.*]] = halide.access @arg1(%[[B]])
// CHECK: %[[FIRST:.*]] = arith.muli %[[B]], %[[LENGTH]]
// CHECK: %[[END:.*]] = arith.addi %[[FIRST]], %[[VALID]]
// CHECK: %[[LAST:.*]] = arith.subi %[[END]], %{{.*}}1
// CHECK: %[[SAFE:.*]] = halide.promise_clamped %[[LAST]]
// CHECK: halide.access @arg0(%[[C]], %[[SAFE]])
// CHECK: halide.output @norm [64, %{{.*}}]
heddle.kernel @last_token(%x: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %lengths: tensor<?xi32> {heddle.external, heddle.sizes = ["batch"]},
    %w: tensor<64xf32> {heddle.weight})
    -> (tensor<?x64xf32> {heddle.sizes = ["batch"]}) {
  %last = heddle.last_token %x, %lengths : tensor<?x?x64xf32>, tensor<?xi32>
  %y = heddle.rms_norm %last, %w epsilon(1.0e-5) : tensor<?x64xf32>, tensor<64xf32>
  heddle.yield %y : tensor<?x64xf32>
}
