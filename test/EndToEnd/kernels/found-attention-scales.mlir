// Attention that is spelled out with a scale on the scores, on queries, on keys or on both, as a
// product or a quotient, gives the kernels of the op with this scale.

// On a device, which takes long here, with --slow.
// UNSUPPORTED: brief
// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify -o kernel.o | FileCheck %s
// RUN: heddlec %s --emit=kernels -o - | FileCheck %s --check-prefix=KERNELS

// A device packs no values.
// CHECK: verified op_plain: 2 kernels
// CHECK: verified div_s: 2 kernels
// CHECK: verified scale_q: 2 kernels
// CHECK: verified scale_k: 2 kernels
// CHECK: verified scale_both: 2 kernels
// CHECK: verified div_q: 2 kernels
// CHECK: verified runtime_sqrt: 2 kernels
// CHECK: verified runtime_rsqrt: 2 kernels
// CHECK: verified op_one: 1 kernel
// CHECK: verified one_query_scale_k: 1 kernel
// CHECK: verified one_query_scale_q: 1 kernel
// CHECK: verified op_linear: {{[34]}} kernels
// CHECK: verified linear: {{[34]}} kernels
// CHECK: verified op_bf16: {{[23]}} kernels
// CHECK: verified bf16: {{[23]}} kernels
// CHECK: verified bf16_scale_k: {{[23]}} kernels
// CHECK: verified op_add: 2 kernels
// CHECK: verified additive: 2 kernels
// CHECK: verified additive_scale_k: 2 kernels

heddle.weight @wq = dense<0.01> : tensor<48x48xf32>
heddle.weight @bq = dense<0.02> : tensor<48xf32>

// KERNELS-LABEL: func.func @op_plain(
// KERNELS: heddle.launch @op_plain_pack(
// KERNELS: heddle.launch @op_plain_attention(
// KERNELS-NOT: heddle.launch
// KERNELS: return
func.func @op_plain(%q: tensor<2x3x17x16xf32>, %k: tensor<2x3x40x16xf32>, %v: tensor<2x3x40x16xf32>) -> tensor<2x3x17x16xf32> {
  %o = heddle.attention %q, %k, %v heads(3, kv = 3) scale(0.25) : tensor<2x3x17x16xf32>, tensor<2x3x40x16xf32>, tensor<2x3x40x16xf32>
  return %o : tensor<2x3x17x16xf32>
}

// On scores.
// KERNELS-LABEL: func.func @div_s(
// KERNELS: heddle.launch @op_plain_pack(
// KERNELS: heddle.launch @op_plain_attention(
// KERNELS-NOT: heddle.launch
// KERNELS: return
func.func @div_s(%q: tensor<2x3x17x16xf32>, %k: tensor<2x3x40x16xf32>, %v: tensor<2x3x40x16xf32>) -> tensor<2x3x17x16xf32> {
  %c = arith.constant dense<4.0> : tensor<2x3x17x40xf32>
  %s = heddle.matmul %q, %k transpose_b : tensor<2x3x17x16xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x40xf32>
  %s1 = arith.divf %s, %c : tensor<2x3x17x40xf32>
  %w = heddle.softmax %s1 axis(3) : tensor<2x3x17x40xf32>
  %o = heddle.matmul %w, %v : tensor<2x3x17x40xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x16xf32>
  return %o : tensor<2x3x17x16xf32>
}

// On queries.
// KERNELS-LABEL: func.func @scale_q(
// KERNELS: heddle.launch @op_plain_pack(
// KERNELS: heddle.launch @op_plain_attention(
// KERNELS-NOT: heddle.launch
// KERNELS: return
func.func @scale_q(%q: tensor<2x3x17x16xf32>, %k: tensor<2x3x40x16xf32>, %v: tensor<2x3x40x16xf32>) -> tensor<2x3x17x16xf32> {
  %c = arith.constant dense<0.25> : tensor<2x3x17x16xf32>
  %q1 = arith.mulf %q, %c : tensor<2x3x17x16xf32>
  %s = heddle.matmul %q1, %k transpose_b : tensor<2x3x17x16xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x40xf32>
  %w = heddle.softmax %s axis(3) : tensor<2x3x17x40xf32>
  %o = heddle.matmul %w, %v : tensor<2x3x17x40xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x16xf32>
  return %o : tensor<2x3x17x16xf32>
}

