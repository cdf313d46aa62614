// Masks in several spellings give the kernels of the op with a mask, and what is added to scores or
// put in their place those of the op that changes scores so.

// On a device, which takes long here, with --slow.
// UNSUPPORTED: brief

// RUN: rm -rf %t && mkdir -p %t && cd %t
// RUN: heddlec %s --verify -o kernel.o | FileCheck %s
// RUN: heddlec %s --emit=kernels -o - | FileCheck %s --check-prefix=KERNELS

// A device packs no values.
// CHECK: verified op_mask: {{[23]}} kernels
// CHECK: verified where_inf: {{[23]}} kernels
// CHECK: verified select_inf: {{[23]}} kernels
// CHECK: verified add_where_inf: {{[23]}} kernels
// CHECK: verified mask_then_scale: {{[23]}} kernels
// CHECK: verified mask_scale_q: {{[23]}} kernels
// CHECK: verified maxnum_guard: {{[23]}} kernels
// CHECK: verified op_fill: 2 kernels
// CHECK: verified masked_fill: 2 kernels
// CHECK: verified scale_q_fill: 2 kernels
// CHECK: verified drops_a_row: {{[34]}} kernels
// CHECK: verified first_of_buffer: {{[34]}} kernels
// CHECK: verified rows_of_buffer: {{[45]}} kernels
// CHECK: verified bottom_right: {{[23]}} kernels
// CHECK: verified not_above: {{[23]}} kernels
// CHECK: verified from_past: {{[23]}} kernels

// KERNELS-LABEL: func.func @op_mask(
// KERNELS: heddle.launch @op_mask_generic(
// KERNELS: heddle.launch @op_mask_pack(
// KERNELS: heddle.launch @op_mask_attention(
// KERNELS-NOT: heddle.launch
// KERNELS: return
func.func @op_mask(%q: tensor<2x3x17x16xf32>, %k: tensor<2x3x40x16xf32>, %v: tensor<2x3x40x16xf32>, %mask: tensor<17x40xi1>) -> tensor<2x3x17x16xf32> {
  %m = heddle.mask.dense %mask over(query, key) : tensor<17x40xi1>
  %o = heddle.attention %q, %k, %v mask(%m) heads(3, kv = 3) scale(0.25) : tensor<2x3x17x16xf32>, tensor<2x3x40x16xf32>, tensor<2x3x40x16xf32>
  return %o : tensor<2x3x17x16xf32>
}

// where(mask, s, -inf)
// KERNELS-LABEL: func.func @where_inf(
// KERNELS: heddle.launch @op_mask_generic(
// KERNELS: heddle.launch @op_mask_pack(
// KERNELS: heddle.launch @op_mask_attention(
// KERNELS-NOT: heddle.launch
// KERNELS: return
func.func @where_inf(%q: tensor<2x3x17x16xf32>, %k: tensor<2x3x40x16xf32>, %v: tensor<2x3x40x16xf32>, %mask: tensor<17x40xi1>) -> tensor<2x3x17x16xf32> {
  %c = arith.constant dense<0.25> : tensor<2x3x17x40xf32>
  %s = heddle.matmul %q, %k transpose_b : tensor<2x3x17x16xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x40xf32>
  %s1 = arith.mulf %s, %c : tensor<2x3x17x40xf32>
  %low = arith.constant dense<0xFF800000> : tensor<1xf32>
  %s2 = heddle.where %mask, %s1, %low : tensor<17x40xi1>, tensor<2x3x17x40xf32>, tensor<1xf32> -> tensor<2x3x17x40xf32>
  %w = heddle.softmax %s2 axis(3) : tensor<2x3x17x40xf32>
  %o = heddle.matmul %w, %v : tensor<2x3x17x40xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x16xf32>
  return %o : tensor<2x3x17x16xf32>
}

