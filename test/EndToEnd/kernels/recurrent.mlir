// The forms of recurrent cells: the reset gate before or after the layer of the hidden state, peepholes,
// weights of all types. recurrent.test has loops over time.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: python3 %S/../Inputs/random_weights.py %s weights
// RUN: heddlec %s --weights=weights --verify --target-cpu=native -o kernel.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --weights=weights --verify --target-cpu=x86-64-v3 -o kernel.o | FileCheck %s %}

// CHECK: verified gru_reset_before: {{[0-9]+}} kernels
// CHECK: verified gru_reset_before_bf16: {{[0-9]+}} kernels
// CHECK: verified lstm_peepholes: {{[0-9]+}} kernels
// CHECK: verified lstm_peepholes_f16: {{[0-9]+}} kernels

heddle.weight @w3 from "w3" : tensor<72x20xf32>
heddle.weight @u3 from "u3" : tensor<72x24xf32>
heddle.weight @b3 from "b3" : tensor<72xf32>
heddle.weight @c3 from "c3" : tensor<72xf32>
heddle.weight @w3_bf16 from "w3_bf16" : tensor<72x20xbf16>
heddle.weight @u3_bf16 from "u3_bf16" : tensor<72x24xbf16>
heddle.weight @w4 from "w4" : tensor<96x20xf32>
heddle.weight @u4 from "u4" : tensor<96x24xf32>
heddle.weight @b4 from "b4" : tensor<96xf32>
heddle.weight @c4 from "c4" : tensor<96xf32>
heddle.weight @p4 from "p4" : tensor<72xf32>
heddle.weight @w4_f16 from "w4_f16" : tensor<96x20xf16>
heddle.weight @u4_f16 from "u4_f16" : tensor<96x24xf16>
heddle.weight @p4_bf16 from "p4_bf16" : tensor<72xbf16>

func.func @gru_reset_before(%x: tensor<?x20xf32> {heddle.sizes = ["n"]}, %h: tensor<?x24xf32> {heddle.sizes = ["n"]}) -> tensor<?x24xf32> {
  %w = heddle.weight_ref @w3 : tensor<72x20xf32>
  %u = heddle.weight_ref @u3 : tensor<72x24xf32>
  %b = heddle.weight_ref @b3 : tensor<72xf32>
  %c = heddle.weight_ref @c3 : tensor<72xf32>
  %y = heddle.gru_cell %x, %h, %w, %u biases(%b, %c : tensor<72xf32>, tensor<72xf32>) reset_before
     : tensor<?x20xf32>, tensor<?x24xf32>, tensor<72x20xf32>, tensor<72x24xf32>
  return %y : tensor<?x24xf32>
}

func.func @gru_reset_before_bf16(%x: tensor<2x?x20xf32> {heddle.sizes = ["n"]}, %h: tensor<2x?x24xf32> {heddle.sizes = ["n"]}) -> tensor<2x?x24xf32> {
  %w = heddle.weight_ref @w3_bf16 : tensor<72x20xbf16>
  %u = heddle.weight_ref @u3_bf16 : tensor<72x24xbf16>
  %y = heddle.gru_cell %x, %h, %w, %u reset_before
     : tensor<2x?x20xf32>, tensor<2x?x24xf32>, tensor<72x20xbf16>, tensor<72x24xbf16>
  return %y : tensor<2x?x24xf32>
}

func.func @lstm_peepholes(%x: tensor<?x20xf32> {heddle.sizes = ["n"]}, %h: tensor<?x24xf32> {heddle.sizes = ["n"]},
    %c: tensor<?x24xf32> {heddle.sizes = ["n"]}) -> (tensor<?x24xf32>, tensor<?x24xf32>) {
  %w = heddle.weight_ref @w4 : tensor<96x20xf32>
  %u = heddle.weight_ref @u4 : tensor<96x24xf32>
  %b = heddle.weight_ref @b4 : tensor<96xf32>
  %d = heddle.weight_ref @c4 : tensor<96xf32>
  %p = heddle.weight_ref @p4 : tensor<72xf32>
  %h1, %c1 = heddle.lstm_cell %x, %h, %c, %w, %u biases(%b, %d : tensor<96xf32>, tensor<96xf32>) peepholes(%p : tensor<72xf32>)
     : tensor<?x20xf32>, tensor<?x24xf32>, tensor<96x20xf32>, tensor<96x24xf32>
  return %h1, %c1 : tensor<?x24xf32>, tensor<?x24xf32>
}

func.func @lstm_peepholes_f16(%x: tensor<2x?x20xf32> {heddle.sizes = ["n"]}, %h: tensor<2x?x24xf32> {heddle.sizes = ["n"]},
    %c: tensor<2x?x24xf32> {heddle.sizes = ["n"]}) -> (tensor<2x?x24xf32>, tensor<2x?x24xf32>) {
  %w = heddle.weight_ref @w4_f16 : tensor<96x20xf16>
  %u = heddle.weight_ref @u4_f16 : tensor<96x24xf16>
  %p = heddle.weight_ref @p4_bf16 : tensor<72xbf16>
  %h1, %c1 = heddle.lstm_cell %x, %h, %c, %w, %u peepholes(%p : tensor<72xbf16>)
     : tensor<2x?x20xf32>, tensor<2x?x24xf32>, tensor<96x20xf16>, tensor<96x24xf16>
  return %h1, %c1 : tensor<2x?x24xf32>, tensor<2x?x24xf32>
}
