// Tables that are read at coordinates which a body computes. Halide knows bounds of these only
// where they are seen not to wrap around.
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify -o kernel.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --verify --target-cpu=x86-64-v3 -o kernel.o | FileCheck %s %}

// CHECK: verified slice_of_largest: 1 kernel
func.func @slice_of_largest(%x: tensor<1x5x5x16xf32>) -> tensor<1x2x2x1xf32> {
  %v, %i = heddle.top_k %x axis(3) k(1) : tensor<1x5x5x16xf32> -> tensor<1x5x5x1xf32>, tensor<1x5x5x1xi32>
  %y = heddle.slice %v offsets [0, 2, 0, 0] sizes [1, 2, 2, 1] steps [1, 2, 3, 1] : tensor<1x5x5x1xf32> -> tensor<1x2x2x1xf32>
  return %y : tensor<1x2x2x1xf32>
}

// All lanes of the first vector read the first element.
// CHECK: verified clamped: 1 kernel
func.func @clamped(%t: tensor<2xf32>) -> tensor<26xf32> {
  %y = heddle.generic over [26] tables(%t : tensor<2xf32>) {
  ^bb0(%table: tensor<2xf32>):
    %i = heddle.index 0
    %offset = arith.constant 24 : i32
    %at = arith.subi %i, %offset : i32
    %e = heddle.read %table[%at] : tensor<2xf32>
    heddle.yield %e : f32
  } : tensor<26xf32>
  return %y : tensor<26xf32>
}

// 2^32 + i is i.
// CHECK: verified wrapped: 1 kernel
func.func @wrapped(%t: tensor<20xf32>) -> tensor<16xf32> {
  %y = heddle.generic over [16] tables(%t : tensor<20xf32>) {
  ^bb0(%table: tensor<20xf32>):
    %i = heddle.index 0
    %half = arith.constant -2147483648 : i32
    %negative = arith.addi %i, %half : i32
    %at = arith.addi %negative, %half : i32
    %e = heddle.read %table[%at] : tensor<20xf32>
    heddle.yield %e : f32
  } : tensor<16xf32>
  return %y : tensor<16xf32>
}
