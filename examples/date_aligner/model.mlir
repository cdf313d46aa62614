// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Recurrent layers with additive attention (arXiv:1409.0473) that read a written date and write the ISO date,
// character by character. Weights have the names and shapes of torch.nn.GRU and torch.nn.GRUCell.

heddle.weight @embedding from "embedding.weight" : tensor<72x32xf32>

heddle.weight @forward_input from "encoder.weight_ih_l0" : tensor<144x32xf32>
heddle.weight @forward_hidden from "encoder.weight_hh_l0" : tensor<144x48xf32>
heddle.weight @forward_input_bias from "encoder.bias_ih_l0" : tensor<144xf32>
heddle.weight @forward_hidden_bias from "encoder.bias_hh_l0" : tensor<144xf32>
heddle.weight @backward_input from "encoder.weight_ih_l0_reverse" : tensor<144x32xf32>
heddle.weight @backward_hidden from "encoder.weight_hh_l0_reverse" : tensor<144x48xf32>
heddle.weight @backward_input_bias from "encoder.bias_ih_l0_reverse" : tensor<144xf32>
heddle.weight @backward_hidden_bias from "encoder.bias_hh_l0_reverse" : tensor<144xf32>

heddle.weight @bridge from "bridge.weight" : tensor<96x96xf32>
heddle.weight @bridge_bias from "bridge.bias" : tensor<96xf32>

heddle.weight @query from "query.weight" : tensor<48x96xf32>
heddle.weight @key from "key.weight" : tensor<48x96xf32>
heddle.weight @key_bias from "key.bias" : tensor<48xf32>
heddle.weight @score from "score.weight" : tensor<1x48xf32>

heddle.weight @decoder_input from "decoder.weight_ih" : tensor<288x128xf32>
heddle.weight @decoder_hidden from "decoder.weight_hh" : tensor<288x96xf32>
heddle.weight @decoder_input_bias from "decoder.bias_ih" : tensor<288xf32>
heddle.weight @decoder_hidden_bias from "decoder.bias_hh" : tensor<288xf32>

heddle.weight @generator from "generator.weight" : tensor<72x96xf32>
heddle.weight @generator_bias from "generator.bias" : tensor<72xf32>

// One direction of the encoder: a cell in a loop over the characters, from the first to the last, or back.
// Past the end of its date a sequence keeps its state. `states[b, t]` is the one after character t was read.
func.func private @read(%x: tensor<?x?x32xf32>, %lengths: tensor<?xi32>, %first: index, %step: index,
    %w: tensor<144x32xf32>, %u: tensor<144x48xf32>, %b: tensor<144xf32>, %c: tensor<144xf32>)
    -> (tensor<?x?x48xf32>, tensor<?x48xf32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %batch = tensor.dim %x, %c0 : tensor<?x?x32xf32>
  %source = tensor.dim %x, %c1 : tensor<?x?x32xf32>
  %zero = arith.constant dense<0.0> : tensor<1xf32>
  %start = heddle.broadcast %zero to ["batch", 48] : tensor<1xf32> -> tensor<?x48xf32>
  %none = heddle.broadcast %zero to ["batch", "source", 48] : tensor<1xf32> -> tensor<?x?x48xf32>
  %states, %last = scf.for %i = %c0 to %source step %c1 iter_args(%all = %none, %h = %start)
      -> (tensor<?x?x48xf32>, tensor<?x48xf32>) {
    %moved = arith.muli %i, %step : index
    %t = arith.addi %first, %moved : index
    %slice = tensor.extract_slice %x[0, %t, 0] [%batch, 1, 32] [1, 1, 1] : tensor<?x?x32xf32> to tensor<?x1x32xf32>
    %character = heddle.squeeze %slice axes [1] : tensor<?x1x32xf32> -> tensor<?x32xf32>
    %next = heddle.gru_cell %character, %h, %w, %u biases(%b, %c : tensor<144xf32>, tensor<144xf32>)
        : tensor<?x32xf32>, tensor<?x48xf32>, tensor<144x32xf32>, tensor<144x48xf32>
    %now = heddle.from_number %t : index -> tensor<i64>
    %isThere = heddle.generic over ["batch", 1] ins(%lengths, %now : tensor<?xi32>, tensor<i64>)
        maps [affine_map<(b, o) -> (b)>, affine_map<(b, o) -> ()>] {
    ^bb0(%length: i32, %place: i64):
      %end = arith.extsi %length : i32 to i64
      %isBefore = arith.cmpi slt, %place, %end : i64
      heddle.yield %isBefore : i1
    } : tensor<?x1xi1>
    %kept = heddle.where %isThere, %next, %h : tensor<?x1xi1>, tensor<?x48xf32>, tensor<?x48xf32> -> tensor<?x48xf32>
    %row = heddle.expand %kept axes [1] : tensor<?x48xf32> -> tensor<?x1x48xf32>
    %written = tensor.insert_slice %row into %all[0, %t, 0] [%batch, 1, 48] [1, 1, 1]
        : tensor<?x1x48xf32> into tensor<?x?x48xf32>
    scf.yield %written, %kept : tensor<?x?x48xf32>, tensor<?x48xf32>
  }
  return %states, %last : tensor<?x?x48xf32>, tensor<?x48xf32>
}

