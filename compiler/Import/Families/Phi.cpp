// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Phi 1 to 2, whose attention and feed-forward layer are side by side, and
// Phi 3 and 4, whose projections are fused: transformers/models/phi, phi3.

#include "compiler/Import/Families/LlamaLike.h"

using namespace heddle;

ModelDescription heddle::describePhi(ModelConfig &config) {
  SizeDefaults defaults;
  defaults.vocabulary = 51200;
  defaults.hidden = 2048;
  defaults.intermediate = 8192;
  defaults.layers = 24;
  defaults.bos = 1;
  defaults.eos = 2;
  defaults.epsilonField = "layer_norm_eps";
  defaults.epsilon = 1e-5;
  defaults.activation = "gelu_new";
  defaults.rotatedPart = 0.5;
  defaults.rotatesParts = true;
  ModelDescription model = describeLlamaLike(config, defaults);
  DecoderDescription &d = model.decoder();
  AttentionDescription &a = d.block.attention;
  FeedForwardDescription &f = d.block.feedForward;
  d.block.order = BlockOrder::Parallel;
  d.block.feedForwardNorm = "";
  d.block.norm.kind = NormKind::Layer;
  d.block.norm.hasBias = true;
  d.finalNormKind = d.block.norm;
  d.finalNorm = "final_layernorm";
  a.output.name = "self_attn.dense";
  f.gated = false;
  f.up.name = "mlp.fc1";
  f.down.name = "mlp.fc2";
  setBiases(d, true, true);
  d.head.hasBias = true;
  if (config.boolean("qk_layernorm", false))
    a.headNorm =
        HeadNormDescription{HeadNormKind::EachHead, d.block.norm,
                            "self_attn.q_layernorm", "self_attn.k_layernorm"};
  return model;
}

ModelDescription heddle::describePhi3(ModelConfig &config) {
  SizeDefaults defaults;
  defaults.vocabulary = 32064;
  defaults.hidden = 3072;
  defaults.intermediate = 8192;
  defaults.positions = 4096;
  defaults.epsilon = 1e-5;
  defaults.bos = 1;
  defaults.eos = 32000;
  defaults.rotatesParts = true;
  ModelDescription model = describeLlamaLike(config, defaults);
  DecoderDescription &d = model.decoder();
  if (config.has("sliding_window"))
    setWindows(d, config.size("sliding_window"), [](size_t) { return true; });
  config.ask("original_max_position_embeddings"); // that of longrope
  setBiases(d, config.boolean("attention_bias", false), false);
  d.block.attention.fused = ProjectionDescription{"self_attn.qkv_proj", false};
  d.block.feedForward.fused = ProjectionDescription{"mlp.gate_up_proj", false};
  return model;
}
