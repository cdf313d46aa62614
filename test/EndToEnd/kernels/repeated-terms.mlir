// Reductions of terms that are the same at every point of their domain: each point counts.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify -o kernel.o | FileCheck %s

// CHECK: verified repeated: 1 kernel
func.func @repeated(%x: tensor<6x1xf32>) -> tensor<6xf32> {
  %b = heddle.broadcast %x to [6, 5] : tensor<6x1xf32> -> tensor<6x5xf32>
  %y = heddle.reduce sum %b axes [1] : tensor<6x5xf32> -> tensor<6xf32>
  return %y : tensor<6xf32>
}

// Of one point there is nothing to name a coordinate for.
// CHECK: verified one: 1 kernel
func.func @one(%x: tensor<1x16xf32>) -> tensor<16xf32> {
  %y = heddle.reduce sum %x axes [0] : tensor<1x16xf32> -> tensor<16xf32>
  return %y : tensor<16xf32>
}

// CHECK: verified outer: 1 kernel
func.func @outer(%x: tensor<1x65xf32>, %y: tensor<1x33xf32>) -> tensor<65x33xf32> {
  %z = heddle.matmul %x, %y transpose_a : tensor<1x65xf32>, tensor<1x33xf32> -> tensor<65x33xf32>
  return %z : tensor<65x33xf32>
}
