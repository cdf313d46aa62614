// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Llama 1 to 3, and what has their architecture (Yi, DeepSeek LLM, SmolLM2):
// transformers/models/llama.

#include "compiler/Import/Families/LlamaLike.h"

using namespace heddle;

ModelDescription heddle::describeLlama(ModelConfig &config) {
  SizeDefaults defaults;
  defaults.bos = 1;
  defaults.eos = 2;
  ModelDescription model = describeLlamaLike(config, defaults);
  setBiases(model.decoder(), config.boolean("attention_bias", false),
            config.boolean("mlp_bias", false));
  return model;
}
