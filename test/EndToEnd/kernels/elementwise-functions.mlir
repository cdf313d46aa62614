// Functions, constants and weights as operands of elementwise maths.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify -o kernel.o | FileCheck %s

// CHECK: verified exponential: 1 kernel
// CHECK: verified constant: 1 kernel
// CHECK: verified weight: 1 kernel
// CHECK: verified several: 1 kernels
// CHECK: verified one_number: 1 kernel
// Integers are not all 0, though no size says how large they are.
// CHECK: verified integers: 1 kernel
// CHECK-NEXT: verified integers as a whole: {{.*}} among values up to {{[1-9]}}

func.func @exponential(%x: tensor<2x8x64xf32>) -> tensor<2x8x64xf32> {
  %y = math.exp %x : tensor<2x8x64xf32>
  return %y : tensor<2x8x64xf32>
}

func.func @constant(%x: tensor<2x8x64xf32>) -> tensor<2x8x64xf32> {
  %h = arith.constant dense<0.5> : tensor<2x8x64xf32>
  %y = arith.mulf %x, %h : tensor<2x8x64xf32>
  return %y : tensor<2x8x64xf32>
}

heddle.weight @pos = dense<[[0.5, 1.5, -2.0], [3.0, 0.25, 8.0]]> : tensor<2x3xf32>
func.func @weight(%x: tensor<2x3xf32>) -> tensor<2x3xf32> {
  %w = heddle.weight_ref @pos : tensor<2x3xf32>
  %y = arith.addf %x, %w : tensor<2x3xf32>
  return %y : tensor<2x3xf32>
}

func.func @several(%x: tensor<?x20xf32> {heddle.sizes = ["n"]}, %y: tensor<?x20xf32> {heddle.sizes = ["n"]})
    -> tensor<?x20xf32> {
  %0 = math.tanh %x : tensor<?x20xf32>
  %1 = math.fma %0, %y, %x : tensor<?x20xf32>
  %2 = math.absf %1 : tensor<?x20xf32>
  %3 = math.log1p %2 : tensor<?x20xf32>
  return %3 : tensor<?x20xf32>
}

// Of one number Halide makes a call of ceil.
func.func @one_number(%x: tensor<1xf32>) -> tensor<1xf32> {
  %y = math.ceil %x : tensor<1xf32>
  return %y : tensor<1xf32>
}

func.func @integers(%x: tensor<4x8xi32>) -> tensor<4x8xf32> {
  %y = arith.sitofp %x : tensor<4x8xi32> to tensor<4x8xf32>
  return %y : tensor<4x8xf32>
}