// The same with a mask of all scores.
// KERNELS-LABEL: func.func @select_inf(
// KERNELS: heddle.launch @op_mask_generic(
// KERNELS: heddle.launch @op_mask_pack(
// KERNELS: heddle.launch @op_mask_attention(
// KERNELS-NOT: heddle.launch
// KERNELS: return
func.func @select_inf(%q: tensor<2x3x17x16xf32>, %k: tensor<2x3x40x16xf32>, %v: tensor<2x3x40x16xf32>, %mask: tensor<17x40xi1>) -> tensor<2x3x17x16xf32> {
  %c = arith.constant dense<0.25> : tensor<2x3x17x40xf32>
  %s = heddle.matmul %q, %k transpose_b : tensor<2x3x17x16xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x40xf32>
  %s1 = arith.mulf %s, %c : tensor<2x3x17x40xf32>
  %low = arith.constant dense<0xFF800000> : tensor<2x3x17x40xf32>
  %mm = heddle.broadcast %mask to [2, 3, 17, 40] : tensor<17x40xi1> -> tensor<2x3x17x40xi1>
  %s2 = arith.select %mm, %s1, %low : tensor<2x3x17x40xi1>, tensor<2x3x17x40xf32>
  %w = heddle.softmax %s2 axis(3) : tensor<2x3x17x40xf32>
  %o = heddle.matmul %w, %v : tensor<2x3x17x40xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x16xf32>
  return %o : tensor<2x3x17x16xf32>
}

// s + where(mask, 0, -inf)
// KERNELS-LABEL: func.func @add_where_inf(
// KERNELS: heddle.launch @op_mask_generic(
// KERNELS: heddle.launch @op_mask_pack(
// KERNELS: heddle.launch @op_mask_attention(
// KERNELS-NOT: heddle.launch
// KERNELS: return
func.func @add_where_inf(%q: tensor<2x3x17x16xf32>, %k: tensor<2x3x40x16xf32>, %v: tensor<2x3x40x16xf32>, %mask: tensor<17x40xi1>) -> tensor<2x3x17x16xf32> {
  %c = arith.constant dense<0.25> : tensor<2x3x17x40xf32>
  %s = heddle.matmul %q, %k transpose_b : tensor<2x3x17x16xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x40xf32>
  %s1 = arith.mulf %s, %c : tensor<2x3x17x40xf32>
  %low = arith.constant dense<0xFF800000> : tensor<1xf32>
  %z = arith.constant dense<0.0> : tensor<1xf32>
  %b = heddle.where %mask, %z, %low : tensor<17x40xi1>, tensor<1xf32>, tensor<1xf32> -> tensor<17x40xf32>
  %bb = heddle.broadcast %b to [2, 3, 17, 40] : tensor<17x40xf32> -> tensor<2x3x17x40xf32>
  %s2 = arith.addf %s1, %bb : tensor<2x3x17x40xf32>
  %w = heddle.softmax %s2 axis(3) : tensor<2x3x17x40xf32>
  %o = heddle.matmul %w, %v : tensor<2x3x17x40xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x16xf32>
  return %o : tensor<2x3x17x16xf32>
}

// The scale comes after the mask.
// KERNELS-LABEL: func.func @mask_then_scale(
// KERNELS: heddle.launch @op_mask_generic(
// KERNELS: heddle.launch @op_mask_pack(
// KERNELS: heddle.launch @op_mask_attention(
// KERNELS-NOT: heddle.launch
// KERNELS: return
func.func @mask_then_scale(%q: tensor<2x3x17x16xf32>, %k: tensor<2x3x40x16xf32>, %v: tensor<2x3x40x16xf32>, %mask: tensor<17x40xi1>) -> tensor<2x3x17x16xf32> {
  %low = arith.constant dense<0xFF800000> : tensor<1xf32>
  %c = arith.constant dense<0.25> : tensor<2x3x17x40xf32>
  %s = heddle.matmul %q, %k transpose_b : tensor<2x3x17x16xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x40xf32>
  %s1 = heddle.where %mask, %s, %low : tensor<17x40xi1>, tensor<2x3x17x40xf32>, tensor<1xf32> -> tensor<2x3x17x40xf32>
  %s2 = arith.mulf %s1, %c : tensor<2x3x17x40xf32>
  %w = heddle.softmax %s2 axis(3) : tensor<2x3x17x40xf32>
  %o = heddle.matmul %w, %v : tensor<2x3x17x40xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x16xf32>
  return %o : tensor<2x3x17x16xf32>
}

