// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Command R and R7B: attention and feed-forward layer side by side after one
// norm without a bias, scaled logits. Cohere 2 rotates only where it slides:
// transformers/models/cohere, cohere2.

#include "compiler/Import/Families/LlamaLike.h"

using namespace heddle;

ModelDescription heddle::describeCohere(ModelConfig &config) {
  SizeDefaults defaults;
  defaults.vocabulary = 256000;
  defaults.hidden = 8192;
  defaults.intermediate = 22528;
  defaults.layers = 40;
  defaults.heads = 64;
  defaults.positions = 8192;
  defaults.epsilonField = "layer_norm_eps";
  defaults.epsilon = 1e-5;
  defaults.ropeBase = 500000;
  defaults.tied = true;
  defaults.bos = 5;
  defaults.eos = 255001;
  ModelDescription model = describeLlamaLike(config, defaults);
  DecoderDescription &d = model.decoder();
  d.block.order = BlockOrder::Parallel;
  d.block.feedForwardNorm = "";
  d.block.norm.kind = d.finalNormKind.kind = NormKind::Layer;
  d.logitFactor = config.positive("logit_scale", 0.0625);
  setBiases(d, config.boolean("attention_bias", false), false);
  for (LayerDescription &layer : d.layers)
    if (layer.rotary)
      layer.rotary->interleaved = true;
  if (config.boolean("use_qk_norm", false))
    addHeadNorms(d, HeadNormKind::OwnHeads);
  return model;
}

ModelDescription heddle::describeCohere2(ModelConfig &config) {
  ModelDescription model = heddle::describeCohere(config);
  DecoderDescription &d = model.decoder();
  auto types = readLayerTypes(config, d.layers.size());
  int64_t pattern = config.size("sliding_window_pattern", 4);
  setWindows(d, config.size("sliding_window", 4096), [&](size_t layer) {
    return types ? (*types)[layer] : (layer + 1) % pattern != 0;
  });
  for (LayerDescription &layer : d.layers)
    if (!layer.window)
      layer.rotary.reset();
  return model;
}
