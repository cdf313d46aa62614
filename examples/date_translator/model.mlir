// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// An encoder-decoder transformer that reads a written date and writes the ISO date, character by
// character. Layers find their parameters by name: they are those of torch.nn.Transformer.

heddle.weight @embedding from "embedding.weight" : tensor<72x64xbf16>

heddle.weight @encoder.layers.0.self_attn.in_proj_weight from "transformer.encoder.layers.0.self_attn.in_proj_weight" : tensor<192x64xbf16>
heddle.weight @encoder.layers.0.self_attn.in_proj_bias from "transformer.encoder.layers.0.self_attn.in_proj_bias" : tensor<192xf32>
heddle.weight @encoder.layers.0.self_attn.out_proj.weight from "transformer.encoder.layers.0.self_attn.out_proj.weight" : tensor<64x64xbf16>
heddle.weight @encoder.layers.0.self_attn.out_proj.bias from "transformer.encoder.layers.0.self_attn.out_proj.bias" : tensor<64xf32>
heddle.weight @encoder.layers.0.linear1.weight from "transformer.encoder.layers.0.linear1.weight" : tensor<128x64xbf16>
heddle.weight @encoder.layers.0.linear1.bias from "transformer.encoder.layers.0.linear1.bias" : tensor<128xf32>
heddle.weight @encoder.layers.0.linear2.weight from "transformer.encoder.layers.0.linear2.weight" : tensor<64x128xbf16>
heddle.weight @encoder.layers.0.linear2.bias from "transformer.encoder.layers.0.linear2.bias" : tensor<64xf32>
heddle.weight @encoder.layers.0.norm1.weight from "transformer.encoder.layers.0.norm1.weight" : tensor<64xf32>
heddle.weight @encoder.layers.0.norm1.bias from "transformer.encoder.layers.0.norm1.bias" : tensor<64xf32>
heddle.weight @encoder.layers.0.norm2.weight from "transformer.encoder.layers.0.norm2.weight" : tensor<64xf32>
heddle.weight @encoder.layers.0.norm2.bias from "transformer.encoder.layers.0.norm2.bias" : tensor<64xf32>

heddle.weight @encoder.layers.1.self_attn.in_proj_weight from "transformer.encoder.layers.1.self_attn.in_proj_weight" : tensor<192x64xbf16>
heddle.weight @encoder.layers.1.self_attn.in_proj_bias from "transformer.encoder.layers.1.self_attn.in_proj_bias" : tensor<192xf32>
heddle.weight @encoder.layers.1.self_attn.out_proj.weight from "transformer.encoder.layers.1.self_attn.out_proj.weight" : tensor<64x64xbf16>
heddle.weight @encoder.layers.1.self_attn.out_proj.bias from "transformer.encoder.layers.1.self_attn.out_proj.bias" : tensor<64xf32>
heddle.weight @encoder.layers.1.linear1.weight from "transformer.encoder.layers.1.linear1.weight" : tensor<128x64xbf16>
heddle.weight @encoder.layers.1.linear1.bias from "transformer.encoder.layers.1.linear1.bias" : tensor<128xf32>
heddle.weight @encoder.layers.1.linear2.weight from "transformer.encoder.layers.1.linear2.weight" : tensor<64x128xbf16>
heddle.weight @encoder.layers.1.linear2.bias from "transformer.encoder.layers.1.linear2.bias" : tensor<64xf32>
heddle.weight @encoder.layers.1.norm1.weight from "transformer.encoder.layers.1.norm1.weight" : tensor<64xf32>
heddle.weight @encoder.layers.1.norm1.bias from "transformer.encoder.layers.1.norm1.bias" : tensor<64xf32>
heddle.weight @encoder.layers.1.norm2.weight from "transformer.encoder.layers.1.norm2.weight" : tensor<64xf32>
heddle.weight @encoder.layers.1.norm2.bias from "transformer.encoder.layers.1.norm2.bias" : tensor<64xf32>

