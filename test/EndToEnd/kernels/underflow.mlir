// Products so small that they are multiples of the least number.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify -o kernel.o | FileCheck %s

// CHECK: verified products: {{[0-9]+}} kernel
func.func @products(%x: tensor<3x700xf32>) -> tensor<3xf32> {
  %y = heddle.reduce product %x axes [1] : tensor<3x700xf32> -> tensor<3xf32>
  return %y : tensor<3xf32>
}
