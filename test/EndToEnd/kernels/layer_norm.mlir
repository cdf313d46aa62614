// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify -o kernel.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --verify --target-cpu=x86-64-v3 -o kernel.o | FileCheck %s %}

// CHECK: verified rows: 1 kernels
// CHECK: verified tokens: 1 kernels
// CHECK: verified odd: 1 kernels

heddle.weight @weight = dense<1.25> : tensor<768xf32>
heddle.weight @bias = dense<-0.5> : tensor<768xf32>
func.func @rows(%x: tensor<5x768xf32>) -> tensor<5x768xf32> {
  %w = heddle.weight_ref @weight : tensor<768xf32>
  %b = heddle.weight_ref @bias : tensor<768xf32>
  %y = heddle.layer_norm %x, %w, %b epsilon(1.0e-5)
     : tensor<5x768xf32>, tensor<768xf32>, tensor<768xf32>
  return %y : tensor<5x768xf32>
}

func.func @tokens(%x: tensor<?x?x64xf32> {heddle.sizes = ["b", "l"]}, %w: tensor<64xf32>, %b: tensor<64xf32>)
    -> tensor<?x?x64xf32> {
  %y = heddle.layer_norm %x, %w, %b epsilon(0.0)
     : tensor<?x?x64xf32>, tensor<64xf32>, tensor<64xf32>
  return %y : tensor<?x?x64xf32>
}

func.func @odd(%x: tensor<7x33xf32>, %w: tensor<33xf32>, %b: tensor<33xf32>) -> tensor<7x33xf32> {
  %y = heddle.layer_norm %x, %w, %b epsilon(0.5)
     : tensor<7x33xf32>, tensor<33xf32>, tensor<33xf32>
  return %y : tensor<7x33xf32>
}
