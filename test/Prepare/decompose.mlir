// RUN: heddle-opt %s --heddle-decompose | FileCheck %s

// CHECK-LABEL: func.func @gated_feed_forward
// CHECK-SAME: (%[[X:.*]]: tensor<?x?x64xf32>, %[[GATE:.*]]: tensor<172x64xf32>, %[[UP:.*]]: tensor<172x64xf32>, %[[DOWN:.*]]: tensor<64x172xf32>)
func.func @gated_feed_forward(%x: tensor<?x?x64xf32>, %gate: tensor<172x64xf32>,
    %up: tensor<172x64xf32>, %down: tensor<64x172xf32>) -> tensor<?x?x64xf32> {
  // CHECK-DAG: %[[G:.*]] = heddle.linear %[[X]], %[[GATE]]
  // CHECK-DAG: %[[U:.*]] = heddle.linear %[[X]], %[[UP]]
  // CHECK: %[[A:.*]] = heddle.activation silu %[[G]]
  // CHECK: %[[H:.*]] = arith.mulf %[[A]], %[[U]]
  // CHECK: %[[Y:.*]] = heddle.linear %[[H]], %[[DOWN]]
  // CHECK: return %[[Y]]
  %y = heddle.gated_feed_forward silu %x, %gate, %up, %down
     : tensor<?x?x64xf32>, tensor<172x64xf32>, tensor<172x64xf32>, tensor<64x172xf32>
  return %y : tensor<?x?x64xf32>
}

// CHECK-LABEL: func.func @gated_feed_forward_with_biases
// CHECK-SAME: %[[GB:[^:]*]]: tensor<16xf32>, %[[UB:[^:]*]]: tensor<16xf32>, %[[DB:[^:]*]]: tensor<8xf32>)
func.func @gated_feed_forward_with_biases(%x: tensor<?x8xf32>, %gate: tensor<16x8xf32>,
    %up: tensor<16x8xf32>, %down: tensor<8x16xf32>, %gate_bias: tensor<16xf32>,
    %up_bias: tensor<16xf32>, %down_bias: tensor<8xf32>) -> tensor<?x8xf32> {
  // CHECK-DAG: %[[G:.*]] = heddle.linear {{.*}} bias(%[[GB]] : tensor<16xf32>)
  // CHECK-DAG: heddle.linear {{.*}} bias(%[[UB]] : tensor<16xf32>)
  // CHECK: heddle.activation relu %[[G]]
  // CHECK: heddle.linear {{.*}} bias(%[[DB]] : tensor<8xf32>)
  %y = heddle.gated_feed_forward relu %x, %gate, %up, %down
       biases(%gate_bias, %up_bias, %down_bias : tensor<16xf32>, tensor<16xf32>, tensor<8xf32>)
     : tensor<?x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<8x16xf32>
  return %y : tensor<?x8xf32>
}