// Written dates, of which the first `lengths` characters count: what the encoder has read up to each character and
// from each on, the keys of that, and the state that the decoder begins with.
func.func @encode(
    %ids: tensor<?x?xi32> {heddle.name = "ids", heddle.sizes = ["batch", "source"]},
    %lengths: tensor<?xi32> {heddle.name = "lengths", heddle.sizes = ["batch"],
                             heddle.values = #heddle.values<1 to "source">})
    -> (tensor<?x?x96xf32> {heddle.name = "memory"}, tensor<?x?x48xf32> {heddle.name = "keys"},
        tensor<?x96xf32> {heddle.name = "state"})
    attributes {heddle.symbols = [#heddle.symbol<"batch", 1 to 1024>, #heddle.symbol<"source", 1 to 64>]} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %back = arith.constant -1 : index
  %source = tensor.dim %ids, %c1 : tensor<?x?xi32>
  %end = arith.subi %source, %c1 : index
  %table = heddle.weight_ref @embedding : tensor<72x32xf32>
  %x = heddle.embedding %ids, %table : tensor<?x?xi32>, tensor<72x32xf32>

  %w = heddle.weight_ref @forward_input : tensor<144x32xf32>
  %u = heddle.weight_ref @forward_hidden : tensor<144x48xf32>
  %b = heddle.weight_ref @forward_input_bias : tensor<144xf32>
  %c = heddle.weight_ref @forward_hidden_bias : tensor<144xf32>
  %before, %last = func.call @read(%x, %lengths, %c0, %c1, %w, %u, %b, %c)
      : (tensor<?x?x32xf32>, tensor<?xi32>, index, index,
         tensor<144x32xf32>, tensor<144x48xf32>, tensor<144xf32>, tensor<144xf32>)
      -> (tensor<?x?x48xf32>, tensor<?x48xf32>)
  %w1 = heddle.weight_ref @backward_input : tensor<144x32xf32>
  %u1 = heddle.weight_ref @backward_hidden : tensor<144x48xf32>
  %b1 = heddle.weight_ref @backward_input_bias : tensor<144xf32>
  %c2 = heddle.weight_ref @backward_hidden_bias : tensor<144xf32>
  %after, %first = func.call @read(%x, %lengths, %end, %back, %w1, %u1, %b1, %c2)
      : (tensor<?x?x32xf32>, tensor<?xi32>, index, index,
         tensor<144x32xf32>, tensor<144x48xf32>, tensor<144xf32>, tensor<144xf32>)
      -> (tensor<?x?x48xf32>, tensor<?x48xf32>)
  %memory = heddle.concat %before, %after axis(2) : tensor<?x?x48xf32>, tensor<?x?x48xf32> -> tensor<?x?x96xf32>

  %wk = heddle.weight_ref @key : tensor<48x96xf32>
  %bk = heddle.weight_ref @key_bias : tensor<48xf32>
  %keys = heddle.linear %memory, %wk bias(%bk : tensor<48xf32>) : tensor<?x?x96xf32>, tensor<48x96xf32>
  %ends = heddle.concat %last, %first axis(1) : tensor<?x48xf32>, tensor<?x48xf32> -> tensor<?x96xf32>
  %ws = heddle.weight_ref @bridge : tensor<96x96xf32>
  %bs = heddle.weight_ref @bridge_bias : tensor<96xf32>
  %bridged = heddle.linear %ends, %ws bias(%bs : tensor<96xf32>) : tensor<?x96xf32>, tensor<96x96xf32>
  %state = heddle.activation tanh %bridged : tensor<?x96xf32>
  return %memory, %keys, %state : tensor<?x?x96xf32>, tensor<?x?x48xf32>, tensor<?x96xf32>
}

// One step of the decoder: logits of the character that follows `ids`, the next state, and how much it takes of each
// character of the written date. weights = softmax over s of score . tanh(query(state) + keys[s]).
func.func @next(
    %ids: tensor<?xi32> {heddle.name = "ids", heddle.sizes = ["batch"]},
    %state: tensor<?x96xf32> {heddle.name = "state", heddle.sizes = ["batch"]},
    %memory: tensor<?x?x96xf32> {heddle.name = "memory", heddle.sizes = ["batch", "source"]},
    %keys: tensor<?x?x48xf32> {heddle.name = "keys", heddle.sizes = ["batch", "source"]},
    %lengths: tensor<?xi32> {heddle.name = "lengths", heddle.sizes = ["batch"],
                             heddle.values = #heddle.values<1 to "source">})
    -> (tensor<?x72xf32> {heddle.name = "logits", heddle.role = #heddle.role<logits>},
        tensor<?x96xf32> {heddle.name = "next_state"}, tensor<?x1x1x?xf32> {heddle.name = "attended"})
    attributes {heddle.symbols = [#heddle.symbol<"batch", 1 to 1024>, #heddle.symbol<"source", 1 to 64>]} {
  %wq = heddle.weight_ref @query : tensor<48x96xf32>
  %row = heddle.weight_ref @score : tensor<1x48xf32>
  %score = heddle.squeeze %row axes [0] : tensor<1x48xf32> -> tensor<48xf32>
  %projected = heddle.linear %state, %wq : tensor<?x96xf32>, tensor<48x96xf32>
  %query = heddle.expand %projected axes [1] : tensor<?x48xf32> -> tensor<?x1x48xf32>
  %valid = heddle.mask.lengths %lengths : tensor<?xi32>
  %context, %weights = heddle.attention %query, %keys, %memory mask(%valid) heads(1, kv = 1)
      results(output, weights) term(%score : tensor<48xf32>) {
    ^bb0(%q: tensor<?x1x1x?x48xf32>, %k: tensor<?x1x1x?x48xf32>, %s: tensor<48xf32>):
      %sum = arith.addf %q, %k : tensor<?x1x1x?x48xf32>
      %tanh = math.tanh %sum : tensor<?x1x1x?x48xf32>
      %term = heddle.generic over ["batch", 1, 1, "source", 48] ins(%tanh, %s : tensor<?x1x1x?x48xf32>, tensor<48xf32>)
          maps [affine_map<(b, h, q, k, c) -> (b, h, q, k, c)>, affine_map<(b, h, q, k, c) -> (c)>] {
      ^bb0(%a: f32, %b: f32):
        %product = arith.mulf %a, %b : f32
        heddle.yield %product : f32
      } : tensor<?x1x1x?x48xf32>
      heddle.yield %term : tensor<?x1x1x?x48xf32>
    } : tensor<?x1x48xf32>, tensor<?x?x48xf32>, tensor<?x?x96xf32>
  %seen = heddle.squeeze %context axes [1] : tensor<?x1x96xf32> -> tensor<?x96xf32>

  %table = heddle.weight_ref @embedding : tensor<72x32xf32>
  %character = heddle.embedding %ids, %table : tensor<?xi32>, tensor<72x32xf32>
  %input = heddle.concat %character, %seen axis(1) : tensor<?x32xf32>, tensor<?x96xf32> -> tensor<?x128xf32>
  %w = heddle.weight_ref @decoder_input : tensor<288x128xf32>
  %u = heddle.weight_ref @decoder_hidden : tensor<288x96xf32>
  %b = heddle.weight_ref @decoder_input_bias : tensor<288xf32>
  %c = heddle.weight_ref @decoder_hidden_bias : tensor<288xf32>
  %next = heddle.gru_cell %input, %state, %w, %u biases(%b, %c : tensor<288xf32>, tensor<288xf32>)
      : tensor<?x128xf32>, tensor<?x96xf32>, tensor<288x128xf32>, tensor<288x96xf32>
  %wg = heddle.weight_ref @generator : tensor<72x96xf32>
  %bg = heddle.weight_ref @generator_bias : tensor<72xf32>
  %logits = heddle.linear %next, %wg bias(%bg : tensor<72xf32>) : tensor<?x96xf32>, tensor<72x96xf32>
  return %logits, %next, %weights : tensor<?x72xf32>, tensor<?x96xf32>, tensor<?x1x1x?xf32>
}
