// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Attention of a memorizing transformer (Wu et al., arXiv:2203.08913): each query of each head
// attends to the 8 keys of a store that are nearest to it, and to its own text; a learned gate
// of each head mixes the two. nearest_memory.py has the formulas.

heddle.weight @query from "query.weight" : tensor<64x48xf32>
heddle.weight @key from "key.weight" : tensor<64x48xf32>
heddle.weight @value from "value.weight" : tensor<64x48xf32>
heddle.weight @output from "output.weight" : tensor<48x64xf32>
heddle.weight @gate from "gate_bias" : tensor<4xf32>

// The store has `stored` keys and values of each head, which all sequences share.
func.func @attend(
    %x: tensor<?x?x48xf32> {heddle.name = "x", heddle.sizes = ["batch", "length"]},
    %keys: tensor<4x?x16xf32> {heddle.name = "keys", heddle.sizes = ["stored"]},
    %values: tensor<4x?x16xf32> {heddle.name = "values", heddle.sizes = ["stored"]})
    -> (tensor<?x?x48xf32> {heddle.name = "y"}, tensor<?x4x?x8xi32> {heddle.name = "nearest"})
    attributes {heddle.symbols = [#heddle.symbol<"stored", 8 to 65536>]} {
  %wq = heddle.weight_ref @query : tensor<64x48xf32>
  %wk = heddle.weight_ref @key : tensor<64x48xf32>
  %wv = heddle.weight_ref @value : tensor<64x48xf32>
  %q = heddle.linear %x, %wq : tensor<?x?x48xf32>, tensor<64x48xf32>
  %k = heddle.linear %x, %wk : tensor<?x?x48xf32>, tensor<64x48xf32>
  %v = heddle.linear %x, %wv : tensor<?x?x48xf32>, tensor<64x48xf32>
  %causal = heddle.mask.causal align(top_left)
  %local = heddle.attention %q, %k, %v mask(%causal) heads(4, kv = 4)
      : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>

  // The nearest keys of each query: [batch, head, query, 8].
  %split = heddle.reshape %q to ["batch", "length", 4, 16] : tensor<?x?x64xf32> -> tensor<?x?x4x16xf32>
  %queries = heddle.transpose %split permutation [0, 2, 1, 3] : tensor<?x?x4x16xf32> -> tensor<?x4x?x16xf32>
  %products = heddle.matmul %queries, %keys transpose_b : tensor<?x4x?x16xf32>, tensor<4x?x16xf32> -> tensor<?x4x?x?xf32>
  %best, %nearest = heddle.top_k %products axis(3) k(8) : tensor<?x4x?x?xf32> -> tensor<?x4x?x8xf32>, tensor<?x4x?x8xi32>

  // Their scores are the products that were found; only values are gathered. A softmax of
  // them is the attention to the nearest keys.
  %scale = arith.constant dense<0.25> : tensor<1xf32>
  %scales = heddle.broadcast %scale to ["batch", 4, "length", 8] : tensor<1xf32> -> tensor<?x4x?x8xf32>
  %scores = arith.mulf %best, %scales : tensor<?x4x?x8xf32>
  %weights = heddle.softmax %scores axis(3) : tensor<?x4x?x8xf32>
  %gathered = heddle.generic over ["batch", 4, "length", 8, 16] ins(%nearest : tensor<?x4x?x8xi32>)
      maps [affine_map<(b, h, q, j, c) -> (b, h, q, j)>] tables(%values : tensor<4x?x16xf32>) {
  ^bb0(%row: i32, %table: tensor<4x?x16xf32>):
    %head = heddle.index 1
    %channel = heddle.index 4
    %element = heddle.read %table[%head, %row, %channel] : tensor<4x?x16xf32>
    heddle.yield %element : f32
  } : tensor<?x4x?x8x16xf32>
  %rows = heddle.expand %weights axes [3] : tensor<?x4x?x8xf32> -> tensor<?x4x?x1x8xf32>
  %sums = heddle.matmul %rows, %gathered : tensor<?x4x?x1x8xf32>, tensor<?x4x?x8x16xf32> -> tensor<?x4x?x1x16xf32>
  %far = heddle.squeeze %sums axes [3] : tensor<?x4x?x1x16xf32> -> tensor<?x4x?x16xf32>
  %tokens = heddle.transpose %far permutation [0, 2, 1, 3] : tensor<?x4x?x16xf32> -> tensor<?x?x4x16xf32>

  // sigmoid(g) of what is far, and the rest of what is near.
  %g = heddle.weight_ref @gate : tensor<4xf32>
  %open = heddle.activation sigmoid %g : tensor<4xf32>
  %column = heddle.expand %open axes [1] : tensor<4xf32> -> tensor<4x1xf32>
  %share = heddle.broadcast %column to ["batch", "length", 4, 16] : tensor<4x1xf32> -> tensor<?x?x4x16xf32>
  %near = heddle.reshape %local to ["batch", "length", 4, 16] : tensor<?x?x64xf32> -> tensor<?x?x4x16xf32>
  %difference = arith.subf %tokens, %near : tensor<?x?x4x16xf32>
  %part = arith.mulf %share, %difference : tensor<?x?x4x16xf32>
  %mixed = arith.addf %near, %part : tensor<?x?x4x16xf32>
  %joined = heddle.reshape %mixed to ["batch", "length", 64] : tensor<?x?x4x16xf32> -> tensor<?x?x64xf32>
  %wo = heddle.weight_ref @output : tensor<48x64xf32>
  %y = heddle.linear %joined, %wo : tensor<?x?x64xf32>, tensor<48x64xf32>
  return %y, %nearest : tensor<?x?x48xf32>, tensor<?x4x?x8xi32>
}
