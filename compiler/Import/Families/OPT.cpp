// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OPT: learned positions that begin at row 2; the smallest but one normalises
// after its layers and has embeddings of another size: transformers/models/opt.

#include "compiler/Import/Families/LlamaLike.h"

using namespace heddle;

ModelDescription heddle::describeOPT(ModelConfig &config) {
  SizeDefaults defaults;
  defaults.vocabulary = 50272;
  defaults.hidden = 768;
  defaults.layers = defaults.heads = 12;
  ModelDescription model;
  DecoderDescription &d = model.decoder();
  readHeads(config, defaults, d);
  model.tokens = config.tokens(d.vocabularySize, 2, 2);
  d.hasTiedHead = config.boolean("tie_word_embeddings", true);
  AttentionDescription &a = d.block.attention;
  FeedForwardDescription &f = d.block.feedForward;
  f.gated = false;
  f.activation = config.activation("activation_function", "relu");
  f.hiddenSize = config.size("ffn_dim", 3072);
  bool isPreNorm = config.boolean("do_layer_norm_before", true);
  d.block.order = isPreNorm ? BlockOrder::Pre : BlockOrder::Post;
  bool hasBias = config.boolean("enable_bias", true);
  d.block.norm.kind = NormKind::Layer;
  d.block.norm.epsilon = 1e-5;
  d.block.norm.hasWeight = d.block.norm.hasBias =
      config.boolean("layer_norm_elementwise_affine", true);
  d.finalNormKind = d.block.norm;
  if (isPreNorm && !config.boolean("_remove_final_layer_norm", false))
    d.finalNorm = "decoder.final_layer_norm";
  else
    config.ask("_remove_final_layer_norm");
  d.embeddingSize = config.size("word_embed_proj_dim", d.hiddenSize);
  if (d.embeddingSize != d.hiddenSize) {
    d.projectIn = "decoder.project_in";
    d.projectOut = "decoder.project_out";
  }

  d.prefixes = {"model.", ""};
  d.embedding = "decoder.embed_tokens";
  d.positions = PositionsDescription{"decoder.embed_positions", 2};
  d.layerPrefix = "decoder.layers.#.";
  d.block.attentionNorm = "self_attn_layer_norm";
  d.block.feedForwardNorm = "final_layer_norm";
  d.head.name = "lm_head";
  nameProjections(a, "out_proj");
  f.up.name = "fc1";
  f.down.name = "fc2";
  setBiases(d, hasBias, hasBias);
  return model;
}
