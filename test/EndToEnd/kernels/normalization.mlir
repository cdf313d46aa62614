// heddle.rms_norm over channels that are and are not a multiple of a vector.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: python3 %S/../Inputs/random_weights.py %s weights
// RUN: heddlec %s --weights=weights --verify --target-cpu=native -o kernel.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --weights=weights --verify --target-cpu=x86-64-v3 -o kernel.o | FileCheck %s %}

// CHECK: verified rms_norm_many_64: 1 kernel
// CHECK: verified rms_norm_few_64: 1 kernel
// CHECK: verified rms_norm_many_60: 1 kernel
// CHECK: verified rms_norm_few_60: 1 kernel
// CHECK: verified rms_norm_many_7: 1 kernel
// CHECK: verified rms_norm_few_7: 1 kernel
// CHECK: verified rms_norm_many_1: 1 kernel
// CHECK: verified rms_norm_few_1: 1 kernel

heddle.weight @norm64 from "norm64" : tensor<64xf32>
heddle.weight @norm60 from "norm60" : tensor<60xf32>
heddle.weight @norm7 from "norm7" : tensor<7xf32>
heddle.weight @norm1 from "norm1" : tensor<1xf32>

func.func @rms_norm_many_64(%x: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x64xf32> {
  %w = heddle.weight_ref @norm64 : tensor<64xf32>
  %y = heddle.rms_norm %x, %w epsilon(1.0e-5) : tensor<?x?x64xf32>, tensor<64xf32>
  return %y : tensor<?x?x64xf32>
}

func.func @rms_norm_few_64(%x: tensor<?x1x64xf32> {heddle.sizes = ["batch"]}) -> tensor<?x1x64xf32> {
  %w = heddle.weight_ref @norm64 : tensor<64xf32>
  %y = heddle.rms_norm %x, %w epsilon(1.0e-5) : tensor<?x1x64xf32>, tensor<64xf32>
  return %y : tensor<?x1x64xf32>
}

func.func @rms_norm_many_60(%x: tensor<?x?x60xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x60xf32> {
  %w = heddle.weight_ref @norm60 : tensor<60xf32>
  %y = heddle.rms_norm %x, %w epsilon(1.0e-5) : tensor<?x?x60xf32>, tensor<60xf32>
  return %y : tensor<?x?x60xf32>
}

func.func @rms_norm_few_60(%x: tensor<?x1x60xf32> {heddle.sizes = ["batch"]}) -> tensor<?x1x60xf32> {
  %w = heddle.weight_ref @norm60 : tensor<60xf32>
  %y = heddle.rms_norm %x, %w epsilon(1.0e-5) : tensor<?x1x60xf32>, tensor<60xf32>
  return %y : tensor<?x1x60xf32>
}

func.func @rms_norm_many_7(%x: tensor<?x?x7xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x7xf32> {
  %w = heddle.weight_ref @norm7 : tensor<7xf32>
  %y = heddle.rms_norm %x, %w epsilon(1.0e-5) : tensor<?x?x7xf32>, tensor<7xf32>
  return %y : tensor<?x?x7xf32>
}

func.func @rms_norm_few_7(%x: tensor<?x1x7xf32> {heddle.sizes = ["batch"]}) -> tensor<?x1x7xf32> {
  %w = heddle.weight_ref @norm7 : tensor<7xf32>
  %y = heddle.rms_norm %x, %w epsilon(1.0e-5) : tensor<?x1x7xf32>, tensor<7xf32>
  return %y : tensor<?x1x7xf32>
}

func.func @rms_norm_many_1(%x: tensor<?x?x1xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x1xf32> {
  %w = heddle.weight_ref @norm1 : tensor<1xf32>
  %y = heddle.rms_norm %x, %w epsilon(1.0e-5) : tensor<?x?x1xf32>, tensor<1xf32>
  return %y : tensor<?x?x1xf32>
}

func.func @rms_norm_few_1(%x: tensor<?x1x1xf32> {heddle.sizes = ["batch"]}) -> tensor<?x1x1xf32> {
  %w = heddle.weight_ref @norm1 : tensor<1xf32>
  %y = heddle.rms_norm %x, %w epsilon(1.0e-5) : tensor<?x1x1xf32>, tensor<1xf32>
  return %y : tensor<?x1x1xf32>
}
