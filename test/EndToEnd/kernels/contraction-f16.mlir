// heddle.linear with f16 weights, over many rows and over few: output channels that
// are and are not a multiple of panels and vectors, and input channels that are not.

// On a device, which takes long here, with --slow.
// UNSUPPORTED: brief
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: python3 %S/../Inputs/random_weights.py %s weights
// RUN: heddlec %s --weights=weights --verify --target-cpu=native -o kernel.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --weights=weights --verify --target-cpu=x86-64-v3 -o kernel.o | FileCheck %s %}

// CHECK: verified many_32x64_f16: 1 kernel
// CHECK: verified few_32x64_f16: 1 kernel
// CHECK: verified many_64x172_f16: 1 kernel
// CHECK: verified few_64x172_f16: 1 kernel
// CHECK: verified many_172x64_f16: 1 kernel
// CHECK: verified few_172x64_f16: 1 kernel
// CHECK: verified many_33x7_f16: 1 kernel
// CHECK: verified few_33x7_f16: 1 kernel
// CHECK: verified many_1x1_f16: 1 kernel
// CHECK: verified few_1x1_f16: 1 kernel
// CHECK: verified many_100x257_f16: 1 kernel
// CHECK: verified few_100x257_f16: 1 kernel

heddle.weight @w32x64_f16 from "w32x64_f16" : tensor<32x64xf16>
heddle.weight @w64x172_f16 from "w64x172_f16" : tensor<64x172xf16>
heddle.weight @w172x64_f16 from "w172x64_f16" : tensor<172x64xf16>
heddle.weight @w33x7_f16 from "w33x7_f16" : tensor<33x7xf16>
heddle.weight @w1x1_f16 from "w1x1_f16" : tensor<1x1xf16>
heddle.weight @w100x257_f16 from "w100x257_f16" : tensor<100x257xf16>

func.func @many_32x64_f16(%x: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x32xf32> {
  %w = heddle.weight_ref @w32x64_f16 : tensor<32x64xf16>
  %y = heddle.linear %x, %w : tensor<?x?x64xf32>, tensor<32x64xf16>
  return %y : tensor<?x?x32xf32>
}

func.func @few_32x64_f16(%x: tensor<?x1x64xf32> {heddle.sizes = ["batch"]}) -> tensor<?x1x32xf32> {
  %w = heddle.weight_ref @w32x64_f16 : tensor<32x64xf16>
  %y = heddle.linear %x, %w : tensor<?x1x64xf32>, tensor<32x64xf16>
  return %y : tensor<?x1x32xf32>
}

func.func @many_64x172_f16(%x: tensor<?x?x172xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x64xf32> {
  %w = heddle.weight_ref @w64x172_f16 : tensor<64x172xf16>
  %y = heddle.linear %x, %w : tensor<?x?x172xf32>, tensor<64x172xf16>
  return %y : tensor<?x?x64xf32>
}

func.func @few_64x172_f16(%x: tensor<?x1x172xf32> {heddle.sizes = ["batch"]}) -> tensor<?x1x64xf32> {
  %w = heddle.weight_ref @w64x172_f16 : tensor<64x172xf16>
  %y = heddle.linear %x, %w : tensor<?x1x172xf32>, tensor<64x172xf16>
  return %y : tensor<?x1x64xf32>
}

func.func @many_172x64_f16(%x: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x172xf32> {
  %w = heddle.weight_ref @w172x64_f16 : tensor<172x64xf16>
  %y = heddle.linear %x, %w : tensor<?x?x64xf32>, tensor<172x64xf16>
  return %y : tensor<?x?x172xf32>
}

func.func @few_172x64_f16(%x: tensor<?x1x64xf32> {heddle.sizes = ["batch"]}) -> tensor<?x1x172xf32> {
  %w = heddle.weight_ref @w172x64_f16 : tensor<172x64xf16>
  %y = heddle.linear %x, %w : tensor<?x1x64xf32>, tensor<172x64xf16>
  return %y : tensor<?x1x172xf32>
}

func.func @many_33x7_f16(%x: tensor<?x?x7xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x33xf32> {
  %w = heddle.weight_ref @w33x7_f16 : tensor<33x7xf16>
  %y = heddle.linear %x, %w : tensor<?x?x7xf32>, tensor<33x7xf16>
  return %y : tensor<?x?x33xf32>
}

func.func @few_33x7_f16(%x: tensor<?x1x7xf32> {heddle.sizes = ["batch"]}) -> tensor<?x1x33xf32> {
  %w = heddle.weight_ref @w33x7_f16 : tensor<33x7xf16>
  %y = heddle.linear %x, %w : tensor<?x1x7xf32>, tensor<33x7xf16>
  return %y : tensor<?x1x33xf32>
}

func.func @many_1x1_f16(%x: tensor<?x?x1xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x1xf32> {
  %w = heddle.weight_ref @w1x1_f16 : tensor<1x1xf16>
  %y = heddle.linear %x, %w : tensor<?x?x1xf32>, tensor<1x1xf16>
  return %y : tensor<?x?x1xf32>
}

func.func @few_1x1_f16(%x: tensor<?x1x1xf32> {heddle.sizes = ["batch"]}) -> tensor<?x1x1xf32> {
  %w = heddle.weight_ref @w1x1_f16 : tensor<1x1xf16>
  %y = heddle.linear %x, %w : tensor<?x1x1xf32>, tensor<1x1xf16>
  return %y : tensor<?x1x1xf32>
}

func.func @many_100x257_f16(%x: tensor<?x?x257xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x100xf32> {
  %w = heddle.weight_ref @w100x257_f16 : tensor<100x257xf16>
  %y = heddle.linear %x, %w : tensor<?x?x257xf32>, tensor<100x257xf16>
  return %y : tensor<?x?x100xf32>
}

func.func @few_100x257_f16(%x: tensor<?x1x257xf32> {heddle.sizes = ["batch"]}) -> tensor<?x1x100xf32> {
  %w = heddle.weight_ref @w100x257_f16 : tensor<100x257xf16>
  %y = heddle.linear %x, %w : tensor<?x1x257xf32>, tensor<100x257xf16>
  return %y : tensor<?x1x100xf32>
}
