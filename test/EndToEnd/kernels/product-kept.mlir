// What is made of a product's sums and read twice is kept beside them.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify --target-cpu=native -o kernel.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --verify --target-cpu=x86-64-v3 -o kernel.o | FileCheck %s %}

// CHECK: verified f: 1 kernel
// CHECK: verified any: 1 kernel

heddle.weight @w = dense<0.5> : tensor<33x64xf32>

func.func @f(%x: tensor<3x1x64xf32>) -> tensor<3x1x33xf32> {
  %w = heddle.weight_ref @w : tensor<33x64xf32>
  %y = heddle.linear %x, %w : tensor<3x1x64xf32>, tensor<33x64xf32>
  %sin, %cos = math.sincos %y : tensor<3x1x33xf32>
  %s = heddle.reduce max %sin axes [1] keep_sizes : tensor<3x1x33xf32> -> tensor<3x1x33xf32>
  %z = arith.addf %s, %sin : tensor<3x1x33xf32>
  return %z : tensor<3x1x33xf32>
}

func.func @any(%x: tensor<?x1x64xf32> {heddle.sizes = ["n"]}) -> tensor<?x1x33xf32> {
  %w = heddle.weight_ref @w : tensor<33x64xf32>
  %y = heddle.linear %x, %w : tensor<?x1x64xf32>, tensor<33x64xf32>
  %sin, %cos = math.sincos %y : tensor<?x1x33xf32>
  %s = heddle.reduce max %sin axes [1] keep_sizes : tensor<?x1x33xf32> -> tensor<?x1x33xf32>
  %z = arith.addf %s, %cos : tensor<?x1x33xf32>
  return %z : tensor<?x1x33xf32>
}
