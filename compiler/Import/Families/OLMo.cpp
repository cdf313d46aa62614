// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// OLMo 2 and 3, which normalise what branches give, and queries and keys over
// all heads; OLMo 3 has windows in three of four layers, whose rotary embedding
// is not stretched: transformers/models/olmo2, olmo3.

#include "compiler/Import/Families/LlamaLike.h"

using namespace heddle;

ModelDescription heddle::describeOLMo2(ModelConfig &config) {
  SizeDefaults defaults;
  defaults.layerTypeOfRope = "full_attention";
  defaults.vocabulary = 50304;
  defaults.epsilon = 1e-5;
  defaults.eos = 50279;
  ModelDescription model = describeLlamaLike(config, defaults);
  DecoderDescription &d = model.decoder();
  d.block.order = BlockOrder::Branch;
  d.block.attentionNorm = "post_attention_layernorm";
  d.block.feedForwardNorm = "post_feedforward_layernorm";
  addHeadNorms(d, HeadNormKind::AllHeads);
  setBiases(d, config.boolean("attention_bias", false), false);
  return model;
}

ModelDescription heddle::describeOLMo3(ModelConfig &config) {
  ModelDescription model = heddle::describeOLMo2(config);
  DecoderDescription &d = model.decoder();
  auto types = readLayerTypes(config, d.layers.size());
  setWindows(d, config.size("sliding_window", 4096), [&](size_t layer) {
    return types ? (*types)[layer] : (layer + 1) % 4 != 0;
  });
  auto own = config.rotaryOf("sliding_attention",
                             d.block.attention.headChannels, d.maxPositions);
  for (LayerDescription &layer : d.layers) {
    if (!layer.window || !layer.rotary)
      continue;
    layer.rotary->scaling = RopeScalingAttr();
    if (own)
      layer.rotary = own;
  }
  return model;
}
