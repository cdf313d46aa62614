// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @unpack
func.func @unpack(%w: tensor<8x172xi32>, %t: tensor<4x3xui8>) -> (tensor<64x172xf32>, tensor<4x8xui4>) {
  // CHECK: heddle.unpack %{{.*}} axis(0) bits(4) offset(-8) : tensor<8x172xi32> -> tensor<64x172xi4>
  %q = heddle.unpack %w axis(0) bits(4) offset(-8) : tensor<8x172xi32> -> tensor<64x172xi4>
  %s = arith.constant dense<0.5> : tensor<1x172xf32>
  %d = heddle.dequantize %q, %s axis(0) : tensor<64x172xi4>, tensor<1x172xf32> -> tensor<64x172xf32>
  // Of three bits some are in two words.
  // CHECK: heddle.unpack %{{.*}} axis(1) bits(3) : tensor<4x3xui8> -> tensor<4x8xui4>
  %p = heddle.unpack %t axis(1) bits(3) : tensor<4x3xui8> -> tensor<4x8xui4>
  return %d, %p : tensor<64x172xf32>, tensor<4x8xui4>
}
