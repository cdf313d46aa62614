// Results of pairs, of heads that share keys, whose last tile has the rows of one query: what the
// schedule promises of it is proven.

// On a device, which takes long here, with --slow.
// UNSUPPORTED: brief

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify --target-cpu=native -o kernel.o | FileCheck %s
// RUN: %if slow && !device %{ heddlec %s --verify --target-cpu=x86-64-v3 -o kernel.o | FileCheck %s %}

// CHECK: verified pairs: 2 kernels
// CHECK: verified scores: 2 kernels
// CHECK: verified columns: 2 kernels

func.func @pairs(%q: tensor<2x33x32xf32>, %k: tensor<2x33x16xf32>, %v: tensor<2x33x16xf32>) -> (tensor<2x33x32xf32>, tensor<2x2x33x33xf32>) {
  %r:2 = heddle.attention %q, %k, %v heads(2, kv = 1) results(output, weights) : tensor<2x33x32xf32>, tensor<2x33x16xf32>, tensor<2x33x16xf32>
  return %r#0, %r#1 : tensor<2x33x32xf32>, tensor<2x2x33x33xf32>
}

func.func @scores(%q: tensor<1x17x96xf32>, %k: tensor<1x17x16xf32>, %v: tensor<1x17x16xf32>) -> (tensor<1x17x96xf32>, tensor<1x6x17x17xf32>, tensor<1x6x17x17xf32>) {
  %c = heddle.mask.causal align(top_left)
  %r:3 = heddle.attention %q, %k, %v mask(%c) heads(6, kv = 1) results(output, raw_scores, masked_scores) : tensor<1x17x96xf32>, tensor<1x17x16xf32>, tensor<1x17x16xf32>
  return %r#0, %r#1, %r#2 : tensor<1x17x96xf32>, tensor<1x6x17x17xf32>, tensor<1x6x17x17xf32>
}

func.func @columns(%q: tensor<1x33x64xf32>, %k: tensor<1x33x32xf32>, %v: tensor<1x33x32xf32>) -> (tensor<1x33x64xf32>, tensor<1x4x33xf32>) {
  %r:2 = heddle.attention %q, %k, %v heads(4, kv = 2) results(output, column_sums) : tensor<1x33x64xf32>, tensor<1x33x32xf32>, tensor<1x33x32xf32>
  return %r#0, %r#1 : tensor<1x33x64xf32>, tensor<1x4x33xf32>
}
