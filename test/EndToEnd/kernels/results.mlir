// Results that are read again, that share what they are computed from, or that are
// returned twice; two appends in a row. Channels are no multiple of a panel, so that
// buffers of the caller and of the workspace differ.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: python3 %S/../Inputs/random_weights.py %s weights
// RUN: heddlec %s --weights=weights --verify --target-cpu=native -o kernel.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --weights=weights --verify --target-cpu=x86-64-v3 -o kernel.o | FileCheck %s %}

// CHECK: verified returned_and_read: 2 kernel
// CHECK: verified two_epilogues_of_a_contraction: 1 kernel
// CHECK: verified two_epilogues_of_a_norm: 1 kernel
// CHECK: verified returned_twice: 1 kernel
// CHECK: verified two_appends: 3 kernel
// CHECK: verified two_caches: 3 kernel

heddle.weight @square from "square" : tensor<60x60xf32>
heddle.weight @norm from "norm" : tensor<60xf32>

func.func @returned_and_read(%x: tensor<?x?x60xf32> {heddle.sizes = ["batch", "length"]})
    -> (tensor<?x?x60xf32>, tensor<?x?x60xf32>) {
  %w = heddle.weight_ref @square : tensor<60x60xf32>
  %y = heddle.linear %x, %w : tensor<?x?x60xf32>, tensor<60x60xf32>
  %z = heddle.linear %y, %w : tensor<?x?x60xf32>, tensor<60x60xf32>
  return %y, %z : tensor<?x?x60xf32>, tensor<?x?x60xf32>
}

func.func @two_epilogues_of_a_contraction(
    %x: tensor<?x?x60xf32> {heddle.sizes = ["batch", "length"]})
    -> (tensor<?x?x60xf32>, tensor<?x?x60xf32>) {
  %w = heddle.weight_ref @square : tensor<60x60xf32>
  %y = heddle.linear %x, %w : tensor<?x?x60xf32>, tensor<60x60xf32>
  %a = heddle.activation relu %y : tensor<?x?x60xf32>
  %b = arith.addf %x, %y : tensor<?x?x60xf32>
  return %a, %b : tensor<?x?x60xf32>, tensor<?x?x60xf32>
}

func.func @two_epilogues_of_a_norm(
    %x: tensor<?x?x60xf32> {heddle.sizes = ["batch", "length"]})
    -> (tensor<?x?x60xf32>, tensor<?x?x60xf32>) {
  %w = heddle.weight_ref @norm : tensor<60xf32>
  %y = heddle.rms_norm %x, %w epsilon(1.0e-5) : tensor<?x?x60xf32>, tensor<60xf32>
  %a = heddle.activation relu %y : tensor<?x?x60xf32>
  %b = arith.addf %x, %y : tensor<?x?x60xf32>
  return %a, %b : tensor<?x?x60xf32>, tensor<?x?x60xf32>
}

func.func @returned_twice(%x: tensor<?x?x60xf32> {heddle.sizes = ["batch", "length"]})
    -> (tensor<?x?x60xf32>, tensor<?x?x60xf32>) {
  %w = heddle.weight_ref @square : tensor<60x60xf32>
  %y = heddle.linear %x, %w : tensor<?x?x60xf32>, tensor<60x60xf32>
  return %y, %y : tensor<?x?x60xf32>, tensor<?x?x60xf32>
}

func.func @two_appends(%x: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]},
    %starts: tensor<?xi32> {heddle.name = "starts", heddle.sizes = ["batch"]},
    %lengths: tensor<?xi32> {heddle.name = "lengths", heddle.sizes = ["batch"]},
    %c: !heddle.cache<2 x 1 x 8 x f32> {heddle.sizes = ["batch", "capacity"]})
    -> !heddle.cache<2 x 1 x 8 x f32> {
  %y = heddle.activation relu %x : tensor<?x?x8xf32>
  %c1 = heddle.cache.append %c, %y, %x layer(1) at(%starts) lengths(%lengths)
      : !heddle.cache<2 x 1 x 8 x f32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?xi32>, tensor<?xi32>
  %c2 = heddle.cache.append %c1, %x, %y layer(1) at(%starts) lengths(%lengths)
      : !heddle.cache<2 x 1 x 8 x f32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?xi32>, tensor<?xi32>
  return %c2 : !heddle.cache<2 x 1 x 8 x f32>
}

func.func @two_caches(%x: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]},
    %starts: tensor<?xi32> {heddle.name = "starts", heddle.sizes = ["batch"]},
    %lengths: tensor<?xi32> {heddle.name = "lengths", heddle.sizes = ["batch"]},
    %c: !heddle.cache<1 x 1 x 8 x f32> {heddle.sizes = ["batch", "capacity"]},
    %d: !heddle.cache<1 x 1 x 8 x f32> {heddle.sizes = ["batch", "capacity"]})
    -> (!heddle.cache<1 x 1 x 8 x f32>, !heddle.cache<1 x 1 x 8 x f32>) {
  %y = heddle.activation relu %x : tensor<?x?x8xf32>
  %c1 = heddle.cache.append %c, %y, %y layer(0) at(%starts) lengths(%lengths)
      : !heddle.cache<1 x 1 x 8 x f32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?xi32>, tensor<?xi32>
  %d1 = heddle.cache.append %d, %y, %y layer(0) at(%starts) lengths(%lengths)
      : !heddle.cache<1 x 1 x 8 x f32>, tensor<?x?x8xf32>, tensor<?x?x8xf32>, tensor<?xi32>, tensor<?xi32>
  return %c1, %d1 : !heddle.cache<1 x 1 x 8 x f32>, !heddle.cache<1 x 1 x 8 x f32>
}
