// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @feed_forward
func.func @feed_forward(%x: tensor<?x?x64xf32>, %up: tensor<172x64xf32>, %down: tensor<64x172xbf16>)
    -> tensor<?x?x64xf32> {
  // CHECK: heddle.feed_forward gelu %{{.*}}, %{{.*}}, %{{.*}} : tensor<?x?x64xf32>, tensor<172x64xf32>, tensor<64x172xbf16>
  %0 = heddle.feed_forward gelu %x, %up, %down
     : tensor<?x?x64xf32>, tensor<172x64xf32>, tensor<64x172xbf16>
  return %0 : tensor<?x?x64xf32>
}

// CHECK-LABEL: func.func @feed_forward_with_biases
func.func @feed_forward_with_biases(%x: tensor<?x8xf32>, %up: tensor<16x8xf32>,
    %down: tensor<8x16xf32>, %hidden: tensor<16xf32>, %out: tensor<8xf32>) -> tensor<?x8xf32> {
  // CHECK: biases(%{{.*}}, %{{.*}} : tensor<16xf32>, tensor<8xf32>)
  %0 = heddle.feed_forward relu %x, %up, %down biases(%hidden, %out : tensor<16xf32>, tensor<8xf32>)
     : tensor<?x8xf32>, tensor<16x8xf32>, tensor<8x16xf32>
  return %0 : tensor<?x8xf32>
}