// On keys.
// KERNELS-LABEL: func.func @scale_k(
// KERNELS: heddle.launch @op_plain_pack(
// KERNELS: heddle.launch @op_plain_attention(
// KERNELS-NOT: heddle.launch
// KERNELS: return
func.func @scale_k(%q: tensor<2x3x17x16xf32>, %k: tensor<2x3x40x16xf32>, %v: tensor<2x3x40x16xf32>) -> tensor<2x3x17x16xf32> {
  %c = arith.constant dense<0.25> : tensor<2x3x40x16xf32>
  %k1 = arith.mulf %k, %c : tensor<2x3x40x16xf32>
  %s = heddle.matmul %q, %k1 transpose_b : tensor<2x3x17x16xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x40xf32>
  %w = heddle.softmax %s axis(3) : tensor<2x3x17x40xf32>
  %o = heddle.matmul %w, %v : tensor<2x3x17x40xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x16xf32>
  return %o : tensor<2x3x17x16xf32>
}

// Half of it on each.
// KERNELS-LABEL: func.func @scale_both(
// KERNELS: heddle.launch @op_plain_pack(
// KERNELS: heddle.launch @op_plain_attention(
// KERNELS-NOT: heddle.launch
// KERNELS: return
func.func @scale_both(%q: tensor<2x3x17x16xf32>, %k: tensor<2x3x40x16xf32>, %v: tensor<2x3x40x16xf32>) -> tensor<2x3x17x16xf32> {
  %c = arith.constant dense<0.5> : tensor<2x3x17x16xf32>
  %d = arith.constant dense<0.5> : tensor<2x3x40x16xf32>
  %q1 = arith.mulf %q, %c : tensor<2x3x17x16xf32>
  %k1 = arith.mulf %k, %d : tensor<2x3x40x16xf32>
  %s = heddle.matmul %q1, %k1 transpose_b : tensor<2x3x17x16xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x40xf32>
  %w = heddle.softmax %s axis(3) : tensor<2x3x17x40xf32>
  %o = heddle.matmul %w, %v : tensor<2x3x17x40xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x16xf32>
  return %o : tensor<2x3x17x16xf32>
}

// As a quotient.
// KERNELS-LABEL: func.func @div_q(
// KERNELS: heddle.launch @op_plain_pack(
// KERNELS: heddle.launch @op_plain_attention(
// KERNELS-NOT: heddle.launch
// KERNELS: return
func.func @div_q(%q: tensor<2x3x17x16xf32>, %k: tensor<2x3x40x16xf32>, %v: tensor<2x3x40x16xf32>) -> tensor<2x3x17x16xf32> {
  %c = arith.constant dense<4.0> : tensor<2x3x17x16xf32>
  %q1 = arith.divf %q, %c : tensor<2x3x17x16xf32>
  %s = heddle.matmul %q1, %k transpose_b : tensor<2x3x17x16xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x40xf32>
  %w = heddle.softmax %s axis(3) : tensor<2x3x17x40xf32>
  %o = heddle.matmul %w, %v : tensor<2x3x17x40xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x16xf32>
  return %o : tensor<2x3x17x16xf32>
}

