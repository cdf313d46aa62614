// Attention that is spelled out, in several ways, and as the op: the same kernels, and the
// same numbers.

// On a device, which takes long here, with --slow.
// UNSUPPORTED: brief

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify -o kernel.o | FileCheck %s
// RUN: heddlec %s --emit=kernels -o - | FileCheck %s --check-prefix=KERNELS

// A device packs no values.
// CHECK: verified op: {{[23]}} kernels
// CHECK: verified multi_head: {{[23]}} kernels
// CHECK: verified scaled_keys: 2 kernels
// CHECK: verified bias_and_weights: 2 kernels
// CHECK: verified grouped: 2 kernels
// CHECK: verified five: {{[23]}} kernels
// CHECK: verified three: {{[23]}} kernels
// CHECK: verified boolean: {{[34]}} kernels

// As one op, and as many: both launch the same two kernels.
// KERNELS-LABEL: func.func @op(
// KERNELS: heddle.launch @op_pack(
// KERNELS: heddle.launch @op_attention(
// KERNELS-LABEL: func.func @multi_head(
// KERNELS: heddle.launch @op_pack(
// KERNELS: heddle.launch @op_attention(
// KERNELS-NOT: heddle.launch
// KERNELS: return
func.func @op(%q: tensor<?x?x64xf32> {heddle.sizes = ["b", "l"]}, %k: tensor<?x?x64xf32> {heddle.sizes = ["b", "l"]},
    %v: tensor<?x?x64xf32> {heddle.sizes = ["b", "l"]}) -> tensor<?x?x64xf32> {
  %m = heddle.mask.causal align(top_left)
  %y = heddle.attention %q, %k, %v mask(%m) heads(4, kv = 4) : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  return %y : tensor<?x?x64xf32>
}

func.func @multi_head(%q: tensor<?x?x64xf32> {heddle.sizes = ["b", "l"]}, %k: tensor<?x?x64xf32> {heddle.sizes = ["b", "l"]},
    %v: tensor<?x?x64xf32> {heddle.sizes = ["b", "l"]}) -> tensor<?x?x64xf32> {
  %q0 = heddle.reshape %q to ["b", "l", 4, 16] : tensor<?x?x64xf32> -> tensor<?x?x4x16xf32>
  %q1 = heddle.transpose %q0 permutation [0, 2, 1, 3] : tensor<?x?x4x16xf32> -> tensor<?x4x?x16xf32>
  %k0 = heddle.reshape %k to ["b", "l", 4, 16] : tensor<?x?x64xf32> -> tensor<?x?x4x16xf32>
  %k1 = heddle.transpose %k0 permutation [0, 2, 3, 1] : tensor<?x?x4x16xf32> -> tensor<?x4x16x?xf32>
  %v0 = heddle.reshape %v to ["b", "l", 4, 16] : tensor<?x?x64xf32> -> tensor<?x?x4x16xf32>
  %v1 = heddle.transpose %v0 permutation [0, 2, 1, 3] : tensor<?x?x4x16xf32> -> tensor<?x4x?x16xf32>
  %s = heddle.matmul %q1, %k1 : tensor<?x4x?x16xf32>, tensor<?x4x16x?xf32> -> tensor<?x4x?x?xf32>
  %c = arith.constant dense<0.25> : tensor<1xf32>
  %cb = heddle.broadcast %c to ["b", 4, "l", "l"] : tensor<1xf32> -> tensor<?x4x?x?xf32>
  %s1 = arith.mulf %s, %cb : tensor<?x4x?x?xf32>
  %i = heddle.iota axis(0) sizes ["l", "l"] : tensor<?x?xi32>
  %j = heddle.iota axis(1) sizes ["l", "l"] : tensor<?x?xi32>
  %keep = arith.cmpi sle, %j, %i : tensor<?x?xi32>
  %low = arith.constant dense<0xFF800000> : tensor<1xf32>
  %s2 = heddle.where %keep, %s1, %low : tensor<?x?xi1>, tensor<?x4x?x?xf32>, tensor<1xf32> -> tensor<?x4x?x?xf32>
  %w = heddle.softmax %s2 axis(3) : tensor<?x4x?x?xf32>
  %o = heddle.matmul %w, %v1 : tensor<?x4x?x?xf32>, tensor<?x4x?x16xf32> -> tensor<?x4x?x16xf32>
  %o1 = heddle.transpose %o permutation [0, 2, 1, 3] : tensor<?x4x?x16xf32> -> tensor<?x?x4x16xf32>
  %y = heddle.reshape %o1 to ["b", "l", 64] : tensor<?x?x4x16xf32> -> tensor<?x?x64xf32>
  return %y : tensor<?x?x64xf32>
}

// The scale is on the keys.
func.func @scaled_keys(%q: tensor<2x3x17x16xf32>, %k: tensor<2x3x40x16xf32>, %v: tensor<2x3x40x24xf32>) -> tensor<2x3x17x24xf32> {
  %c = arith.constant dense<0.25> : tensor<2x3x40x16xf32>
  %k1 = arith.mulf %k, %c : tensor<2x3x40x16xf32>
  %s = heddle.matmul %q, %k1 transpose_b : tensor<2x3x17x16xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x40xf32>
  %w = heddle.softmax %s axis(3) : tensor<2x3x17x40xf32>
  %o = heddle.matmul %w, %v : tensor<2x3x17x40xf32>, tensor<2x3x40x24xf32> -> tensor<2x3x17x24xf32>
  return %o : tensor<2x3x17x24xf32>
}

