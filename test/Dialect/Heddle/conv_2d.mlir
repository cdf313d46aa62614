// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @conv_2d
func.func @conv_2d(%x: tensor<?x16x?x?xf32>, %w: tensor<32x16x3x5xbf16>, %b: tensor<32xf32>) -> tensor<?x32x?x?xf32> {
  // CHECK: heddle.conv_2d %{{.*}}, %{{.*}} strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups(1) : tensor<?x16x?x?xf32>, tensor<32x16x3x5xbf16>
  %0 = heddle.conv_2d %x, %w strides [1, 1] low [0, 0] high [0, 0] dilations [1, 1] groups(1)
     : tensor<?x16x?x?xf32>, tensor<32x16x3x5xbf16>
  // CHECK: bias(%{{.*}} : tensor<32xf32>) strides [2, 3] low [1, 2] high [0, 4] dilations [3, 1] groups(1)
  %1 = heddle.conv_2d %x, %w bias(%b : tensor<32xf32>) strides [2, 3] low [1, 2] high [0, 4] dilations [3, 1] groups(1)
     : tensor<?x16x?x?xf32>, tensor<32x16x3x5xbf16>
  return %1 : tensor<?x32x?x?xf32>
}

// Rows 0, 2, .., 8 of 10: 11 with zeros, less the reach of 2, by 2; columns 0 and 3 of 7 less the reach of 2, by 3.
// CHECK-LABEL: func.func @conv_2d_sizes
func.func @conv_2d_sizes(%x: tensor<2x4x9x7xbf16>, %w: tensor<6x2x3x2xf32>) -> tensor<2x6x5x2xbf16> {
  %0 = heddle.conv_2d %x, %w strides [2, 3] low [1, 0] high [1, 0] dilations [1, 2] groups(2)
     : tensor<2x4x9x7xbf16>, tensor<6x2x3x2xf32>
  return %0 : tensor<2x6x5x2xbf16>
}