// Roots of constants, as exporters leave them.
// KERNELS-LABEL: func.func @runtime_sqrt(
// KERNELS: heddle.launch @op_plain_pack(
// KERNELS: heddle.launch @op_plain_attention(
// KERNELS-NOT: heddle.launch
// KERNELS: return
func.func @runtime_sqrt(%q: tensor<2x3x17x16xf32>, %k: tensor<2x3x40x16xf32>, %v: tensor<2x3x40x16xf32>) -> tensor<2x3x17x16xf32> {
  %n = arith.constant dense<16.0> : tensor<2x3x17x40xf32>
  %s = heddle.matmul %q, %k transpose_b : tensor<2x3x17x16xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x40xf32>
  %r = math.sqrt %n : tensor<2x3x17x40xf32>
  %s1 = arith.divf %s, %r : tensor<2x3x17x40xf32>
  %w = heddle.softmax %s1 axis(3) : tensor<2x3x17x40xf32>
  %o = heddle.matmul %w, %v : tensor<2x3x17x40xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x16xf32>
  return %o : tensor<2x3x17x16xf32>
}

// And their inverse.
// KERNELS-LABEL: func.func @runtime_rsqrt(
// KERNELS: heddle.launch @op_plain_pack(
// KERNELS: heddle.launch @op_plain_attention(
// KERNELS-NOT: heddle.launch
// KERNELS: return
func.func @runtime_rsqrt(%q: tensor<2x3x17x16xf32>, %k: tensor<2x3x40x16xf32>, %v: tensor<2x3x40x16xf32>) -> tensor<2x3x17x16xf32> {
  %n = arith.constant dense<16.0> : tensor<2x3x17x16xf32>
  %r = math.rsqrt %n : tensor<2x3x17x16xf32>
  %q1 = arith.mulf %q, %r : tensor<2x3x17x16xf32>
  %s = heddle.matmul %q1, %k transpose_b : tensor<2x3x17x16xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x40xf32>
  %w = heddle.softmax %s axis(3) : tensor<2x3x17x40xf32>
  %o = heddle.matmul %w, %v : tensor<2x3x17x40xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x16xf32>
  return %o : tensor<2x3x17x16xf32>
}

// One query, whose products read each key once.
// KERNELS-LABEL: func.func @op_one(
// KERNELS: heddle.launch @op_one_attention(
// KERNELS-NOT: heddle.launch
// KERNELS: return
func.func @op_one(%q: tensor<2x3x1x16xf32>, %k: tensor<2x3x40x16xf32>, %v: tensor<2x3x40x16xf32>) -> tensor<2x3x1x16xf32> {
  %o = heddle.attention %q, %k, %v heads(3, kv = 3) scale(0.25) : tensor<2x3x1x16xf32>, tensor<2x3x40x16xf32>, tensor<2x3x40x16xf32>
  return %o : tensor<2x3x1x16xf32>
}

// KERNELS-LABEL: func.func @one_query_scale_k(
// KERNELS: heddle.launch @op_one_attention(
// KERNELS-NOT: heddle.launch
// KERNELS: return
func.func @one_query_scale_k(%q: tensor<2x3x1x16xf32>, %k: tensor<2x3x40x16xf32>, %v: tensor<2x3x40x16xf32>) -> tensor<2x3x1x16xf32> {
  %c = arith.constant dense<0.25> : tensor<2x3x40x16xf32>
  %k1 = arith.mulf %k, %c : tensor<2x3x40x16xf32>
  %s = heddle.matmul %q, %k1 transpose_b : tensor<2x3x1x16xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x1x40xf32>
  %w = heddle.softmax %s axis(3) : tensor<2x3x1x40xf32>
  %o = heddle.matmul %w, %v : tensor<2x3x1x40xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x1x16xf32>
  return %o : tensor<2x3x1x16xf32>
}

// KERNELS-LABEL: func.func @one_query_scale_q(
// KERNELS: heddle.launch @op_one_attention(
// KERNELS-NOT: heddle.launch
// KERNELS: return
func.func @one_query_scale_q(%q: tensor<2x3x1x16xf32>, %k: tensor<2x3x40x16xf32>, %v: tensor<2x3x40x16xf32>) -> tensor<2x3x1x16xf32> {
  %c = arith.constant dense<0.25> : tensor<2x3x1x16xf32>
  %q1 = arith.mulf %q, %c : tensor<2x3x1x16xf32>
  %s = heddle.matmul %q1, %k transpose_b : tensor<2x3x1x16xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x1x40xf32>
  %w = heddle.softmax %s axis(3) : tensor<2x3x1x40xf32>
  %o = heddle.matmul %w, %v : tensor<2x3x1x40xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x1x16xf32>
  return %o : tensor<2x3x1x16xf32>
}

