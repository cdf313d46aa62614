// RUN: heddle-opt %s | heddle-opt | FileCheck %s
// RUN: heddle-opt %s --mlir-print-op-generic | heddle-opt | FileCheck %s

// CHECK-LABEL: func.func @conv_1d
func.func @conv_1d(%x: tensor<?x16x?xf32>, %w: tensor<32x16x3xbf16>, %b: tensor<32xf32>) -> tensor<?x32x?xf32> {
  // CHECK: heddle.conv_1d %{{.*}}, %{{.*}} stride(1) padding(0) dilation(1) groups(1) : tensor<?x16x?xf32>, tensor<32x16x3xbf16>
  %0 = heddle.conv_1d %x, %w stride(1) padding(0) dilation(1) groups(1) : tensor<?x16x?xf32>, tensor<32x16x3xbf16>
  // CHECK: bias(%{{.*}} : tensor<32xf32>) stride(2) padding(1) dilation(3) groups(1)
  %1 = heddle.conv_1d %x, %w bias(%b : tensor<32xf32>) stride(2) padding(1) dilation(3) groups(1)
     : tensor<?x16x?xf32>, tensor<32x16x3xbf16>
  return %1 : tensor<?x32x?xf32>
}

// Places 0, 2, .., 8 of 10: 11 elements with zeros, less the reach of 2, by 2.
// CHECK-LABEL: func.func @conv_1d_sizes
func.func @conv_1d_sizes(%x: tensor<2x4x9xf32>, %w: tensor<6x2x3xf32>) -> tensor<2x6x5xf32> {
  %0 = heddle.conv_1d %x, %w stride(2) padding(1) dilation(1) groups(2) : tensor<2x4x9xf32>, tensor<6x2x3xf32>
  return %0 : tensor<2x6x5xf32>
}
