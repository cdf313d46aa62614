// CUDA has no exponentials of f64.
// UNSUPPORTED: cuda
// RUN: heddlec %s --verify -o %t.o | FileCheck %s

// Attention of f64 with each mask, region and way to make weights, by the reference's formulas in the
// roundings of f64.

// CHECK: verified diagonals as a whole: worst error {{.*}} of tolerance {{.*}}e-1
// CHECK: verified tensors as a whole: worst error {{.*}} of tolerance {{.*}}e-1
// CHECK: verified shared as a whole: worst error {{.*}} of tolerance {{.*}}e-1
// CHECK: verified sums as a whole: worst error {{.*}} of tolerance {{.*}}e-1
// CHECK: verified plain as a whole: worst error {{.*}} of tolerance {{.*}}e-1
// CHECK: verified regions as a whole: worst error {{.*}} of tolerance {{.*}}e-1
// CHECK: verified same_value as a whole: worst error {{.*}} of tolerance {{.*}}e-1

func.func @diagonals(%q: tensor<?x?x32xf64> {heddle.sizes = ["b", "n"]}, %k: tensor<?x?x16xf64> {heddle.sizes = ["b", "m"]},
    %starts: tensor<?xi64> {heddle.sizes = ["b"]}) -> (tensor<?x?x32xf64>, tensor<?x4x?xf64>, tensor<?x4x?xf64>) {
  %causal = heddle.mask.causal offset(%starts : tensor<?xi64>) plus(1)
  %near = heddle.mask.window left(3) right(2) align(bottom_right)
  %left = heddle.mask.window left(5) align(top_left) plus("floordiv(m, 2)")
  %right = heddle.mask.window right(1) offset(%starts : tensor<?xi64>)
  %0 = heddle.mask.and %left, %right
  %1 = heddle.mask.or %near, %0
  %mask = heddle.mask.or %causal, %1
  %o:3 = heddle.attention %q, %k, %k mask(%mask) heads(4, kv = 2) results(output, log_sum_exp, column_sums)
      : tensor<?x?x32xf64>, tensor<?x?x16xf64>, tensor<?x?x16xf64>
  return %o#0, %o#1, %o#2 : tensor<?x?x32xf64>, tensor<?x4x?xf64>, tensor<?x4x?xf64>
}

func.func @tensors(%q: tensor<2x4x?x8xf64> {heddle.sizes = ["n"]}, %k: tensor<2x2x?x8xf64> {heddle.sizes = ["m"]},
    %lengths: tensor<2xi32>, %ofQueries: tensor<2xi32>, %documents: tensor<2x?xi32> {heddle.sizes = ["n"]},
    %ofKeys: tensor<2x?xi32> {heddle.sizes = ["m"]}, %dense: tensor<4x?x?xi1> {heddle.sizes = ["ceildiv(n, 3)", "ceildiv(m, 4)"]},
    %all: tensor<2x1x?xi1> {heddle.sizes = ["m"]}) -> (tensor<2x4x?x8xf64>, tensor<2x4x?x?xf64>) {
  %0 = heddle.mask.lengths %lengths : tensor<2xi32>
  %1 = heddle.mask.lengths %ofQueries of(query) : tensor<2xi32>
  %2 = heddle.mask.documents %documents, %ofKeys : tensor<2x?xi32>, tensor<2x?xi32>
  %3 = heddle.mask.dense %dense over(head, query, key) blocks(3, 4) : tensor<4x?x?xi1>
  %4 = heddle.mask.dense %all over(batch, query, key) : tensor<2x1x?xi1>
  %5 = heddle.mask.and %0, %1
  %6 = heddle.mask.not %2
  %7 = heddle.mask.or %5, %6
  %8 = heddle.mask.or %3, %4
  %mask = heddle.mask.and %7, %8
  %o:2 = heddle.attention %q, %k, %k mask(%mask) heads(4, kv = 2) results(output, masked_scores)
      : tensor<2x4x?x8xf64>, tensor<2x2x?x8xf64>, tensor<2x2x?x8xf64>
  return %o#0, %o#1 : tensor<2x4x?x8xf64>, tensor<2x4x?x?xf64>
}