// The scale follows a linear layer with a bias, and stands before heads are split.
// KERNELS-LABEL: func.func @op_linear(
// KERNELS: heddle.launch @op_linear_linear2(
// KERNELS: heddle.launch @op_linear_pack(
// KERNELS: heddle.launch @op_linear_attention(
// KERNELS-NOT: heddle.launch
// KERNELS: return
func.func @op_linear(%q: tensor<?x?x48xf32> {heddle.sizes = ["b", "l"]}) -> tensor<?x?x48xf32> {
  %wq = heddle.weight_ref @wq : tensor<48x48xf32>
  %bq = heddle.weight_ref @bq : tensor<48xf32>
  %q0 = heddle.linear %q, %wq bias(%bq : tensor<48xf32>) : tensor<?x?x48xf32>, tensor<48x48xf32>
  %k0 = heddle.linear %q, %wq : tensor<?x?x48xf32>, tensor<48x48xf32>
  %o = heddle.attention %q0, %k0, %k0 heads(3, kv = 3) scale(0.25) : tensor<?x?x48xf32>, tensor<?x?x48xf32>, tensor<?x?x48xf32>
  return %o : tensor<?x?x48xf32>
}

// KERNELS-LABEL: func.func @linear(
// KERNELS: heddle.launch @op_linear_linear2(
// KERNELS: heddle.launch @op_linear_pack(
// KERNELS: heddle.launch @op_linear_attention(
// KERNELS-NOT: heddle.launch
// KERNELS: return
func.func @linear(%q: tensor<?x?x48xf32> {heddle.sizes = ["b", "l"]}) -> tensor<?x?x48xf32> {
  %wq = heddle.weight_ref @wq : tensor<48x48xf32>
  %bq = heddle.weight_ref @bq : tensor<48xf32>
  %q0 = heddle.linear %q, %wq bias(%bq : tensor<48xf32>) : tensor<?x?x48xf32>, tensor<48x48xf32>
  %k0 = heddle.linear %q, %wq : tensor<?x?x48xf32>, tensor<48x48xf32>
  %c = arith.constant dense<0.25> : tensor<1xf32>
  %cb = heddle.broadcast %c to ["b", "l", 48] : tensor<1xf32> -> tensor<?x?x48xf32>
  %q1 = arith.mulf %q0, %cb : tensor<?x?x48xf32>
  %qr = heddle.reshape %q1 to ["b", "l", 3, 16] : tensor<?x?x48xf32> -> tensor<?x?x3x16xf32>
  %qt = heddle.transpose %qr permutation [0, 2, 1, 3] : tensor<?x?x3x16xf32> -> tensor<?x3x?x16xf32>
  %kr = heddle.reshape %k0 to ["b", "l", 3, 16] : tensor<?x?x48xf32> -> tensor<?x?x3x16xf32>
  %kt = heddle.transpose %kr permutation [0, 2, 1, 3] : tensor<?x?x3x16xf32> -> tensor<?x3x?x16xf32>
  %s = heddle.matmul %qt, %kt transpose_b : tensor<?x3x?x16xf32>, tensor<?x3x?x16xf32> -> tensor<?x3x?x?xf32>
  %w = heddle.softmax %s axis(3) : tensor<?x3x?x?xf32>
  %o = heddle.matmul %w, %kt : tensor<?x3x?x?xf32>, tensor<?x3x?x16xf32> -> tensor<?x3x?x16xf32>
  %ot = heddle.transpose %o permutation [0, 2, 1, 3] : tensor<?x3x?x16xf32> -> tensor<?x?x3x16xf32>
  %or = heddle.reshape %ot to ["b", "l", 48] : tensor<?x?x3x16xf32> -> tensor<?x?x48xf32>
  return %or : tensor<?x?x48xf32>
}