heddle.weight @encoder.norm.weight from "transformer.encoder.norm.weight" : tensor<64xf32>
heddle.weight @encoder.norm.bias from "transformer.encoder.norm.bias" : tensor<64xf32>

heddle.weight @decoder.layers.0.self_attn.in_proj_weight from "transformer.decoder.layers.0.self_attn.in_proj_weight" : tensor<192x64xbf16>
heddle.weight @decoder.layers.0.self_attn.in_proj_bias from "transformer.decoder.layers.0.self_attn.in_proj_bias" : tensor<192xf32>
heddle.weight @decoder.layers.0.self_attn.out_proj.weight from "transformer.decoder.layers.0.self_attn.out_proj.weight" : tensor<64x64xbf16>
heddle.weight @decoder.layers.0.self_attn.out_proj.bias from "transformer.decoder.layers.0.self_attn.out_proj.bias" : tensor<64xf32>
heddle.weight @decoder.layers.0.multihead_attn.in_proj_weight from "transformer.decoder.layers.0.multihead_attn.in_proj_weight" : tensor<192x64xbf16>
heddle.weight @decoder.layers.0.multihead_attn.in_proj_bias from "transformer.decoder.layers.0.multihead_attn.in_proj_bias" : tensor<192xf32>
heddle.weight @decoder.layers.0.multihead_attn.out_proj.weight from "transformer.decoder.layers.0.multihead_attn.out_proj.weight" : tensor<64x64xbf16>
heddle.weight @decoder.layers.0.multihead_attn.out_proj.bias from "transformer.decoder.layers.0.multihead_attn.out_proj.bias" : tensor<64xf32>
heddle.weight @decoder.layers.0.linear1.weight from "transformer.decoder.layers.0.linear1.weight" : tensor<128x64xbf16>
heddle.weight @decoder.layers.0.linear1.bias from "transformer.decoder.layers.0.linear1.bias" : tensor<128xf32>
heddle.weight @decoder.layers.0.linear2.weight from "transformer.decoder.layers.0.linear2.weight" : tensor<64x128xbf16>
heddle.weight @decoder.layers.0.linear2.bias from "transformer.decoder.layers.0.linear2.bias" : tensor<64xf32>
heddle.weight @decoder.layers.0.norm1.weight from "transformer.decoder.layers.0.norm1.weight" : tensor<64xf32>
heddle.weight @decoder.layers.0.norm1.bias from "transformer.decoder.layers.0.norm1.bias" : tensor<64xf32>
heddle.weight @decoder.layers.0.norm2.weight from "transformer.decoder.layers.0.norm2.weight" : tensor<64xf32>
heddle.weight @decoder.layers.0.norm2.bias from "transformer.decoder.layers.0.norm2.bias" : tensor<64xf32>
heddle.weight @decoder.layers.0.norm3.weight from "transformer.decoder.layers.0.norm3.weight" : tensor<64xf32>
heddle.weight @decoder.layers.0.norm3.bias from "transformer.decoder.layers.0.norm3.bias" : tensor<64xf32>

