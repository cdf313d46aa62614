// heddle.embedding and heddle.last_token: rows chosen by ids and by lengths. They are copies, so
// that nothing may differ.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: python3 %S/../Inputs/random_weights.py %s weights
// RUN: heddlec %s --weights=weights --verify --target-cpu=native -o kernel.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --weights=weights --verify --target-cpu=x86-64-v3 -o kernel.o | FileCheck %s %}

// CHECK: verified embedding_many_64_f32: 1 kernel
// CHECK: verified embedding_few_64_f32: 1 kernel
// CHECK: verified embedding_many_60_f32: 1 kernel
// CHECK: verified embedding_few_60_f32: 1 kernel
// CHECK: verified embedding_many_64_bf16: 1 kernel
// CHECK: verified embedding_few_64_bf16: 1 kernel
// CHECK: verified embedding_many_60_f16: 1 kernel
// CHECK: verified embedding_few_60_f16: 1 kernel
// CHECK: verified last_token_64: 1 kernel
// CHECK: verified last_token_60: 1 kernel

module {
heddle.weight @table64_f32 from "table64_f32" : tensor<71x64xf32>
heddle.weight @table60_f32 from "table60_f32" : tensor<71x60xf32>
heddle.weight @table64_bf16 from "table64_bf16" : tensor<71x64xbf16>
heddle.weight @table60_f16 from "table60_f16" : tensor<71x60xf16>

func.func @embedding_many_64_f32(%ids: tensor<?x?xi32> {heddle.name = "ids", heddle.sizes = ["batch", "length"]}) -> tensor<?x?x64xf32> {
  %t = heddle.weight_ref @table64_f32 : tensor<71x64xf32>
  %y = heddle.embedding %ids, %t : tensor<?x?xi32>, tensor<71x64xf32>
  return %y : tensor<?x?x64xf32>
}

func.func @embedding_few_64_f32(%ids: tensor<?x1xi32> {heddle.name = "ids", heddle.sizes = ["batch"]}) -> tensor<?x1x64xf32> {
  %t = heddle.weight_ref @table64_f32 : tensor<71x64xf32>
  %y = heddle.embedding %ids, %t : tensor<?x1xi32>, tensor<71x64xf32>
  return %y : tensor<?x1x64xf32>
}

func.func @embedding_many_60_f32(%ids: tensor<?x?xi32> {heddle.name = "ids", heddle.sizes = ["batch", "length"]}) -> tensor<?x?x60xf32> {
  %t = heddle.weight_ref @table60_f32 : tensor<71x60xf32>
  %y = heddle.embedding %ids, %t : tensor<?x?xi32>, tensor<71x60xf32>
  return %y : tensor<?x?x60xf32>
}

func.func @embedding_few_60_f32(%ids: tensor<?x1xi32> {heddle.name = "ids", heddle.sizes = ["batch"]}) -> tensor<?x1x60xf32> {
  %t = heddle.weight_ref @table60_f32 : tensor<71x60xf32>
  %y = heddle.embedding %ids, %t : tensor<?x1xi32>, tensor<71x60xf32>
  return %y : tensor<?x1x60xf32>
}

func.func @embedding_many_64_bf16(%ids: tensor<?x?xi32> {heddle.name = "ids", heddle.sizes = ["batch", "length"]}) -> tensor<?x?x64xf32> {
  %t = heddle.weight_ref @table64_bf16 : tensor<71x64xbf16>
  %y = heddle.embedding %ids, %t : tensor<?x?xi32>, tensor<71x64xbf16>
  return %y : tensor<?x?x64xf32>
}

func.func @embedding_few_64_bf16(%ids: tensor<?x1xi32> {heddle.name = "ids", heddle.sizes = ["batch"]}) -> tensor<?x1x64xf32> {
  %t = heddle.weight_ref @table64_bf16 : tensor<71x64xbf16>
  %y = heddle.embedding %ids, %t : tensor<?x1xi32>, tensor<71x64xbf16>
  return %y : tensor<?x1x64xf32>
}

func.func @embedding_many_60_f16(%ids: tensor<?x?xi32> {heddle.name = "ids", heddle.sizes = ["batch", "length"]}) -> tensor<?x?x60xf32> {
  %t = heddle.weight_ref @table60_f16 : tensor<71x60xf16>
  %y = heddle.embedding %ids, %t : tensor<?x?xi32>, tensor<71x60xf16>
  return %y : tensor<?x?x60xf32>
}

func.func @embedding_few_60_f16(%ids: tensor<?x1xi32> {heddle.name = "ids", heddle.sizes = ["batch"]}) -> tensor<?x1x60xf32> {
  %t = heddle.weight_ref @table60_f16 : tensor<71x60xf16>
  %y = heddle.embedding %ids, %t : tensor<?x1xi32>, tensor<71x60xf16>
  return %y : tensor<?x1x60xf32>
}

func.func @last_token_64(%x: tensor<?x?x64xf32> {heddle.sizes = ["batch", "length"]},
    %lengths: tensor<?xi32> {heddle.name = "lengths", heddle.sizes = ["batch"]}) -> tensor<?x64xf32> {
  %y = heddle.last_token %x, %lengths : tensor<?x?x64xf32>, tensor<?xi32>
  return %y : tensor<?x64xf32>
}

func.func @last_token_60(%x: tensor<?x?x60xf32> {heddle.sizes = ["batch", "length"]},
    %lengths: tensor<?xi32> {heddle.name = "lengths", heddle.sizes = ["batch"]}) -> tensor<?x60xf32> {
  %y = heddle.last_token %x, %lengths : tensor<?x?x60xf32>, tensor<?xi32>
  return %y : tensor<?x60xf32>
}
}
