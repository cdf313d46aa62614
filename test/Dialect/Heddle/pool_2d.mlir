// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @pool_2d
func.func @pool_2d(%x: tensor<?x16x?x?xf32>) -> tensor<?x16x?x?xf32> {
  // CHECK: heddle.pool_2d max %{{.*}} window [3, 2] strides [2, 1] low [1, 0] high [1, 1] dilations [1, 2] : tensor<?x16x?x?xf32>
  %0 = heddle.pool_2d max %x window [3, 2] strides [2, 1] low [1, 0] high [1, 1] dilations [1, 2] : tensor<?x16x?x?xf32>
  // CHECK: heddle.pool_2d mean
  %1 = heddle.pool_2d mean %0 window [2, 2] strides [2, 2] low [0, 0] high [0, 0] dilations [1, 1] : tensor<?x16x?x?xf32>
  return %1 : tensor<?x16x?x?xf32>
}

// Windows begin at rows -1, 1, .., 7 of 9, and at columns 0 and 3 of 7.
// CHECK-LABEL: func.func @pool_2d_sizes
func.func @pool_2d_sizes(%x: tensor<2x4x9x7xf16>) -> tensor<2x4x5x2xf16> {
  %0 = heddle.pool_2d mean %x window [3, 2] strides [2, 3] low [1, 0] high [1, 0] dilations [1, 2] : tensor<2x4x9x7xf16>
  return %0 : tensor<2x4x5x2xf16>
}