// Of bf16, which is computed in f32.
// KERNELS-LABEL: func.func @op_bf16(
// KERNELS: heddle.launch @op_bf16_pack(
// KERNELS: heddle.launch @op_bf16_attention(
// KERNELS: heddle.launch @op_bf16_attention_1(
// KERNELS-NOT: heddle.launch
// KERNELS: return
func.func @op_bf16(%q: tensor<2x3x17x16xbf16>, %k: tensor<2x3x40x16xbf16>, %v: tensor<2x3x40x16xbf16>) -> tensor<2x3x17x16xbf16> {
  %o = heddle.attention %q, %k, %v heads(3, kv = 3) scale(0.25) : tensor<2x3x17x16xbf16>, tensor<2x3x40x16xbf16>, tensor<2x3x40x16xbf16>
  return %o : tensor<2x3x17x16xbf16>
}

// KERNELS-LABEL: func.func @bf16(
// KERNELS: heddle.launch @op_bf16_pack(
// KERNELS: heddle.launch @op_bf16_attention(
// KERNELS: heddle.launch @op_bf16_attention_1(
// KERNELS-NOT: heddle.launch
// KERNELS: return
func.func @bf16(%q: tensor<2x3x17x16xbf16>, %k: tensor<2x3x40x16xbf16>, %v: tensor<2x3x40x16xbf16>) -> tensor<2x3x17x16xbf16> {
  %c = arith.constant dense<0.25> : tensor<2x3x17x40xf32>
  %q1 = heddle.cast %q : tensor<2x3x17x16xbf16> -> tensor<2x3x17x16xf32>
  %k1 = heddle.cast %k : tensor<2x3x40x16xbf16> -> tensor<2x3x40x16xf32>
  %v1 = heddle.cast %v : tensor<2x3x40x16xbf16> -> tensor<2x3x40x16xf32>
  %s = heddle.matmul %q1, %k1 transpose_b : tensor<2x3x17x16xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x40xf32>
  %s1 = arith.mulf %s, %c : tensor<2x3x17x40xf32>
  %w = heddle.softmax %s1 axis(3) : tensor<2x3x17x40xf32>
  %o = heddle.matmul %w, %v1 : tensor<2x3x17x40xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x16xf32>
  %o1 = heddle.cast %o : tensor<2x3x17x16xf32> -> tensor<2x3x17x16xbf16>
  return %o1 : tensor<2x3x17x16xbf16>
}

// KERNELS-LABEL: func.func @bf16_scale_k(
// KERNELS: heddle.launch @op_bf16_pack(
// KERNELS: heddle.launch @op_bf16_attention(
// KERNELS: heddle.launch @op_bf16_attention_1(
// KERNELS-NOT: heddle.launch
// KERNELS: return
func.func @bf16_scale_k(%q: tensor<2x3x17x16xbf16>, %k: tensor<2x3x40x16xbf16>, %v: tensor<2x3x40x16xbf16>) -> tensor<2x3x17x16xbf16> {
  %c = arith.constant dense<0.25> : tensor<2x3x40x16xf32>
  %q1 = heddle.cast %q : tensor<2x3x17x16xbf16> -> tensor<2x3x17x16xf32>
  %k0 = heddle.cast %k : tensor<2x3x40x16xbf16> -> tensor<2x3x40x16xf32>
  %v1 = heddle.cast %v : tensor<2x3x40x16xbf16> -> tensor<2x3x40x16xf32>
  %k1 = arith.mulf %k0, %c : tensor<2x3x40x16xf32>
  %s = heddle.matmul %q1, %k1 transpose_b : tensor<2x3x17x16xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x40xf32>
  %w = heddle.softmax %s axis(3) : tensor<2x3x17x40xf32>
  %o = heddle.matmul %w, %v1 : tensor<2x3x17x40xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x16xf32>
  %o1 = heddle.cast %o : tensor<2x3x17x16xf32> -> tensor<2x3x17x16xbf16>
  return %o1 : tensor<2x3x17x16xbf16>
}

