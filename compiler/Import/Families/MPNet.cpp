// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MPNet: BERT without types, with T5's buckets of distances in all layers, and
// RoBERTa's positions and heads: transformers/models/mpnet.

#include "compiler/Import/Families/EncoderHeads.h"

using namespace heddle;

ModelDescription heddle::describeMPNet(ModelConfig &config) {
  SizeDefaults defaults = bertDefaults();
  defaults.vocabulary = 30527;
  defaults.bos = 0;
  defaults.eos = 2;
  ModelDescription model;
  EncoderDescription &e = describeBertLike(config, defaults, model);
  AttentionDescription &a = e.block.attention;
  FeedForwardDescription &f = e.block.feedForward;
  f.hiddenSize = config.size("intermediate_size", 3072);
  f.activation = config.activation("hidden_act", "gelu");
  e.block.norm.epsilon =
      config.positive("layer_norm_eps", 1e-12, /*zeroAllowed=*/true);
  e.embeddingNormKind = e.block.norm;
  // Code has fixed buckets, whatever the table has rows.
  config.expect("relative_attention_num_buckets", "32");
  a.relativeBias = RelativeBiasDescription{"encoder.relative_attention_bias"};

  e.prefixes = {"mpnet.", ""};
  e.layerPrefix = "encoder.layer.#.";
  nameEmbeddings(e);
  beginPositionsBehind(config, /*padding=*/1, e); // whatever the field says
  a.query.name = "attention.attn.q";
  a.key.name = "attention.attn.k";
  a.value.name = "attention.attn.v";
  a.output.name = "attention.attn.o";
  e.block.attentionNorm = "attention.LayerNorm";
  f.up.name = "intermediate.dense";
  f.down.name = "output.dense";
  e.block.feedForwardNorm = "output.LayerNorm";
  addPooler(config, e);
  addHead(config, robertaHeads(e), e);
  return model;
}
