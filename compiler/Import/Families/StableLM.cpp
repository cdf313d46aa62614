// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// StableLM 2: Llama with layer norms, and a rotary embedding of a quarter of
// each head: transformers/models/stablelm.

#include "compiler/Import/Families/LlamaLike.h"

using namespace heddle;

ModelDescription heddle::describeStableLM(ModelConfig &config) {
  SizeDefaults defaults;
  defaults.vocabulary = 50304;
  defaults.hidden = 2560;
  defaults.intermediate = 6912;
  defaults.kvHeads = 32;
  defaults.positions = 4096;
  defaults.epsilonField = "layer_norm_eps";
  defaults.epsilon = 1e-5;
  defaults.rotatedPart = 0.25;
  defaults.rotatesParts = true;
  defaults.bos = 0;
  defaults.eos = 0;
  ModelDescription model = describeLlamaLike(config, defaults);
  DecoderDescription &d = model.decoder();
  AttentionDescription &a = d.block.attention;
  NormDescription withoutBias = d.block.norm;
  withoutBias.kind = NormKind::Layer;
  d.block.norm.kind = NormKind::Layer;
  d.block.norm.hasBias = true;
  d.finalNormKind = d.block.norm;
  a.query.hasBias = a.key.hasBias = a.value.hasBias =
      config.boolean("use_qkv_bias", false);
  if (config.boolean("qk_layernorm", false))
    a.headNorm = HeadNormDescription{HeadNormKind::NamedHeads, withoutBias,
                                     "self_attn.q_layernorm.norms",
                                     "self_attn.k_layernorm.norms"};
  if (config.boolean("use_parallel_residual", false)) {
    d.block.order = BlockOrder::Parallel;
    d.block.feedForwardNorm = "";
  }
  return model;
}