heddle.weight @decoder.layers.1.self_attn.in_proj_weight from "transformer.decoder.layers.1.self_attn.in_proj_weight" : tensor<192x64xbf16>
heddle.weight @decoder.layers.1.self_attn.in_proj_bias from "transformer.decoder.layers.1.self_attn.in_proj_bias" : tensor<192xf32>
heddle.weight @decoder.layers.1.self_attn.out_proj.weight from "transformer.decoder.layers.1.self_attn.out_proj.weight" : tensor<64x64xbf16>
heddle.weight @decoder.layers.1.self_attn.out_proj.bias from "transformer.decoder.layers.1.self_attn.out_proj.bias" : tensor<64xf32>
heddle.weight @decoder.layers.1.multihead_attn.in_proj_weight from "transformer.decoder.layers.1.multihead_attn.in_proj_weight" : tensor<192x64xbf16>
heddle.weight @decoder.layers.1.multihead_attn.in_proj_bias from "transformer.decoder.layers.1.multihead_attn.in_proj_bias" : tensor<192xf32>
heddle.weight @decoder.layers.1.multihead_attn.out_proj.weight from "transformer.decoder.layers.1.multihead_attn.out_proj.weight" : tensor<64x64xbf16>
heddle.weight @decoder.layers.1.multihead_attn.out_proj.bias from "transformer.decoder.layers.1.multihead_attn.out_proj.bias" : tensor<64xf32>
heddle.weight @decoder.layers.1.linear1.weight from "transformer.decoder.layers.1.linear1.weight" : tensor<128x64xbf16>
heddle.weight @decoder.layers.1.linear1.bias from "transformer.decoder.layers.1.linear1.bias" : tensor<128xf32>
heddle.weight @decoder.layers.1.linear2.weight from "transformer.decoder.layers.1.linear2.weight" : tensor<64x128xbf16>
heddle.weight @decoder.layers.1.linear2.bias from "transformer.decoder.layers.1.linear2.bias" : tensor<64xf32>
heddle.weight @decoder.layers.1.norm1.weight from "transformer.decoder.layers.1.norm1.weight" : tensor<64xf32>
heddle.weight @decoder.layers.1.norm1.bias from "transformer.decoder.layers.1.norm1.bias" : tensor<64xf32>
heddle.weight @decoder.layers.1.norm2.weight from "transformer.decoder.layers.1.norm2.weight" : tensor<64xf32>
heddle.weight @decoder.layers.1.norm2.bias from "transformer.decoder.layers.1.norm2.bias" : tensor<64xf32>
heddle.weight @decoder.layers.1.norm3.weight from "transformer.decoder.layers.1.norm3.weight" : tensor<64xf32>
heddle.weight @decoder.layers.1.norm3.bias from "transformer.decoder.layers.1.norm3.bias" : tensor<64xf32>

heddle.weight @decoder.norm.weight from "transformer.decoder.norm.weight" : tensor<64xf32>
heddle.weight @decoder.norm.bias from "transformer.decoder.norm.bias" : tensor<64xf32>

heddle.weight @generator.weight from "generator.weight" : tensor<72x64xbf16>
heddle.weight @generator.bias from "generator.bias" : tensor<72xf32>

// The characters at `ids`, with their positions.
func.func private @embed(%ids: tensor<?x?xi32>) -> tensor<?x?x64xf32> {
  %table = heddle.weight_ref @embedding : tensor<72x64xbf16>
  %positions = heddle.sinusoidal_positions base(10000.0) : tensor<64x64xf32>
  %characters = heddle.embedding %ids, %table : tensor<?x?xi32>, tensor<72x64xbf16>
  %x = heddle.add_positions %characters, %positions : tensor<?x?x64xf32>, tensor<64x64xf32>
  return %x : tensor<?x?x64xf32>
}