// The scale is on the queries.
// KERNELS-LABEL: func.func @mask_scale_q(
// KERNELS: heddle.launch @op_mask_generic(
// KERNELS: heddle.launch @op_mask_pack(
// KERNELS: heddle.launch @op_mask_attention(
// KERNELS-NOT: heddle.launch
// KERNELS: return
func.func @mask_scale_q(%q: tensor<2x3x17x16xf32>, %k: tensor<2x3x40x16xf32>, %v: tensor<2x3x40x16xf32>, %mask: tensor<17x40xi1>) -> tensor<2x3x17x16xf32> {
  %low = arith.constant dense<0xFF800000> : tensor<1xf32>
  %c = arith.constant dense<0.25> : tensor<2x3x17x16xf32>
  %q1 = arith.mulf %q, %c : tensor<2x3x17x16xf32>
  %s = heddle.matmul %q1, %k transpose_b : tensor<2x3x17x16xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x40xf32>
  %s1 = heddle.where %mask, %s, %low : tensor<17x40xi1>, tensor<2x3x17x40xf32>, tensor<1xf32> -> tensor<2x3x17x40xf32>
  %w = heddle.softmax %s1 axis(3) : tensor<2x3x17x40xf32>
  %o = heddle.matmul %w, %v : tensor<2x3x17x40xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x16xf32>
  return %o : tensor<2x3x17x16xf32>
}

// Where all keys of a query are dropped, 0 is subtracted in place of -inf.
// KERNELS-LABEL: func.func @maxnum_guard(
// KERNELS: heddle.launch @op_mask_generic(
// KERNELS: heddle.launch @op_mask_pack(
// KERNELS: heddle.launch @op_mask_attention(
// KERNELS-NOT: heddle.launch
// KERNELS: return
func.func @maxnum_guard(%q: tensor<2x3x17x16xf32>, %k: tensor<2x3x40x16xf32>, %v: tensor<2x3x40x16xf32>, %mask: tensor<17x40xi1>) -> tensor<2x3x17x16xf32> {
  %c = arith.constant dense<0.25> : tensor<2x3x17x40xf32>
  %s = heddle.matmul %q, %k transpose_b : tensor<2x3x17x16xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x40xf32>
  %s1 = arith.mulf %s, %c : tensor<2x3x17x40xf32>
  %low = arith.constant dense<0xFF800000> : tensor<1xf32>
  %z = arith.constant dense<0.0> : tensor<2x3x17x1xf32>
  %l1 = arith.constant dense<0xFF800000> : tensor<2x3x17x1xf32>
  %s2 = heddle.where %mask, %s1, %low : tensor<17x40xi1>, tensor<2x3x17x40xf32>, tensor<1xf32> -> tensor<2x3x17x40xf32>
  %m = heddle.reduce max %s2 axes [3] keep_sizes : tensor<2x3x17x40xf32> -> tensor<2x3x17x1xf32>
  %is = arith.cmpf oeq, %m, %l1 : tensor<2x3x17x1xf32>
  %m0 = heddle.where %is, %z, %m : tensor<2x3x17x1xi1>, tensor<2x3x17x1xf32>, tensor<2x3x17x1xf32> -> tensor<2x3x17x1xf32>
  %mb = heddle.broadcast %m0 to [2, 3, 17, 40] : tensor<2x3x17x1xf32> -> tensor<2x3x17x40xf32>
  %d = arith.subf %s2, %mb : tensor<2x3x17x40xf32>
  %e = math.exp %d : tensor<2x3x17x40xf32>
  %t = heddle.reduce sum %e axes [3] keep_sizes : tensor<2x3x17x40xf32> -> tensor<2x3x17x1xf32>
  %tb = heddle.broadcast %t to [2, 3, 17, 40] : tensor<2x3x17x1xf32> -> tensor<2x3x17x40xf32>
  %w = arith.divf %e, %tb : tensor<2x3x17x40xf32>
  %o = heddle.matmul %w, %v : tensor<2x3x17x40xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x16xf32>
  return %o : tensor<2x3x17x16xf32>
}

