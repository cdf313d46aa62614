// RUN: heddle-opt %s | heddle-opt | FileCheck %s --strict-whitespace
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s --strict-whitespace

// CHECK-LABEL: func.func @gated_feed_forward
func.func @gated_feed_forward(%x: tensor<?x?x64xf32>, %gate: tensor<172x64xf32>,
    %up: tensor<172x64xf32>, %down: tensor<64x172xf32>) -> tensor<?x?x64xf32> {
  // CHECK: heddle.gated_feed_forward
  // CHECK-SAME: silu
  // CHECK-SAME: : tensor<?x?x64xf32>, tensor<172x64xf32>, tensor<172x64xf32>, tensor<64x172xf32>
  %0 = heddle.gated_feed_forward silu %x, %gate, %up, %down
     : tensor<?x?x64xf32>, tensor<172x64xf32>, tensor<172x64xf32>, tensor<64x172xf32>
  return %0 : tensor<?x?x64xf32>
}

// CHECK-LABEL: func.func @gated_feed_forward_with_biases
func.func @gated_feed_forward_with_biases(%x: tensor<?x8xf32>, %gate: tensor<16x8xf32>,
    %down: tensor<8x16xf32>, %hidden: tensor<16xf32>, %out: tensor<8xf32>) -> tensor<?x8xf32> {
  // CHECK: biases(%{{.*}}, %{{.*}}, %{{.*}} : tensor<16xf32>, tensor<16xf32>, tensor<8xf32>)
  %0 = heddle.gated_feed_forward relu %x, %gate, %gate, %down
       biases(%hidden, %hidden, %out : tensor<16xf32>, tensor<16xf32>, tensor<8xf32>)
     : tensor<?x8xf32>, tensor<16x8xf32>, tensor<16x8xf32>, tensor<8x16xf32>
  return %0 : tensor<?x8xf32>
}
