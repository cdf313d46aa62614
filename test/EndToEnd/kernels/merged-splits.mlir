// Attention of one query whose output other ops regroup, or which has many heads: what merges
// the splits of the keys on a device goes on in whichever kernel.

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify -o kernel.o | FileCheck %s

// CHECK: verified many_heads:
// CHECK: verified regrouped:
// CHECK: verified summed:
// CHECK: verified two_batches:
// CHECK: verified projected:
// CHECK: verified normed:

func.func @many_heads(%q: tensor<?x1x8192xf32> {heddle.sizes = ["batch"]},
    %k: tensor<?x?x512xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x512xf32> {heddle.sizes = ["batch", "keys"]}) -> tensor<?x1x8192xf32> {
  %r = heddle.attention %q, %k, %v heads(128, kv = 8)
      : tensor<?x1x8192xf32>, tensor<?x?x512xf32>, tensor<?x?x512xf32>
  return %r : tensor<?x1x8192xf32>
}

func.func @regrouped(%q: tensor<?x1x64xf32> {heddle.sizes = ["batch"]},
    %k: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]}) -> tensor<?x16xf32> {
  %r = heddle.attention %q, %k, %v heads(4, kv = 2)
      : tensor<?x1x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  %y = heddle.reshape %r to [-1, 16] : tensor<?x1x64xf32> -> tensor<?x16xf32>
  return %y : tensor<?x16xf32>
}

func.func @summed(%q: tensor<?x1x64xf32> {heddle.sizes = ["batch"]},
    %k: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]}) -> tensor<1x64xf32> {
  %r = heddle.attention %q, %k, %v heads(4, kv = 2)
      : tensor<?x1x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  %y = heddle.reduce sum %r axes [0] : tensor<?x1x64xf32> -> tensor<1x64xf32>
  return %y : tensor<1x64xf32>
}

func.func @two_batches(%q: tensor<?x3x1x96xf32> {heddle.sizes = ["batch"]},
    %k: tensor<?x3x?x96xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x3x?x96xf32> {heddle.sizes = ["batch", "keys"]}) -> tensor<?x3x1x96xf32> {
  %r = heddle.attention %q, %k, %v heads(2, kv = 2) layout(batch, batch, length, channel)
      : tensor<?x3x1x96xf32>, tensor<?x3x?x96xf32>, tensor<?x3x?x96xf32>
  return %r : tensor<?x3x1x96xf32>
}

heddle.weight @w = dense<0.125> : tensor<48x64xf32>
func.func @projected(%q: tensor<?x1x64xf32> {heddle.sizes = ["batch"]},
    %k: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]}) -> tensor<?x1x48xf32> {
  %w = heddle.weight_ref @w : tensor<48x64xf32>
  %r = heddle.attention %q, %k, %v heads(4, kv = 2)
      : tensor<?x1x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  %y = heddle.linear %r, %w : tensor<?x1x64xf32>, tensor<48x64xf32>
  return %y : tensor<?x1x48xf32>
}

heddle.weight @n = dense<0.5> : tensor<64xf32>
func.func @normed(%q: tensor<?x1x64xf32> {heddle.sizes = ["batch"]},
    %k: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]},
    %v: tensor<?x?x32xf32> {heddle.sizes = ["batch", "keys"]}) -> tensor<?x1x64xf32> {
  %n = heddle.weight_ref @n : tensor<64xf32>
  %r = heddle.attention %q, %k, %v heads(4, kv = 2)
      : tensor<?x1x64xf32>, tensor<?x?x32xf32>, tensor<?x?x32xf32>
  %y = heddle.rms_norm %r, %n epsilon(1.0e-5) : tensor<?x1x64xf32>, tensor<64xf32>
  return %y : tensor<?x1x64xf32>
}