// masked_fill(mask, -1e9) is no mask: a query that has nothing else gives the mean of its values.
// KERNELS-LABEL: func.func @op_fill(
// KERNELS: heddle.launch @op_mask_pack(
// KERNELS: heddle.launch @op_fill_attention(
// KERNELS-NOT: heddle.launch
// KERNELS: return
func.func @op_fill(%q: tensor<2x3x17x16xf32>, %k: tensor<2x3x40x16xf32>, %v: tensor<2x3x40x16xf32>, %mask: tensor<17x40xi1>) -> tensor<2x3x17x16xf32> {
  %o = heddle.attention %q, %k, %v heads(3, kv = 3) scale(0.25) score(%mask : tensor<17x40xi1>) {
  ^bb0(%x: tensor<2x3x17x40xf32>, %mk: tensor<17x40xi1>):
  %low = arith.constant dense<-1.0e9> : tensor<1xf32>
  %y = heddle.where %mk, %low, %x : tensor<17x40xi1>, tensor<1xf32>, tensor<2x3x17x40xf32> -> tensor<2x3x17x40xf32>
    heddle.yield %y : tensor<2x3x17x40xf32>
  } : tensor<2x3x17x16xf32>, tensor<2x3x40x16xf32>, tensor<2x3x40x16xf32>
  return %o : tensor<2x3x17x16xf32>
}

// KERNELS-LABEL: func.func @masked_fill(
// KERNELS: heddle.launch @op_mask_pack(
// KERNELS: heddle.launch @op_fill_attention(
// KERNELS-NOT: heddle.launch
// KERNELS: return
func.func @masked_fill(%q: tensor<2x3x17x16xf32>, %k: tensor<2x3x40x16xf32>, %v: tensor<2x3x40x16xf32>, %mask: tensor<17x40xi1>) -> tensor<2x3x17x16xf32> {
  %c = arith.constant dense<0.25> : tensor<2x3x17x40xf32>
  %s = heddle.matmul %q, %k transpose_b : tensor<2x3x17x16xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x40xf32>
  %s1 = arith.mulf %s, %c : tensor<2x3x17x40xf32>
  %low = arith.constant dense<-1.0e9> : tensor<1xf32>
  %s2 = heddle.where %mask, %low, %s1 : tensor<17x40xi1>, tensor<1xf32>, tensor<2x3x17x40xf32> -> tensor<2x3x17x40xf32>
  %w = heddle.softmax %s2 axis(3) : tensor<2x3x17x40xf32>
  %o = heddle.matmul %w, %v : tensor<2x3x17x40xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x16xf32>
  return %o : tensor<2x3x17x16xf32>
}

// KERNELS-LABEL: func.func @scale_q_fill(
// KERNELS: heddle.launch @op_mask_pack(
// KERNELS: heddle.launch @op_fill_attention(
// KERNELS-NOT: heddle.launch
// KERNELS: return
func.func @scale_q_fill(%q: tensor<2x3x17x16xf32>, %k: tensor<2x3x40x16xf32>, %v: tensor<2x3x40x16xf32>, %mask: tensor<17x40xi1>) -> tensor<2x3x17x16xf32> {
  %c = arith.constant dense<0.25> : tensor<2x3x17x16xf32>
  %q1 = arith.mulf %q, %c : tensor<2x3x17x16xf32>
  %s1 = heddle.matmul %q1, %k transpose_b : tensor<2x3x17x16xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x40xf32>
  %low = arith.constant dense<-1.0e9> : tensor<1xf32>
  %s2 = heddle.where %mask, %low, %s1 : tensor<17x40xi1>, tensor<1xf32>, tensor<2x3x17x40xf32> -> tensor<2x3x17x40xf32>
  %w = heddle.softmax %s2 axis(3) : tensor<2x3x17x40xf32>
  %o = heddle.matmul %w, %v : tensor<2x3x17x40xf32>, tensor<2x3x40x16xf32> -> tensor<2x3x17x16xf32>
  return %o : tensor<2x3x17x16xf32>
}

// The last query keeps no key: NaN as it is written, and 0 by attention.
// KERNELS-LABEL: func.func @drops_a_row(
// KERNELS: heddle.launch @drops_a_row_attention(
// KERNELS: return
func.func @drops_a_row(%q: tensor<3x17x16xf32>, %k: tensor<3x17x16xf32>) -> (tensor<3x17x16xf32>, tensor<3x17x17xf32>) {
  %s = heddle.matmul %q, %k transpose_b : tensor<3x17x16xf32>, tensor<3x17x16xf32> -> tensor<3x17x17xf32>
  %i = heddle.iota axis(0) sizes [17, 17] : tensor<17x17xi32>
  %j = heddle.iota axis(1) sizes [17, 17] : tensor<17x17xi32>
  %keep = arith.cmpi sgt, %j, %i : tensor<17x17xi32>
  %low = arith.constant dense<0xFF800000> : tensor<1xf32>
  %m = heddle.where %keep, %s, %low : tensor<17x17xi1>, tensor<3x17x17xf32>, tensor<1xf32> -> tensor<3x17x17xf32>
  %w = heddle.softmax %m axis(2) : tensor<3x17x17xf32>
  %o = heddle.matmul %w, %k : tensor<3x17x17xf32>, tensor<3x17x16xf32> -> tensor<3x17x16xf32>
  return %o, %w : tensor<3x17x16xf32>, tensor<3x17x17xf32>
}