// A bias and a cap, and the weights are a result, too.
func.func @bias_and_weights(%q: tensor<2x3x17x16xf32>, %k: tensor<2x3x40x16xf32>, %bias: tensor<3x1x40xf32>)
    -> (tensor<2x3x17x16xf32>, tensor<2x3x17x40xf32>) {
  %s = heddle.matmul %q, %k transpose_b : tensor<2x3x17x16xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x40xf32>
  %t = math.tanh %s : tensor<2x3x17x40xf32>
  %b = heddle.broadcast %bias to [2, 3, 17, 40] : tensor<3x1x40xf32> -> tensor<2x3x17x40xf32>
  %u = arith.addf %t, %b : tensor<2x3x17x40xf32>
  %w = heddle.softmax %u axis(3) : tensor<2x3x17x40xf32>
  %o = heddle.matmul %w, %k : tensor<2x3x17x40xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x16xf32>
  return %o, %w : tensor<2x3x17x16xf32>, tensor<2x3x17x40xf32>
}

// Keys and values are repeated for the heads that share them.
func.func @grouped(%q: tensor<2x6x17x16xf32>, %k: tensor<2x2x40x16xf32>) -> tensor<2x6x17x16xf32> {
  %k0 = heddle.expand %k axes [2] : tensor<2x2x40x16xf32> -> tensor<2x2x1x40x16xf32>
  %k1 = heddle.broadcast %k0 to [2, 2, 3, 40, 16] : tensor<2x2x1x40x16xf32> -> tensor<2x2x3x40x16xf32>
  %k2 = heddle.reshape %k1 to [2, 6, 40, 16] : tensor<2x2x3x40x16xf32> -> tensor<2x6x40x16xf32>
  %s = heddle.matmul %q, %k2 transpose_b : tensor<2x6x17x16xf32>, tensor<2x6x40x16xf32> -> tensor<2x6x17x40xf32>
  %w = heddle.softmax %s axis(3) : tensor<2x6x17x40xf32>
  %o = heddle.matmul %w, %k2 : tensor<2x6x17x40xf32>, tensor<2x6x40x16xf32> -> tensor<2x6x17x16xf32>
  return %o : tensor<2x6x17x16xf32>
}

// The same in five dimensions, without the repetition.
func.func @five(%q: tensor<2x2x3x17x16xf32>, %k: tensor<2x2x1x40x16xf32>) -> tensor<2x2x3x17x16xf32> {
  %k1 = heddle.broadcast %k to [2, 2, 3, 40, 16] : tensor<2x2x1x40x16xf32> -> tensor<2x2x3x40x16xf32>
  %s = heddle.matmul %q, %k1 transpose_b : tensor<2x2x3x17x16xf32>, tensor<2x2x3x40x16xf32> -> tensor<2x2x3x17x40xf32>
  %w = heddle.softmax %s axis(4) : tensor<2x2x3x17x40xf32>
  %o = heddle.matmul %w, %k1 : tensor<2x2x3x17x40xf32>, tensor<2x2x3x40x16xf32> -> tensor<2x2x3x17x16xf32>
  return %o : tensor<2x2x3x17x16xf32>
}

// Sequences and heads are one dimension, and the softmax is over the second.
func.func @three(%q: tensor<?x?x16xf32> {heddle.sizes = ["n", "q"]}, %k: tensor<?x?x16xf32> {heddle.sizes = ["n", "k"]})
    -> tensor<?x?x16xf32> {
  %s = heddle.matmul %k, %q transpose_b : tensor<?x?x16xf32>, tensor<?x?x16xf32> -> tensor<?x?x?xf32>
  %w = heddle.softmax %s axis(1) : tensor<?x?x?xf32>
  %t = heddle.transpose %w permutation [0, 2, 1] : tensor<?x?x?xf32> -> tensor<?x?x?xf32>
  %o = heddle.matmul %t, %k : tensor<?x?x?xf32>, tensor<?x?x16xf32> -> tensor<?x?x16xf32>
  return %o : tensor<?x?x16xf32>
}

// Two booleans, one of which says what to drop.
func.func @boolean(%q: tensor<2x3x17x16xf32>, %k: tensor<2x3x40x16xf32>, %valid: tensor<2x1x1x40xi1>, %drop: tensor<17x40xi1>)
    -> tensor<2x3x17x16xf32> {
  %s = heddle.matmul %q, %k transpose_b : tensor<2x3x17x16xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x40xf32>
  %low = arith.constant dense<0xFF800000> : tensor<1xf32>
  %s1 = heddle.where %valid, %s, %low : tensor<2x1x1x40xi1>, tensor<2x3x17x40xf32>, tensor<1xf32> -> tensor<2x3x17x40xf32>
  %s2 = heddle.where %drop, %low, %s1 : tensor<17x40xi1>, tensor<1xf32>, tensor<2x3x17x40xf32> -> tensor<2x3x17x40xf32>
  %w = heddle.softmax %s2 axis(3) : tensor<2x3x17x40xf32>
  %o = heddle.matmul %w, %k : tensor<2x3x17x40xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x16xf32>
  return %o : tensor<2x3x17x16xf32>
}
