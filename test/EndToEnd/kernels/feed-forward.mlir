// Contractions with a normalisation before and activations, products, sums and biases
// after them.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: python3 %S/../Inputs/random_weights.py %s weights
// RUN: heddlec %s --weights=weights --verify --target-cpu=native -o kernel.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --weights=weights --verify --target-cpu=x86-64-v3 -o kernel.o | FileCheck %s %}

// CHECK: verified gated_many: 3 kernel
// CHECK: verified bias_many: 1 kernel
// CHECK: verified gated_few: 3 kernel
// CHECK: verified bias_few: 1 kernel
// CHECK: verified one_row: 2 kernels

heddle.weight @norm from "norm" : tensor<60xf32>
heddle.weight @gate from "gate" : tensor<172x60xf32>
heddle.weight @up from "up" : tensor<172x60xf32>
heddle.weight @down from "down" : tensor<60x172xf32>
heddle.weight @bias from "bias" : tensor<172xf32>

func.func @gated_many(%x: tensor<?x?x60xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x60xf32> {
  %norm = heddle.weight_ref @norm : tensor<60xf32>
  %gate = heddle.weight_ref @gate : tensor<172x60xf32>
  %up = heddle.weight_ref @up : tensor<172x60xf32>
  %down = heddle.weight_ref @down : tensor<60x172xf32>
  %n = heddle.rms_norm %x, %norm epsilon(1.0e-5) : tensor<?x?x60xf32>, tensor<60xf32>
  %f = heddle.gated_feed_forward silu %n, %gate, %up, %down
      : tensor<?x?x60xf32>, tensor<172x60xf32>, tensor<172x60xf32>, tensor<60x172xf32>
  %y = arith.addf %x, %f : tensor<?x?x60xf32>
  return %y : tensor<?x?x60xf32>
}

func.func @bias_many(%x: tensor<?x?x60xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?x?x172xf32> {
  %up = heddle.weight_ref @up : tensor<172x60xf32>
  %bias = heddle.weight_ref @bias : tensor<172xf32>
  %y = heddle.linear %x, %up bias(%bias : tensor<172xf32>) : tensor<?x?x60xf32>, tensor<172x60xf32>
  %z = heddle.activation relu %y : tensor<?x?x172xf32>
  return %z : tensor<?x?x172xf32>
}

func.func @gated_few(%x: tensor<?x1x60xf32> {heddle.sizes = ["batch"]}) -> tensor<?x1x60xf32> {
  %norm = heddle.weight_ref @norm : tensor<60xf32>
  %gate = heddle.weight_ref @gate : tensor<172x60xf32>
  %up = heddle.weight_ref @up : tensor<172x60xf32>
  %down = heddle.weight_ref @down : tensor<60x172xf32>
  %n = heddle.rms_norm %x, %norm epsilon(1.0e-5) : tensor<?x1x60xf32>, tensor<60xf32>
  %f = heddle.gated_feed_forward silu %n, %gate, %up, %down
      : tensor<?x1x60xf32>, tensor<172x60xf32>, tensor<172x60xf32>, tensor<60x172xf32>
  %y = arith.addf %x, %f : tensor<?x1x60xf32>
  return %y : tensor<?x1x60xf32>
}

func.func @bias_few(%x: tensor<?x1x60xf32> {heddle.sizes = ["batch"]}) -> tensor<?x1x172xf32> {
  %up = heddle.weight_ref @up : tensor<172x60xf32>
  %bias = heddle.weight_ref @bias : tensor<172xf32>
  %y = heddle.linear %x, %up bias(%bias : tensor<172xf32>) : tensor<?x1x60xf32>, tensor<172x60xf32>
  %z = heddle.activation relu %y : tensor<?x1x172xf32>
  return %z : tensor<?x1x172xf32>
}

// Products of one row, of which one has register tiles: the columns of an argument lie in no
// panels.
func.func @one_row(%x: tensor<60xf32>, %gate: tensor<172x60xf32>) -> tensor<172xf32> {
  %up = heddle.weight_ref @up : tensor<172x60xf32>
  %a = heddle.linear %x, %gate : tensor<60xf32>, tensor<172x60xf32>
  %b = heddle.linear %x, %up : tensor<60xf32>, tensor<172x60xf32>
  %y = arith.mulf %a, %b : tensor<172xf32>
  return %y : tensor<172xf32>
}
