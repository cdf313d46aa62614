// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GPT-NeoX and Pythia: attention and feed-forward layer side by side, each
// after a norm of its own; queries, keys and values of a head lie together:
// transformers/models/gpt_neox.

#include "compiler/Import/Families/LlamaLike.h"

using namespace heddle;

ModelDescription heddle::describeGPTNeoX(ModelConfig &config) {
  SizeDefaults defaults;
  defaults.vocabulary = 50432;
  defaults.hidden = 6144;
  defaults.layers = 44;
  defaults.heads = 64;
  ModelDescription model;
  DecoderDescription &d = model.decoder();
  readHeads(config, defaults, d);
  model.tokens = config.tokens(d.vocabularySize, 0, 2);
  d.hasTiedHead = config.boolean("tie_word_embeddings", false);
  AttentionDescription &a = d.block.attention;
  FeedForwardDescription &f = d.block.feedForward;
  f.gated = false;
  f.activation = config.activation("hidden_act", "gelu");
  f.hiddenSize = config.size("intermediate_size", 24576);
  if (config.boolean("use_parallel_residual", true))
    d.block.order = BlockOrder::Parallel;
  if (config.failed())
    return model;
  RotaryDescription rotary =
      config.rotary(a.headChannels, d.maxPositions,
                    config.positive("rotary_emb_base", 10000.0),
                    config.positive("rotary_pct", 0.25));
  for (LayerDescription &layer : d.layers)
    layer.rotary = rotary;

  d.embedding = "gpt_neox.embed_in";
  d.layerPrefix = "gpt_neox.layers.#.";
  d.block.norm.kind = NormKind::Layer;
  d.block.norm.hasBias = true;
  d.block.norm.epsilon =
      config.positive("layer_norm_eps", 1e-5, /*zeroAllowed=*/true);
  d.block.attentionNorm = "input_layernorm";
  d.block.feedForwardNorm = "post_attention_layernorm";
  d.finalNormKind = d.block.norm;
  d.finalNorm = "gpt_neox.final_layer_norm";
  d.head.name = "embed_out";
  bool hasBias = config.boolean("attention_bias", true);
  a.fused = ProjectionDescription{"attention.query_key_value", hasBias};
  a.fusedOrder = FusedOrder::Groups;
  a.output = {"attention.dense", hasBias};
  f.up = {"mlp.dense_h_to_4h", true};
  f.down = {"mlp.dense_4h_to_h", true};
  d.ignoredBuffers = {".attention.bias", ".attention.masked_bias",
                      ".rotary_emb.inv_freq"};
  return model;
}
