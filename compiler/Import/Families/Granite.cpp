// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Granite 3 and 4 (dense): Llama with multipliers:
// transformers/models/granite.

#include "compiler/Import/Families/LlamaLike.h"

using namespace heddle;

ModelDescription heddle::describeGranite(ModelConfig &config) {
  SizeDefaults defaults;
  defaults.bos = 1;
  defaults.eos = 2;
  ModelDescription model = describeLlamaLike(config, defaults);
  DecoderDescription &d = model.decoder();
  setBiases(d, config.boolean("attention_bias", false),
            config.boolean("mlp_bias", false));
  d.embeddingFactor = config.positive("embedding_multiplier", 1.0);
  d.block.residualFactor = config.positive("residual_multiplier", 1.0);
  d.logitFactor = 1 / config.positive("logits_scaling", 1.0);
  double scale = config.positive("attention_multiplier", 1.0);
  for (LayerDescription &layer : d.layers)
    layer.scale = scale;
  return model;
}
