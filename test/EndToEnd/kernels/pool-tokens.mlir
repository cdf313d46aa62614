// heddle.pool_tokens of all kinds and types, at tails.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify --target-cpu=native -o kernel.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --verify --target-cpu=x86-64-v3 -o kernel.o | FileCheck %s %}

// CHECK: verified mean_64: 1 kernel
// CHECK: verified mean_5: 1 kernel
// CHECK: verified sum_60: 1 kernel
// CHECK: verified max_61: 1 kernel
// CHECK: verified mean_f16: 1 kernel
// CHECK: verified max_bf16: 1 kernel

func.func @mean_64(%x: tensor<?x?x64xf32> {heddle.name = "x", heddle.sizes = ["batch", "length"]}, %n: tensor<?xi32> {heddle.name = "n", heddle.sizes = ["batch"]}) -> tensor<?x64xf32> {
  %y = heddle.pool_tokens mean %x, %n : tensor<?x?x64xf32>, tensor<?xi32>
  return %y : tensor<?x64xf32>
}

func.func @mean_5(%x: tensor<?x?x5xf32> {heddle.name = "x", heddle.sizes = ["batch", "length"]}, %n: tensor<?xi64> {heddle.name = "n", heddle.sizes = ["batch"]}) -> tensor<?x5xf32> {
  %y = heddle.pool_tokens mean %x, %n : tensor<?x?x5xf32>, tensor<?xi64>
  return %y : tensor<?x5xf32>
}

func.func @sum_60(%x: tensor<?x?x60xf32> {heddle.name = "x", heddle.sizes = ["batch", "length"]}, %n: tensor<?xi32> {heddle.name = "n", heddle.sizes = ["batch"]}) -> tensor<?x60xf32> {
  %y = heddle.pool_tokens sum %x, %n : tensor<?x?x60xf32>, tensor<?xi32>
  return %y : tensor<?x60xf32>
}

func.func @max_61(%x: tensor<?x?x61xf32> {heddle.name = "x", heddle.sizes = ["batch", "length"]}, %n: tensor<?xi32> {heddle.name = "n", heddle.sizes = ["batch"]}) -> tensor<?x61xf32> {
  %y = heddle.pool_tokens max %x, %n : tensor<?x?x61xf32>, tensor<?xi32>
  return %y : tensor<?x61xf32>
}

func.func @mean_f16(%x: tensor<?x?x64xf16> {heddle.name = "x", heddle.sizes = ["batch", "length"]}, %n: tensor<?xi32> {heddle.name = "n", heddle.sizes = ["batch"]}) -> tensor<?x64xf16> {
  %y = heddle.pool_tokens mean %x, %n : tensor<?x?x64xf16>, tensor<?xi32>
  return %y : tensor<?x64xf16>
}

func.func @max_bf16(%x: tensor<?x?x64xbf16> {heddle.name = "x", heddle.sizes = ["batch", "length"]}, %n: tensor<?xi32> {heddle.name = "n", heddle.sizes = ["batch"]}) -> tensor<?x64xbf16> {
  %y = heddle.pool_tokens max %x, %n : tensor<?x?x64xbf16>, tensor<?xi32>
  return %y : tensor<?x64xbf16>
}
