// Heads that share keys, softmax that is spelled out, and two to five dimensions.

// On a device, which takes long here, with --slow.
// UNSUPPORTED: brief
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify -o kernel.o | FileCheck %s
// RUN: heddlec %s --emit=kernels -o - | FileCheck %s --check-prefix=KERNELS

// CHECK: verified op_grouped: 2 kernels
// CHECK: verified grouped_before: 2 kernels
// CHECK: verified grouped_after: 2 kernels
// CHECK: verified grouped_five: 2 kernels
// CHECK: verified op_plain: 2 kernels
// CHECK: verified spelled_softmax: 2 kernels
// CHECK: verified nokeep_softmax: 2 kernels
// CHECK: verified shift_by_score: 4 kernels

// KERNELS-LABEL: func.func @op_grouped(
// KERNELS: heddle.launch @op_grouped_pack(
// KERNELS: heddle.launch @op_grouped_attention(
// KERNELS-NOT: heddle.launch
// KERNELS: return
func.func @op_grouped(%q: tensor<2x6x17x16xf32>, %k: tensor<2x2x40x16xf32>, %v: tensor<2x2x40x16xf32>) -> tensor<2x6x17x16xf32> {
  %o = heddle.attention %q, %k, %v heads(6, kv = 2) scale(0.25) : tensor<2x6x17x16xf32>, tensor<2x2x40x16xf32>, tensor<2x2x40x16xf32>
  return %o : tensor<2x6x17x16xf32>
}

// Keys are scaled, and then repeated.
// KERNELS-LABEL: func.func @grouped_before(
// KERNELS: heddle.launch @op_grouped_pack(
// KERNELS: heddle.launch @op_grouped_attention(
// KERNELS-NOT: heddle.launch
// KERNELS: return
func.func @grouped_before(%q: tensor<2x6x17x16xf32>, %k: tensor<2x2x40x16xf32>, %v: tensor<2x2x40x16xf32>) -> tensor<2x6x17x16xf32> {
  %c = arith.constant dense<0.25> : tensor<2x2x40x16xf32>
  %ks = arith.mulf %k, %c : tensor<2x2x40x16xf32>
  %kr0 = heddle.expand %ks axes [2] : tensor<2x2x40x16xf32> -> tensor<2x2x1x40x16xf32>
  %kr1 = heddle.broadcast %kr0 to [2, 2, 3, 40, 16] : tensor<2x2x1x40x16xf32> -> tensor<2x2x3x40x16xf32>
  %kr = heddle.reshape %kr1 to [2, 6, 40, 16] : tensor<2x2x3x40x16xf32> -> tensor<2x6x40x16xf32>
  %vr0 = heddle.expand %v axes [2] : tensor<2x2x40x16xf32> -> tensor<2x2x1x40x16xf32>
  %vr1 = heddle.broadcast %vr0 to [2, 2, 3, 40, 16] : tensor<2x2x1x40x16xf32> -> tensor<2x2x3x40x16xf32>
  %vr = heddle.reshape %vr1 to [2, 6, 40, 16] : tensor<2x2x3x40x16xf32> -> tensor<2x6x40x16xf32>
  %s = heddle.matmul %q, %kr transpose_b : tensor<2x6x17x16xf32>, tensor<2x6x40x16xf32> -> tensor<2x6x17x40xf32>
  %w = heddle.softmax %s axis(3) : tensor<2x6x17x40xf32>
  %o = heddle.matmul %w, %vr : tensor<2x6x17x40xf32>, tensor<2x6x40x16xf32> -> tensor<2x6x17x16xf32>
  return %o : tensor<2x6x17x16xf32>
}