// A mask that others share is one truth value, however many ways lead to it.
func.func @shared(%q: tensor<1x9x16xf64>, %a: tensor<9xi1>, %b: tensor<9xi1>) -> tensor<1x9x16xf64> {
  %x = heddle.mask.dense %a over(key) : tensor<9xi1>
  %y = heddle.mask.dense %b over(query) : tensor<9xi1>
  %m0 = heddle.mask.or %x, %y
  %l0 = heddle.mask.or %m0, %x
  %r0 = heddle.mask.or %m0, %y
  %m1 = heddle.mask.and %l0, %r0
  %l1 = heddle.mask.or %m1, %x
  %r1 = heddle.mask.or %m1, %y
  %m2 = heddle.mask.and %l1, %r1
  %l2 = heddle.mask.or %m2, %x
  %r2 = heddle.mask.or %m2, %y
  %m3 = heddle.mask.and %l2, %r2
  %l3 = heddle.mask.or %m3, %x
  %r3 = heddle.mask.or %m3, %y
  %m4 = heddle.mask.and %l3, %r3
  %l4 = heddle.mask.or %m4, %x
  %r4 = heddle.mask.or %m4, %y
  %m5 = heddle.mask.and %l4, %r4
  %l5 = heddle.mask.or %m5, %x
  %r5 = heddle.mask.or %m5, %y
  %m6 = heddle.mask.and %l5, %r5
  %l6 = heddle.mask.or %m6, %x
  %r6 = heddle.mask.or %m6, %y
  %m7 = heddle.mask.and %l6, %r6
  %l7 = heddle.mask.or %m7, %x
  %r7 = heddle.mask.or %m7, %y
  %m8 = heddle.mask.and %l7, %r7
  %l8 = heddle.mask.or %m8, %x
  %r8 = heddle.mask.or %m8, %y
  %m9 = heddle.mask.and %l8, %r8
  %l9 = heddle.mask.or %m9, %x
  %r9 = heddle.mask.or %m9, %y
  %m10 = heddle.mask.and %l9, %r9
  %l10 = heddle.mask.or %m10, %x
  %r10 = heddle.mask.or %m10, %y
  %m11 = heddle.mask.and %l10, %r10
  %l11 = heddle.mask.or %m11, %x
  %r11 = heddle.mask.or %m11, %y
  %m12 = heddle.mask.and %l11, %r11
  %l12 = heddle.mask.or %m12, %x
  %r12 = heddle.mask.or %m12, %y
  %m13 = heddle.mask.and %l12, %r12
  %l13 = heddle.mask.or %m13, %x
  %r13 = heddle.mask.or %m13, %y
  %m14 = heddle.mask.and %l13, %r13
  %l14 = heddle.mask.or %m14, %x
  %r14 = heddle.mask.or %m14, %y
  %m15 = heddle.mask.and %l14, %r14
  %l15 = heddle.mask.or %m15, %x
  %r15 = heddle.mask.or %m15, %y
  %m16 = heddle.mask.and %l15, %r15
  %l16 = heddle.mask.or %m16, %x
  %r16 = heddle.mask.or %m16, %y
  %m17 = heddle.mask.and %l16, %r16
  %l17 = heddle.mask.or %m17, %x
  %r17 = heddle.mask.or %m17, %y
  %m18 = heddle.mask.and %l17, %r17
  %l18 = heddle.mask.or %m18, %x
  %r18 = heddle.mask.or %m18, %y
  %m19 = heddle.mask.and %l18, %r18
  %l19 = heddle.mask.or %m19, %x
  %r19 = heddle.mask.or %m19, %y
  %m20 = heddle.mask.and %l19, %r19
  %l20 = heddle.mask.or %m20, %x
  %r20 = heddle.mask.or %m20, %y
  %m21 = heddle.mask.and %l20, %r20
  %l21 = heddle.mask.or %m21, %x
  %r21 = heddle.mask.or %m21, %y
  %m22 = heddle.mask.and %l21, %r21
  %l22 = heddle.mask.or %m22, %x
  %r22 = heddle.mask.or %m22, %y
  %m23 = heddle.mask.and %l22, %r22
  %l23 = heddle.mask.or %m23, %x
  %r23 = heddle.mask.or %m23, %y
  %m24 = heddle.mask.and %l23, %r23
  %o = heddle.attention %q, %q, %q mask(%m24) heads(2, kv = 2) : tensor<1x9x16xf64>, tensor<1x9x16xf64>, tensor<1x9x16xf64>
  return %o : tensor<1x9x16xf64>
}

