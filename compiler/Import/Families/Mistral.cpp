// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mistral, whose tokens see a window of the last keys, also as a part of
// Mistral 3, and Mixtral, whose feed-forward layers are experts:
// transformers/models/mistral, mistral3, mixtral.

#include "compiler/Import/Families/ConfigParts.h"
#include "compiler/Import/Families/LlamaLike.h"

using namespace heddle;

static SizeDefaults defaultsOf(ModelConfig &config) {
  SizeDefaults defaults;
  defaults.intermediate = 14336;
  defaults.kvHeads = 8;
  defaults.positions = 131072;
  defaults.bos = 1;
  defaults.eos = 2;
  return defaults;
}

ModelDescription heddle::describeMistral(ModelConfig &config) {
  ModelDescription model = describeLlamaLike(config, defaultsOf(config));
  // Null is no window, absence the default.
  if (!config.isNull("sliding_window"))
    setWindows(model.decoder(), config.size("sliding_window", 4096),
               [](size_t) { return true; });
  return model;
}

ModelDescription heddle::describeMistral3(ModelConfig &config) {
  return describeTextPart(config, "mistral", describeMistral);
}

ModelDescription heddle::describeMixtral(ModelConfig &config) {
  SizeDefaults defaults = defaultsOf(config);
  defaults.epsilon = 1e-5;
  defaults.ropeBase = 1e6;
  ModelDescription model = describeLlamaLike(config, defaults);
  DecoderDescription &d = model.decoder();
  if (config.has("sliding_window"))
    setWindows(d, config.size("sliding_window"), [](size_t) { return true; });
  ExpertsDescription experts;
  experts.activation = d.block.feedForward.activation;
  experts.routing.count = config.size("num_local_experts", 8);
  experts.routing.top = config.size("num_experts_per_tok", 2);
  experts.hiddenSize = d.block.feedForward.hiddenSize;
  experts.routing.normalized = true;
  if (experts.routing.top > experts.routing.count)
    config.fail("num_experts_per_tok", "at most 'num_local_experts', " +
                                           llvm::Twine(experts.routing.count));
  experts.routing.router.name = "block_sparse_moe.gate";
  experts.gate = "block_sparse_moe.experts.#.w1";
  experts.up = "block_sparse_moe.experts.#.w3";
  experts.down = "block_sparse_moe.experts.#.w2";
  for (LayerDescription &layer : d.layers)
    layer.experts = experts;
  return model;
}