// Repeated, and then scaled.
// KERNELS-LABEL: func.func @grouped_after(
// KERNELS: heddle.launch @op_grouped_pack(
// KERNELS: heddle.launch @op_grouped_attention(
// KERNELS-NOT: heddle.launch
// KERNELS: return
func.func @grouped_after(%q: tensor<2x6x17x16xf32>, %k: tensor<2x2x40x16xf32>, %v: tensor<2x2x40x16xf32>) -> tensor<2x6x17x16xf32> {
  %c = arith.constant dense<0.25> : tensor<2x6x40x16xf32>
  %kr0 = heddle.expand %k axes [2] : tensor<2x2x40x16xf32> -> tensor<2x2x1x40x16xf32>
  %kr1 = heddle.broadcast %kr0 to [2, 2, 3, 40, 16] : tensor<2x2x1x40x16xf32> -> tensor<2x2x3x40x16xf32>
  %kr = heddle.reshape %kr1 to [2, 6, 40, 16] : tensor<2x2x3x40x16xf32> -> tensor<2x6x40x16xf32>
  %vr0 = heddle.expand %v axes [2] : tensor<2x2x40x16xf32> -> tensor<2x2x1x40x16xf32>
  %vr1 = heddle.broadcast %vr0 to [2, 2, 3, 40, 16] : tensor<2x2x1x40x16xf32> -> tensor<2x2x3x40x16xf32>
  %vr = heddle.reshape %vr1 to [2, 6, 40, 16] : tensor<2x2x3x40x16xf32> -> tensor<2x6x40x16xf32>
  %ks = arith.mulf %kr, %c : tensor<2x6x40x16xf32>
  %s = heddle.matmul %q, %ks transpose_b : tensor<2x6x17x16xf32>, tensor<2x6x40x16xf32> -> tensor<2x6x17x40xf32>
  %w = heddle.softmax %s axis(3) : tensor<2x6x17x40xf32>
  %o = heddle.matmul %w, %vr : tensor<2x6x17x40xf32>, tensor<2x6x40x16xf32> -> tensor<2x6x17x16xf32>
  return %o : tensor<2x6x17x16xf32>
}

// Not repeated: queries have one more dimension.
// KERNELS-LABEL: func.func @grouped_five(
// KERNELS: heddle.launch @op_grouped_pack(
// KERNELS: heddle.launch @op_grouped_attention(
// KERNELS-NOT: heddle.launch
// KERNELS: return
func.func @grouped_five(%q: tensor<2x6x17x16xf32>, %k: tensor<2x2x40x16xf32>, %v: tensor<2x2x40x16xf32>) -> tensor<2x6x17x16xf32> {
  %c = arith.constant dense<0.25> : tensor<2x2x3x17x40xf32>
  %q5 = heddle.reshape %q to [2, 2, 3, 17, 16] : tensor<2x6x17x16xf32> -> tensor<2x2x3x17x16xf32>
  %k5 = heddle.expand %k axes [2] : tensor<2x2x40x16xf32> -> tensor<2x2x1x40x16xf32>
  %v5 = heddle.expand %v axes [2] : tensor<2x2x40x16xf32> -> tensor<2x2x1x40x16xf32>
  %s = heddle.matmul %q5, %k5 transpose_b : tensor<2x2x3x17x16xf32>, tensor<2x2x1x40x16xf32> -> tensor<2x2x3x17x40xf32>
  %s1 = arith.mulf %s, %c : tensor<2x2x3x17x40xf32>
  %w = heddle.softmax %s1 axis(4) : tensor<2x2x3x17x40xf32>
  %o = heddle.matmul %w, %v5 : tensor<2x2x3x17x40xf32>, tensor<2x2x1x40x16xf32> -> tensor<2x2x3x17x16xf32>
  %o1 = heddle.reshape %o to [2, 6, 17, 16] : tensor<2x2x3x17x16xf32> -> tensor<2x6x17x16xf32>
  return %o1 : tensor<2x6x17x16xf32>
}

// KERNELS-LABEL: func.func @op_plain(
// KERNELS: heddle.launch @op_plain_pack(
// KERNELS: heddle.launch @op_plain_attention(
// KERNELS-NOT: heddle.launch
// KERNELS: return
func.func @op_plain(%q: tensor<2x3x17x16xf32>, %k: tensor<2x3x40x16xf32>, %v: tensor<2x3x40x16xf32>) -> tensor<2x3x17x16xf32> {
  %o = heddle.attention %q, %k, %v heads(3, kv = 3) scale(0.25) : tensor<2x3x17x16xf32>, tensor<2x3x40x16xf32>, tensor<2x3x40x16xf32>
  return %o : tensor<2x3x17x16xf32>
}

// Maximum, difference, exponential, sum and quotient.
// KERNELS-LABEL: func.func @spelled_softmax(
// KERNELS: heddle.launch @op_plain_pack(
// KERNELS: heddle.launch @op_plain_attention(
// KERNELS-NOT: heddle.launch
// KERNELS: return
func.func @spelled_softmax(%q: tensor<2x3x17x16xf32>, %k: tensor<2x3x40x16xf32>, %v: tensor<2x3x40x16xf32>) -> tensor<2x3x17x16xf32> {
  %c = arith.constant dense<4.0> : tensor<2x3x17x40xf32>
  %s = heddle.matmul %q, %k transpose_b : tensor<2x3x17x16xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x40xf32>
  %s1 = arith.divf %s, %c : tensor<2x3x17x40xf32>
  %m = heddle.reduce max %s1 axes [3] keep_sizes : tensor<2x3x17x40xf32> -> tensor<2x3x17x1xf32>
  %mb = heddle.broadcast %m to [2, 3, 17, 40] : tensor<2x3x17x1xf32> -> tensor<2x3x17x40xf32>
  %d = arith.subf %s1, %mb : tensor<2x3x17x40xf32>
  %e = math.exp %d : tensor<2x3x17x40xf32>
  %t = heddle.reduce sum %e axes [3] keep_sizes : tensor<2x3x17x40xf32> -> tensor<2x3x17x1xf32>
  %tb = heddle.broadcast %t to [2, 3, 17, 40] : tensor<2x3x17x1xf32> -> tensor<2x3x17x40xf32>
  %w = arith.divf %e, %tb : tensor<2x3x17x40xf32>
  %o = heddle.matmul %w, %v : tensor<2x3x17x40xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x16xf32>
  return %o : tensor<2x3x17x16xf32>
}

