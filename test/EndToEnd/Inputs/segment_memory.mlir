// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Attention of Transformer-XL (Dai et al., arXiv:1901.02860): a segment of a text attends to
// itself and to what is remembered of earlier segments, with relative positions.
// segment_memory.py has the formulas.

heddle.weight @query from "query.weight" : tensor<64x64xf32>
heddle.weight @key from "key.weight" : tensor<64x64xf32>
heddle.weight @value from "value.weight" : tensor<64x64xf32>
heddle.weight @position from "position.weight" : tensor<64x64xf32>
heddle.weight @output from "output.weight" : tensor<64x64xf32>
// Called u and v in the paper: what a query asks of any key, and of any distance.
heddle.weight @content_bias from "content_bias" : tensor<64xf32>
heddle.weight @distance_bias from "distance_bias" : tensor<64xf32>

// Of the states that are remembered, the first skipped[b] are none: a text has fewer when it
// begins. What is to be remembered next are the last states of both.
func.func @attend(
    %x: tensor<?x?x64xf32> {heddle.name = "x", heddle.sizes = ["batch", "length"]},
    %memory: tensor<?x?x64xf32> {heddle.name = "memory", heddle.sizes = ["batch", "past"]},
    %skipped: tensor<?xi32> {heddle.name = "skipped", heddle.sizes = ["batch"]})
    -> (tensor<?x?x64xf32> {heddle.name = "y"}, tensor<?x?x64xf32> {heddle.name = "next"})
    attributes {heddle.symbols = [#heddle.symbol<"length", 1 to 512>, #heddle.symbol<"past", 1 to 512>]} {
  %states = heddle.concat %memory, %x axis(1) : tensor<?x?x64xf32>, tensor<?x?x64xf32> -> tensor<?x?x64xf32>
  %wq = heddle.weight_ref @query : tensor<64x64xf32>
  %wk = heddle.weight_ref @key : tensor<64x64xf32>
  %wv = heddle.weight_ref @value : tensor<64x64xf32>
  %u = heddle.weight_ref @content_bias : tensor<64xf32>
  %v = heddle.weight_ref @distance_bias : tensor<64xf32>
  %toKeys = heddle.linear %x, %wq bias(%u : tensor<64xf32>) : tensor<?x?x64xf32>, tensor<64x64xf32>
  %toDistances = heddle.linear %x, %wq bias(%v : tensor<64xf32>) : tensor<?x?x64xf32>, tensor<64x64xf32>
  %k = heddle.linear %states, %wk : tensor<?x?x64xf32>, tensor<64x64xf32>
  %val = heddle.linear %states, %wv : tensor<?x?x64xf32>, tensor<64x64xf32>

  // Encodings of the distances 0, 1, .., and for each query and head what it makes of each:
  // [batch, head, query, distance].
  %encodings = heddle.sinusoidal_positions halves base(10000.0) : tensor<1024x64xf32>
  %near = heddle.slice %encodings offsets [0, 0] sizes ["past + length", 64] steps [1, 1]
      : tensor<1024x64xf32> -> tensor<?x64xf32>
  %wr = heddle.weight_ref @position : tensor<64x64xf32>
  %r = heddle.linear %near, %wr : tensor<?x64xf32>, tensor<64x64xf32>
  %rowsOfHeads = heddle.reshape %toDistances to ["batch", "length", 4, 16] : tensor<?x?x64xf32> -> tensor<?x?x4x16xf32>
  %rows = heddle.transpose %rowsOfHeads permutation [0, 2, 1, 3] : tensor<?x?x4x16xf32> -> tensor<?x4x?x16xf32>
  %distancesOfHeads = heddle.reshape %r to ["past + length", 4, 16] : tensor<?x64xf32> -> tensor<?x4x16xf32>
  %distances = heddle.transpose %distancesOfHeads permutation [1, 0, 2] : tensor<?x4x16xf32> -> tensor<4x?x16xf32>
  %terms = heddle.matmul %rows, %distances transpose_b : tensor<?x4x?x16xf32>, tensor<4x?x16xf32> -> tensor<?x4x?x?xf32>

  %none = heddle.mask.lengths %skipped : tensor<?xi32>
  %some = heddle.mask.not %none
  %causal = heddle.mask.causal align(bottom_right)
  %mask = heddle.mask.and %causal, %some
  // Query q stands at key past + q. Scores are scaled already, and terms are not.
  %o = heddle.attention %toKeys, %k, %val mask(%mask) heads(4, kv = 4) scale(0.25)
      score(%terms : tensor<?x4x?x?xf32>) {
    ^bb0(%s: tensor<?x4x?x?xf32>, %t: tensor<?x4x?x?xf32>):
      %sum = heddle.generic over ["batch", 4, "length", "past + length"] ins(%s : tensor<?x4x?x?xf32>)
          maps [affine_map<(b, h, q, k) -> (b, h, q, k)>] tables(%t : tensor<?x4x?x?xf32>) {
      ^bb0(%score: f32, %table: tensor<?x4x?x?xf32>):
        %b = heddle.index 0
        %h = heddle.index 1
        %q = heddle.index 2
        %j = heddle.index 3
        %past = heddle.size "past" : i32
        %place = arith.addi %past, %q : i32
        %distance = arith.subi %place, %j : i32
        %term = heddle.read %table[%b, %h, %q, %distance] : tensor<?x4x?x?xf32>
        %scale = arith.constant 0.25 : f32
        %scaled = arith.mulf %term, %scale : f32
        %total = arith.addf %score, %scaled : f32
        heddle.yield %total : f32
      } : tensor<?x4x?x?xf32>
      heddle.yield %sum : tensor<?x4x?x?xf32>
    } : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  %wo = heddle.weight_ref @output : tensor<64x64xf32>
  %y = heddle.linear %o, %wo : tensor<?x?x64xf32>, tensor<64x64xf32>
  %next = heddle.slice %states offsets [0, "length", 0] sizes ["batch", "past", 64] steps [1, 1, 1]
      : tensor<?x?x64xf32> -> tensor<?x?x64xf32>
  return %y, %next : tensor<?x?x64xf32>, tensor<?x?x64xf32>
}
