// Batches that the model fixes, and sequences with several lengths.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify -o kernel.o | FileCheck %s

// CHECK: verified one_sequence: 1 kernel
// CHECK: verified four_sequences: {{3|4}} kernels
// CHECK: verified two_lengths: 2 kernels
// CHECK: verified lengths_of_fixed_tokens: 2 kernels
// CHECK: verified unused: 1 kernel
// CHECK: verified prefill: 2 kernels
// CHECK: verified decode: 2 kernels

func.func @one_sequence(%x: tensor<1x?x8xf32> {heddle.sizes = ["length"]}, %n: tensor<1xi32>)
    -> tensor<1x8xf32> {
  %l = heddle.last_token %x, %n : tensor<1x?x8xf32>, tensor<1xi32>
  return %l : tensor<1x8xf32>
}

func.func @four_sequences(%x: tensor<4x?x8xf32> {heddle.sizes = ["length"]}, %n: tensor<4xi32>)
    -> tensor<4x8xf32> {
  %m = heddle.mask.lengths %n : tensor<4xi32>
  %o = heddle.attention %x, %x, %x mask(%m) heads(2, kv = 2) scale(0.5)
     : tensor<4x?x8xf32>, tensor<4x?x8xf32>, tensor<4x?x8xf32>
  %l = heddle.last_token %o, %n : tensor<4x?x8xf32>, tensor<4xi32>
  return %l : tensor<4x8xf32>
}

func.func @two_lengths(%x: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]},
    %first: tensor<?xi32> {heddle.sizes = ["batch"]}, %second: tensor<?xi32> {heddle.sizes = ["batch"]})
    -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %a = heddle.last_token %x, %first : tensor<?x?x8xf32>, tensor<?xi32>
  %b = heddle.last_token %x, %second : tensor<?x?x8xf32>, tensor<?xi32>
  return %a, %b : tensor<?x8xf32>, tensor<?x8xf32>
}

func.func @lengths_of_fixed_tokens(%x: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]},
    %y: tensor<?x5x8xf32> {heddle.sizes = ["batch"]},
    %first: tensor<?xi32> {heddle.sizes = ["batch"]}, %second: tensor<?xi32> {heddle.sizes = ["batch"]})
    -> (tensor<?x8xf32>, tensor<?x8xf32>) {
  %a = heddle.last_token %x, %first : tensor<?x?x8xf32>, tensor<?xi32>
  %b = heddle.last_token %y, %second : tensor<?x5x8xf32>, tensor<?xi32>
  return %a, %b : tensor<?x8xf32>, tensor<?x8xf32>
}

// Lengths that no kernel needs, as nothing reads the last tokens, or each is the only one.
func.func @unused(%x: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]},
    %n: tensor<?xi32> {heddle.sizes = ["batch"]}) -> tensor<?x?x8xf32> {
  %l = heddle.last_token %x, %n : tensor<?x?x8xf32>, tensor<?xi32>
  %y = arith.addf %x, %x : tensor<?x?x8xf32>
  return %y : tensor<?x?x8xf32>
}

func.func @only(%x: tensor<?x?x8xf32> {heddle.sizes = ["batch", "length"]},
    %n: tensor<?xi32> {heddle.sizes = ["batch"]}) -> tensor<?x8xf32> attributes {heddle.decoder = "length"} {
  %y = arith.addf %x, %x : tensor<?x?x8xf32>
  %l = heddle.last_token %y, %n : tensor<?x?x8xf32>, tensor<?xi32>
  return %l : tensor<?x8xf32>
}
