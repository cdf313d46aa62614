// Elementwise ops in kernels of their own.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify --target-cpu=native -o kernel.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --verify --target-cpu=x86-64-v3 -o kernel.o | FileCheck %s %}

// CHECK: verified silu_64: 1 kernel
// CHECK: verified relu_64: 1 kernel
// CHECK: verified addf_64: 1 kernel
// CHECK: verified mulf_64: 1 kernel
// CHECK: verified subf_64: 1 kernel
// CHECK: verified silu_60: 1 kernel
// CHECK: verified relu_60: 1 kernel
// CHECK: verified addf_60: 1 kernel
// CHECK: verified mulf_60: 1 kernel
// CHECK: verified subf_60: 1 kernel
// CHECK: verified silu_7: 1 kernel
// CHECK: verified relu_7: 1 kernel
// CHECK: verified addf_7: 1 kernel
// CHECK: verified mulf_7: 1 kernel
// CHECK: verified subf_7: 1 kernel
// CHECK: verified gelu_channels_first: 1 kernel
// CHECK: verified silu_f16: 1 kernel
// CHECK: verified tanh_bf16_one: 1 kernel

func.func @silu_64(%x: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x64xf32> {
  %y = heddle.activation silu %x : tensor<?x?x64xf32>
  return %y : tensor<?x?x64xf32>
}

func.func @relu_64(%x: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x64xf32> {
  %y = heddle.activation relu %x : tensor<?x?x64xf32>
  return %y : tensor<?x?x64xf32>
}

func.func @addf_64(%x: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %y: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x64xf32> {
  %z = arith.addf %x, %y : tensor<?x?x64xf32>
  return %z : tensor<?x?x64xf32>
}

func.func @mulf_64(%x: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %y: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x64xf32> {
  %z = arith.mulf %x, %y : tensor<?x?x64xf32>
  return %z : tensor<?x?x64xf32>
}

func.func @subf_64(%x: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %y: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x64xf32> {
  %z = arith.subf %x, %y : tensor<?x?x64xf32>
  return %z : tensor<?x?x64xf32>
}

func.func @silu_60(%x: tensor<?x?x60xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x60xf32> {
  %y = heddle.activation silu %x : tensor<?x?x60xf32>
  return %y : tensor<?x?x60xf32>
}

func.func @relu_60(%x: tensor<?x?x60xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x60xf32> {
  %y = heddle.activation relu %x : tensor<?x?x60xf32>
  return %y : tensor<?x?x60xf32>
}

func.func @addf_60(%x: tensor<?x?x60xf32> {heddle.sizes = ["batch", "length"]},
    %y: tensor<?x?x60xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x60xf32> {
  %z = arith.addf %x, %y : tensor<?x?x60xf32>
  return %z : tensor<?x?x60xf32>
}

func.func @mulf_60(%x: tensor<?x?x60xf32> {heddle.sizes = ["batch", "length"]},
    %y: tensor<?x?x60xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x60xf32> {
  %z = arith.mulf %x, %y : tensor<?x?x60xf32>
  return %z : tensor<?x?x60xf32>
}

func.func @subf_60(%x: tensor<?x?x60xf32> {heddle.sizes = ["batch", "length"]},
    %y: tensor<?x?x60xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x60xf32> {
  %z = arith.subf %x, %y : tensor<?x?x60xf32>
  return %z : tensor<?x?x60xf32>
}

func.func @silu_7(%x: tensor<?x?x7xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x7xf32> {
  %y = heddle.activation silu %x : tensor<?x?x7xf32>
  return %y : tensor<?x?x7xf32>
}

func.func @relu_7(%x: tensor<?x?x7xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x7xf32> {
  %y = heddle.activation relu %x : tensor<?x?x7xf32>
  return %y : tensor<?x?x7xf32>
}

func.func @addf_7(%x: tensor<?x?x7xf32> {heddle.sizes = ["batch", "length"]},
    %y: tensor<?x?x7xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x7xf32> {
  %z = arith.addf %x, %y : tensor<?x?x7xf32>
  return %z : tensor<?x?x7xf32>
}

func.func @mulf_7(%x: tensor<?x?x7xf32> {heddle.sizes = ["batch", "length"]},
    %y: tensor<?x?x7xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x7xf32> {
  %z = arith.mulf %x, %y : tensor<?x?x7xf32>
  return %z : tensor<?x?x7xf32>
}

func.func @subf_7(%x: tensor<?x?x7xf32> {heddle.sizes = ["batch", "length"]},
    %y: tensor<?x?x7xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x7xf32> {
  %z = arith.subf %x, %y : tensor<?x?x7xf32>
  return %z : tensor<?x?x7xf32>
}

// After a convolution or a heddle.group_norm: [batch, channels, places].
func.func @gelu_channels_first(%x: tensor<?x7x?xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x7x?xf32> {
  %y = heddle.activation gelu %x : tensor<?x7x?xf32>
  return %y : tensor<?x7x?xf32>
}

func.func @silu_f16(%x: tensor<2x?x33xf16> {heddle.sizes = ["length"]}) -> tensor<2x?x33xf16> {
  %y = heddle.activation silu %x : tensor<2x?x33xf16>
  return %y : tensor<2x?x33xf16>
}

func.func @tanh_bf16_one(%x: tensor<bf16>) -> tensor<bf16> {
  %y = heddle.activation tanh %x : tensor<bf16>
  return %y : tensor<bf16>
}