// Something else is done to scaled scores.
// KERNELS-LABEL: func.func @op_add(
// KERNELS: heddle.launch @op_plain_pack(
// KERNELS: heddle.launch @op_add_attention(
// KERNELS-NOT: heddle.launch
// KERNELS: return
func.func @op_add(%q: tensor<2x3x17x16xf32>, %k: tensor<2x3x40x16xf32>, %v: tensor<2x3x40x16xf32>, %add: tensor<2x1x1x40xf32>) -> tensor<2x3x17x16xf32> {
  %o = heddle.attention %q, %k, %v heads(3, kv = 3) scale(0.25) score(%add : tensor<2x1x1x40xf32>) {
  ^bb0(%x: tensor<2x3x17x40xf32>, %ad: tensor<2x1x1x40xf32>):
  %bb = heddle.broadcast %ad to [2, 3, 17, 40] : tensor<2x1x1x40xf32> -> tensor<2x3x17x40xf32>
  %y = arith.addf %x, %bb : tensor<2x3x17x40xf32>
    heddle.yield %y : tensor<2x3x17x40xf32>
  } : tensor<2x3x17x16xf32>, tensor<2x3x40x16xf32>, tensor<2x3x40x16xf32>
  return %o : tensor<2x3x17x16xf32>
}

// KERNELS-LABEL: func.func @additive(
// KERNELS: heddle.launch @op_plain_pack(
// KERNELS: heddle.launch @op_add_attention(
// KERNELS-NOT: heddle.launch
// KERNELS: return
func.func @additive(%q: tensor<2x3x17x16xf32>, %k: tensor<2x3x40x16xf32>, %v: tensor<2x3x40x16xf32>, %add: tensor<2x1x1x40xf32>) -> tensor<2x3x17x16xf32> {
  %c = arith.constant dense<0.25> : tensor<2x3x17x40xf32>
  %s = heddle.matmul %q, %k transpose_b : tensor<2x3x17x16xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x40xf32>
  %s1 = arith.mulf %s, %c : tensor<2x3x17x40xf32>
  %bb = heddle.broadcast %add to [2, 3, 17, 40] : tensor<2x1x1x40xf32> -> tensor<2x3x17x40xf32>
  %s2 = arith.addf %s1, %bb : tensor<2x3x17x40xf32>
  %w = heddle.softmax %s2 axis(3) : tensor<2x3x17x40xf32>
  %o = heddle.matmul %w, %v : tensor<2x3x17x40xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x16xf32>
  return %o : tensor<2x3x17x16xf32>
}

// KERNELS-LABEL: func.func @additive_scale_k(
// KERNELS: heddle.launch @op_plain_pack(
// KERNELS: heddle.launch @op_add_attention(
// KERNELS-NOT: heddle.launch
// KERNELS: return
func.func @additive_scale_k(%q: tensor<2x3x17x16xf32>, %k: tensor<2x3x40x16xf32>, %v: tensor<2x3x40x16xf32>, %add: tensor<2x1x1x40xf32>) -> tensor<2x3x17x16xf32> {
  %c = arith.constant dense<0.25> : tensor<2x3x40x16xf32>
  %k1 = arith.mulf %k, %c : tensor<2x3x40x16xf32>
  %s1 = heddle.matmul %q, %k1 transpose_b : tensor<2x3x17x16xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x40xf32>
  %bb = heddle.broadcast %add to [2, 3, 17, 40] : tensor<2x1x1x40xf32> -> tensor<2x3x17x40xf32>
  %s2 = arith.addf %s1, %bb : tensor<2x3x17x40xf32>
  %w = heddle.softmax %s2 axis(3) : tensor<2x3x17x40xf32>
  %o = heddle.matmul %w, %v : tensor<2x3x17x40xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x16xf32>
  return %o : tensor<2x3x17x16xf32>
}