// A part of a mask that is larger than the scores, as models keep one for their longest text.
// KERNELS-LABEL: func.func @first_of_buffer(
// KERNELS: heddle.launch @first_of_buffer_attention(
func.func @first_of_buffer(%q: tensor<2x3x?x16xf32> {heddle.sizes = ["n"]}, %k: tensor<2x3x?x16xf32> {heddle.sizes = ["n"]},
    %v: tensor<2x3x?x16xf32> {heddle.sizes = ["n"]}, %mask: tensor<64x64xi1>) -> tensor<2x3x?x16xf32>
    attributes {heddle.symbols = [#heddle.symbol<"n", 1 to 64>]} {
  %s = heddle.matmul %q, %k transpose_b : tensor<2x3x?x16xf32>, tensor<2x3x?x16xf32> -> tensor<2x3x?x?xf32>
  %m = heddle.slice %mask offsets [0, 0] sizes ["n", "n"] steps [1, 1] : tensor<64x64xi1> -> tensor<?x?xi1>
  %low = arith.constant dense<0xFF800000> : tensor<1xf32>
  %s2 = heddle.where %m, %s, %low : tensor<?x?xi1>, tensor<2x3x?x?xf32>, tensor<1xf32> -> tensor<2x3x?x?xf32>
  %w = heddle.softmax %s2 axis(3) : tensor<2x3x?x?xf32>
  %o = heddle.matmul %w, %v : tensor<2x3x?x?xf32>, tensor<2x3x?x16xf32> -> tensor<2x3x?x16xf32>
  return %o : tensor<2x3x?x16xf32>
}

// Its rows from an offset on, and every other column.
// KERNELS-LABEL: func.func @rows_of_buffer(
// KERNELS: heddle.launch @rows_of_buffer_attention(
func.func @rows_of_buffer(%q: tensor<3x17x16xf32>, %k: tensor<3x20x16xf32>, %v: tensor<3x20x16xf32>, %mask: tensor<64x64xi1>) -> tensor<3x17x16xf32> {
  %s = heddle.matmul %q, %k transpose_b : tensor<3x17x16xf32>, tensor<3x20x16xf32> -> tensor<3x17x20xf32>
  %m = heddle.slice %mask offsets [3, 5] sizes [17, 20] steps [1, 2] : tensor<64x64xi1> -> tensor<17x20xi1>
  %low = arith.constant dense<0xFF800000> : tensor<1xf32>
  %s2 = heddle.where %m, %s, %low : tensor<17x20xi1>, tensor<3x17x20xf32>, tensor<1xf32> -> tensor<3x17x20xf32>
  %w = heddle.softmax %s2 axis(2) : tensor<3x17x20xf32>
  %o = heddle.matmul %w, %v : tensor<3x17x20xf32>, tensor<3x20x16xf32> -> tensor<3x17x16xf32>
  return %o : tensor<3x17x16xf32>
}

// Of sizes that are not known, the end of the diagonal: which keys are kept, and which dropped.
// KERNELS-LABEL: func.func @bottom_right(
// KERNELS: heddle.launch @bottom_right_attention
func.func @bottom_right(%q: tensor<2x3x?x16xf32> {heddle.sizes = ["n"]}, %k: tensor<2x3x?x16xf32> {heddle.sizes = ["m"]}) -> tensor<2x3x?x16xf32> {
  %s = heddle.matmul %q, %k transpose_b : tensor<2x3x?x16xf32>, tensor<2x3x?x16xf32> -> tensor<2x3x?x?xf32>
  %c = heddle.generic over [2, 3, "n", "m"] ins(%s : tensor<2x3x?x?xf32>) maps [affine_map<(a, b, c, d) -> (a, b, c, d)>] {
  ^bb0(%x: f32):
    %i = heddle.index 2
    %j = heddle.index 3
    %n = heddle.size "n" : i32
    %m = heddle.size "m" : i32
    %a = arith.addi %j, %n : i32
    %b = arith.addi %i, %m : i32
    %kept = arith.cmpi sle, %a, %b : i32
    %low = arith.constant 0xFF800000 : f32
    %y = arith.select %kept, %x, %low : f32
    heddle.yield %y : f32
  } : tensor<2x3x?x?xf32>
  %w = heddle.softmax %c axis(3) : tensor<2x3x?x?xf32>
  %o = heddle.matmul %w, %k : tensor<2x3x?x?xf32>, tensor<2x3x?x16xf32> -> tensor<2x3x?x16xf32>
  return %o : tensor<2x3x?x16xf32>
}

// KERNELS-LABEL: func.func @not_above(
// KERNELS: heddle.launch @bottom_right_attention
func.func @not_above(%q: tensor<2x3x?x16xf32> {heddle.sizes = ["n"]}, %k: tensor<2x3x?x16xf32> {heddle.sizes = ["m"]}) -> tensor<2x3x?x16xf32> {
  %s = heddle.matmul %q, %k transpose_b : tensor<2x3x?x16xf32>, tensor<2x3x?x16xf32> -> tensor<2x3x?x?xf32>
  %c = heddle.generic over [2, 3, "n", "m"] ins(%s : tensor<2x3x?x?xf32>) maps [affine_map<(a, b, c, d) -> (a, b, c, d)>] {
  ^bb0(%x: f32):
    %i = heddle.index 2
    %j = heddle.index 3
    %n = heddle.size "n" : i32
    %m = heddle.size "m" : i32
    %a = arith.addi %j, %n : i32
    %b = arith.addi %i, %m : i32
    %kept = arith.cmpi sgt, %a, %b : i32
    %low = arith.constant 0xFF800000 : f32
    %y = arith.select %kept, %low, %x : f32
    heddle.yield %y : f32
  } : tensor<2x3x?x?xf32>
  %w = heddle.softmax %c axis(3) : tensor<2x3x?x?xf32>
  %o = heddle.matmul %w, %k : tensor<2x3x?x?xf32>, tensor<2x3x?x16xf32> -> tensor<2x3x?x16xf32>
  return %o : tensor<2x3x?x16xf32>
}

// The diagonal may begin at any size.
// KERNELS-LABEL: func.func @from_past(
// KERNELS: heddle.launch @from_past_attention
func.func @from_past(%q: tensor<2x3x?x16xf32> {heddle.sizes = ["n"]}, %k: tensor<2x3x?x16xf32> {heddle.sizes = ["m"]}) -> tensor<2x3x?x16xf32> {
  %s = heddle.matmul %q, %k transpose_b : tensor<2x3x?x16xf32>, tensor<2x3x?x16xf32> -> tensor<2x3x?x?xf32>
  %c = heddle.generic over [2, 3, "n", "m"] ins(%s : tensor<2x3x?x?xf32>) maps [affine_map<(a, b, c, d) -> (a, b, c, d)>] {
  ^bb0(%x: f32):
    %i = heddle.index 2
    %j = heddle.index 3
    %past = heddle.size "past" : i32
    %p = arith.addi %i, %past : i32
    %kept = arith.cmpi sle, %j, %p : i32
    %low = arith.constant 0xFF800000 : f32
    %y = arith.select %kept, %x, %low : f32
    heddle.yield %y : f32
  } : tensor<2x3x?x?xf32>
  %w = heddle.softmax %c axis(3) : tensor<2x3x?x?xf32>
  %o = heddle.matmul %w, %k : tensor<2x3x?x?xf32>, tensor<2x3x?x16xf32> -> tensor<2x3x?x16xf32>
  return %o : tensor<2x3x?x16xf32>
}

// KERNELS: heddle.kernel @bottom_right_attention
// KERNELS-NOT: heddle.mask.not
// KERNELS: heddle.mask.causal align(bottom_right)
// KERNELS: heddle.kernel @from_past_attention
// KERNELS: heddle.mask.causal align(top_left) plus("past")
