// Windows of pooling are tensors of which only the sizes count.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify -o kernel.o | FileCheck %s
// CHECK: verified pool: 1 kernels

func.func @pool(%x: tensor<2x9x7x5xf32>) -> tensor<2x4x3x5xf32> {
  %lowest = arith.constant 0xFF800000 : f32
  %window = tensor.empty() : tensor<2x2xf32>
  %empty = tensor.empty() : tensor<2x4x3x5xf32>
  %filled = linalg.fill ins(%lowest : f32) outs(%empty : tensor<2x4x3x5xf32>) -> tensor<2x4x3x5xf32>
  %y = linalg.pooling_nhwc_max {strides = dense<2> : tensor<2xi64>, dilations = dense<1> : tensor<2xi64>}
      ins(%x, %window : tensor<2x9x7x5xf32>, tensor<2x2xf32>)
      outs(%filled : tensor<2x4x3x5xf32>) -> tensor<2x4x3x5xf32>
  return %y : tensor<2x4x3x5xf32>
}