func.func @sums(%q: tensor<2x7x16xf64>, %sinks: tensor<2xf64>) -> (tensor<2x7x16xf64>, tensor<2x2x7xf64>, tensor<2x2x7x7xf64>) {
  %o:3 = heddle.attention %q, %q, %q sinks(%sinks : tensor<2xf64>) heads(2, kv = 2) results(unnormalized, sum, weights)
      : tensor<2x7x16xf64>, tensor<2x7x16xf64>, tensor<2x7x16xf64>
  return %o#0, %o#1, %o#2 : tensor<2x7x16xf64>, tensor<2x2x7xf64>, tensor<2x2x7x7xf64>
}

func.func @plain(%q: tensor<2x7x16xf64>) -> (tensor<2x7x16xf64>, tensor<2x7x16xf64>) {
  %m = heddle.mask.causal align(top_left)
  %o = heddle.attention %q, %q, %q mask(%m) heads(2, kv = 2) normalize(none) : tensor<2x7x16xf64>, tensor<2x7x16xf64>, tensor<2x7x16xf64>
  %p = heddle.attention %q, %q, %q mask(%m) heads(2, kv = 2) normalize(sum) score {
    ^bb0(%s: tensor<2x2x7x7xf64>):
      %e = math.exp %s : tensor<2x2x7x7xf64>
      heddle.yield %e : tensor<2x2x7x7xf64>
    } : tensor<2x7x16xf64>, tensor<2x7x16xf64>, tensor<2x7x16xf64>
  return %o, %p : tensor<2x7x16xf64>, tensor<2x7x16xf64>
}

func.func @regions(%q: tensor<2x7x16xf64>, %w: tensor<2x2x7x7xf64>) -> tensor<2x7x16xf64> {
  %o = heddle.attention %q, %q, %q heads(2, kv = 2)
      term {
    ^bb0(%x: tensor<2x2x7x7x8xf64>, %y: tensor<2x2x7x7x8xf64>):
      %d = arith.subf %x, %y : tensor<2x2x7x7x8xf64>
      %s = arith.mulf %d, %d : tensor<2x2x7x7x8xf64>
      %n = arith.negf %s : tensor<2x2x7x7x8xf64>
      heddle.yield %n : tensor<2x2x7x7x8xf64>
    } score(%w : tensor<2x2x7x7xf64>) {
    ^bb0(%s: tensor<2x2x7x7xf64>, %b: tensor<2x2x7x7xf64>):
      %t = arith.addf %s, %b : tensor<2x2x7x7xf64>
      heddle.yield %t : tensor<2x2x7x7xf64>
    } factors(%w : tensor<2x2x7x7xf64>) {
    ^bb0(%ones: tensor<2x2x7x7xf64>, %b: tensor<2x2x7x7xf64>):
      %f = arith.mulf %ones, %b : tensor<2x2x7x7xf64>
      heddle.yield %f : tensor<2x2x7x7xf64>
    } : tensor<2x7x16xf64>, tensor<2x7x16xf64>, tensor<2x7x16xf64>
  return %o : tensor<2x7x16xf64>
}

// The value is the query, and has heads of another size.
func.func @same_value(%q: tensor<1x5x64xf64>, %k: tensor<1x5x32xf64>) -> tensor<1x5x128xf64> {
  %o = heddle.attention %q, %k, %q heads(4, kv = 2) : tensor<1x5x64xf64>, tensor<1x5x32xf64>, tensor<1x5x64xf64>
  return %o : tensor<1x5x128xf64>
}