// Sums without the dimension that they are of.
// KERNELS-LABEL: func.func @nokeep_softmax(
// KERNELS: heddle.launch @op_plain_pack(
// KERNELS: heddle.launch @op_plain_attention(
// KERNELS-NOT: heddle.launch
// KERNELS: return
func.func @nokeep_softmax(%q: tensor<2x3x17x16xf32>, %k: tensor<2x3x40x16xf32>, %v: tensor<2x3x40x16xf32>) -> tensor<2x3x17x16xf32> {
  %c = arith.constant dense<0.25> : tensor<2x3x17x40xf32>
  %s = heddle.matmul %q, %k transpose_b : tensor<2x3x17x16xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x40xf32>
  %s1 = arith.mulf %s, %c : tensor<2x3x17x40xf32>
  %m = heddle.reduce max %s1 axes [3] : tensor<2x3x17x40xf32> -> tensor<2x3x17xf32>
  %mx = heddle.expand %m axes [3] : tensor<2x3x17xf32> -> tensor<2x3x17x1xf32>
  %mb = heddle.broadcast %mx to [2, 3, 17, 40] : tensor<2x3x17x1xf32> -> tensor<2x3x17x40xf32>
  %d = arith.subf %s1, %mb : tensor<2x3x17x40xf32>
  %e = math.exp %d : tensor<2x3x17x40xf32>
  %t = heddle.reduce sum %e axes [3] : tensor<2x3x17x40xf32> -> tensor<2x3x17xf32>
  %tx = heddle.reshape %t to [2, 3, 17, 1] : tensor<2x3x17xf32> -> tensor<2x3x17x1xf32>
  %tb = heddle.broadcast %tx to [2, 3, 17, 40] : tensor<2x3x17x1xf32> -> tensor<2x3x17x40xf32>
  %w = arith.divf %e, %tb : tensor<2x3x17x40xf32>
  %o = heddle.matmul %w, %v : tensor<2x3x17x40xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x16xf32>
  return %o : tensor<2x3x17x16xf32>
}

// What is subtracted is not the same for all keys of a query: no softmax.
// KERNELS-LABEL: func.func @shift_by_score(
// KERNELS-NOT: _attention(
// KERNELS: return
func.func @shift_by_score(%q: tensor<2x3x17x16xf32>, %k: tensor<2x3x40x16xf32>, %v: tensor<2x3x40x16xf32>) -> tensor<2x3x17x16xf32> {
  %s = heddle.matmul %q, %k transpose_b : tensor<2x3x17x16xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x40xf32>
  %m = heddle.reduce max %s axes [3] keep_sizes : tensor<2x3x17x40xf32> -> tensor<2x3x17x1xf32>
  %mb = heddle.broadcast %m to [2, 3, 17, 40] : tensor<2x3x17x1xf32> -> tensor<2x3x17x40xf32>
  %zero = arith.constant dense<0.0> : tensor<2x3x17x40xf32>
  %low = arith.cmpf olt, %s, %zero : tensor<2x3x17x40xf32>
  %shift = arith.select %low, %zero, %mb : tensor<2x3x17x40xi1>, tensor<2x3x17x40xf32>
  %d = arith.subf %s, %shift : tensor<2x3x17x40xf32>
  %e = math.exp %d : tensor<2x3x17x40xf32>
  %t = heddle.reduce sum %e axes [3] keep_sizes : tensor<2x3x17x40xf32> -> tensor<2x3x17x1xf32>
  %tb = heddle.broadcast %t to [2, 3, 17, 40] : tensor<2x3x17x1xf32> -> tensor<2x3x17x40xf32>
  %w = arith.divf %e, %tb : tensor<2x3x17x40xf32>
  %o = heddle.matmul %w, %v : tensor<2x3x17x40xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x16xf32>
  return %o : tensor<2x3x17x16xf32>
}