// What the encoder makes of written dates, of which the first `lengths` characters count.
func.func @encode(
    %ids: tensor<?x?xi32> {heddle.name = "ids", heddle.sizes = ["batch", "source"]},
    %lengths: tensor<?xi32> {heddle.name = "lengths", heddle.sizes = ["batch"],
                             heddle.values = #heddle.values<1 to "source">})
    -> (tensor<?x?x64xf32> {heddle.name = "memory"})
    attributes {heddle.symbols = [#heddle.symbol<"batch", 1 to 1024>, #heddle.symbol<"source", 1 to 64>]} {
  %valid = heddle.mask.lengths %lengths : tensor<?xi32>
  %x = func.call @embed(%ids) : (tensor<?x?xi32>) -> tensor<?x?x64xf32>
  %memory = heddle.encoder %x from("encoder") layers(2) mask(%valid) heads(4) norm(pre) activation(relu)
      epsilon(1.0e-5) : tensor<?x?x64xf32>
  return %memory : tensor<?x?x64xf32>
}

// The last layer of the decoder: heddle.decoder_layer, and the weights of its attention to the memory
// as the mean of its heads.
func.func private @last_layer(%x: tensor<?x?x64xf32>, %memory: tensor<?x?x64xf32>, %lengths: tensor<?xi32>)
    -> (tensor<?x?x64xf32>, tensor<?x?x?xf32>) {
  %w0 = heddle.weight_ref @decoder.layers.1.self_attn.in_proj_weight : tensor<192x64xbf16>
  %b0 = heddle.weight_ref @decoder.layers.1.self_attn.in_proj_bias : tensor<192xf32>
  %w1 = heddle.weight_ref @decoder.layers.1.self_attn.out_proj.weight : tensor<64x64xbf16>
  %b1 = heddle.weight_ref @decoder.layers.1.self_attn.out_proj.bias : tensor<64xf32>
  %norm1 = heddle.weight_ref @decoder.layers.1.norm1.weight : tensor<64xf32>
  %shift1 = heddle.weight_ref @decoder.layers.1.norm1.bias : tensor<64xf32>
  %x1 = heddle.layer_norm %x, %norm1, %shift1 epsilon(1.0e-5) : tensor<?x?x64xf32>, tensor<64xf32>, tensor<64xf32>
  %causal = heddle.mask.causal align(top_left)
  %own = heddle.multi_head_attention %x1, %x1, %x1 mask(%causal) heads(4, kv = 4)
      combined(%w0, %b0 : tensor<192x64xbf16>, tensor<192xf32>)
      output(%w1, %b1 : tensor<64x64xbf16>, tensor<64xf32>)
      : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  %y1 = arith.addf %x, %own : tensor<?x?x64xf32>

  // The rows of in_proj are those of the query, the key and the value.
  %wq = heddle.weight_ref @decoder.layers.1.multihead_attn.in_proj_weight offsets [0, 0] : tensor<64x64xbf16>
  %wk = heddle.weight_ref @decoder.layers.1.multihead_attn.in_proj_weight offsets [64, 0] : tensor<64x64xbf16>
  %wv = heddle.weight_ref @decoder.layers.1.multihead_attn.in_proj_weight offsets [128, 0] : tensor<64x64xbf16>
  %bq = heddle.weight_ref @decoder.layers.1.multihead_attn.in_proj_bias offsets [0] : tensor<64xf32>
  %bk = heddle.weight_ref @decoder.layers.1.multihead_attn.in_proj_bias offsets [64] : tensor<64xf32>
  %bv = heddle.weight_ref @decoder.layers.1.multihead_attn.in_proj_bias offsets [128] : tensor<64xf32>
  %w2 = heddle.weight_ref @decoder.layers.1.multihead_attn.out_proj.weight : tensor<64x64xbf16>
  %b2 = heddle.weight_ref @decoder.layers.1.multihead_attn.out_proj.bias : tensor<64xf32>
  %norm2 = heddle.weight_ref @decoder.layers.1.norm2.weight : tensor<64xf32>
  %shift2 = heddle.weight_ref @decoder.layers.1.norm2.bias : tensor<64xf32>
  %x2 = heddle.layer_norm %y1, %norm2, %shift2 epsilon(1.0e-5) : tensor<?x?x64xf32>, tensor<64xf32>, tensor<64xf32>
  %valid = heddle.mask.lengths %lengths : tensor<?xi32>
  %seen, %heads = heddle.multi_head_attention %x2, %memory, %memory mask(%valid) heads(4, kv = 4)
      query(%wq, %bq : tensor<64x64xbf16>, tensor<64xf32>) key(%wk, %bk : tensor<64x64xbf16>, tensor<64xf32>)
      value(%wv, %bv : tensor<64x64xbf16>, tensor<64xf32>) output(%w2, %b2 : tensor<64x64xbf16>, tensor<64xf32>)
      results(output, weights) : tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?x?x64xf32>
  %weights = heddle.reduce mean %heads axes [1] : tensor<?x4x?x?xf32> -> tensor<?x?x?xf32>
  %y2 = arith.addf %y1, %seen : tensor<?x?x64xf32>

  %up = heddle.weight_ref @decoder.layers.1.linear1.weight : tensor<128x64xbf16>
  %b3 = heddle.weight_ref @decoder.layers.1.linear1.bias : tensor<128xf32>
  %down = heddle.weight_ref @decoder.layers.1.linear2.weight : tensor<64x128xbf16>
  %b4 = heddle.weight_ref @decoder.layers.1.linear2.bias : tensor<64xf32>
  %norm3 = heddle.weight_ref @decoder.layers.1.norm3.weight : tensor<64xf32>
  %shift3 = heddle.weight_ref @decoder.layers.1.norm3.bias : tensor<64xf32>
  %x3 = heddle.layer_norm %y2, %norm3, %shift3 epsilon(1.0e-5) : tensor<?x?x64xf32>, tensor<64xf32>, tensor<64xf32>
  %hidden = heddle.feed_forward relu %x3, %up, %down biases(%b3, %b4 : tensor<128xf32>, tensor<64xf32>)
      : tensor<?x?x64xf32>, tensor<128x64xbf16>, tensor<64x128xbf16>
  %y3 = arith.addf %y2, %hidden : tensor<?x?x64xf32>
  return %y3, %weights : tensor<?x?x64xf32>, tensor<?x?x?xf32>
}

// What follows the characters at `ids`, which begin with <s>, as logits; and, for each of them, how much
// the last layer takes of each character of the written date to find the one that follows.
func.func @next(
    %ids: tensor<?x?xi32> {heddle.name = "ids", heddle.sizes = ["batch", "length"]},
    %memory: tensor<?x?x64xf32> {heddle.name = "memory", heddle.sizes = ["batch", "source"]},
    %lengths: tensor<?xi32> {heddle.name = "lengths", heddle.sizes = ["batch"],
                             heddle.values = #heddle.values<1 to "source">})
    -> (tensor<?x72xf32> {heddle.name = "logits", heddle.role = #heddle.role<logits>},
        tensor<?x?x?xf32> {heddle.name = "attended"})
    attributes {heddle.symbols = [#heddle.symbol<"batch", 1 to 1024>, #heddle.symbol<"length", 1 to 16>,
                                  #heddle.symbol<"source", 1 to 64>]} {
  %causal = heddle.mask.causal align(top_left)
  %valid = heddle.mask.lengths %lengths : tensor<?xi32>
  %x = func.call @embed(%ids) : (tensor<?x?xi32>) -> tensor<?x?x64xf32>
  %y0 = heddle.decoder_layer %x, %memory from("decoder.layers.0") mask(%causal) memory_mask(%valid)
      heads(4) norm(pre) activation(relu) epsilon(1.0e-5) : tensor<?x?x64xf32>, tensor<?x?x64xf32>
  %y1, %weights = func.call @last_layer(%y0, %memory, %lengths)
      : (tensor<?x?x64xf32>, tensor<?x?x64xf32>, tensor<?xi32>) -> (tensor<?x?x64xf32>, tensor<?x?x?xf32>)
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %batch = tensor.dim %ids, %c0 : tensor<?x?xi32>
  %length = tensor.dim %ids, %c1 : tensor<?x?xi32>
  %end = arith.subi %length, %c1 : index
  %slice = tensor.extract_slice %y1[0, %end, 0] [%batch, 1, 64] [1, 1, 1] : tensor<?x?x64xf32> to tensor<?x1x64xf32>
  %last = heddle.squeeze %slice axes [1] : tensor<?x1x64xf32> -> tensor<?x64xf32>
  %scale = heddle.weight_ref @decoder.norm.weight : tensor<64xf32>
  %shift = heddle.weight_ref @decoder.norm.bias : tensor<64xf32>
  %normed = heddle.layer_norm %last, %scale, %shift epsilon(1.0e-5) : tensor<?x64xf32>, tensor<64xf32>, tensor<64xf32>
  %w = heddle.weight_ref @generator.weight : tensor<72x64xbf16>
  %b = heddle.weight_ref @generator.bias : tensor<72xf32>
  %logits = heddle.linear %normed, %w bias(%b : tensor<72xf32>) : tensor<?x64xf32>, tensor<72x64xbf16>
  return %logits, %weights : tensor<?x72xf32>, tensor<?x?x?xf32>
}
