// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gemma 1 to 3: weights of norms are 1 + w, embeddings are multiplied by the
// root of their size. Gemma 2 caps scores and logits and normalises branches
// twice; Gemma 3 has two rotary embeddings, and without a head may be an
// encoder, whose tokens see both sides: transformers/models/gemma, gemma2,
// gemma3.

#include "compiler/Import/Families/ConfigParts.h"
#include "compiler/Import/Families/LlamaLike.h"

#include <cmath>

using namespace heddle;

static SizeDefaults gemmaDefaults() {
  SizeDefaults defaults;
  defaults.vocabulary = 256000;
  defaults.hidden = 2304;
  defaults.intermediate = 9216;
  defaults.layers = 26;
  defaults.heads = 8;
  defaults.kvHeads = 4;
  defaults.headChannels = 256;
  defaults.positions = 8192;
  defaults.tied = true;
  defaults.bos = 2;
  defaults.eos = 1;
  return defaults;
}

static ModelDescription describeOne(ModelConfig &config,
                                    const SizeDefaults &defaults) {
  ModelDescription model = describeLlamaLike(config, defaults);
  DecoderDescription &d = model.decoder();
  d.prefixes = {"model.", "language_model.model.", ""};
  d.block.norm.addsOne = d.finalNormKind.addsOne = true;
  d.embeddingFactor = std::sqrt(double(d.hiddenSize));
  setBiases(d, config.boolean("attention_bias", false), false);
  // Gemma 1 was trained with this one, whatever `hidden_act` says.
  d.block.feedForward.activation =
      config.activation("hidden_activation", "gelu_pytorch_tanh");
  return model;
}

ModelDescription heddle::describeGemma(ModelConfig &config) {
  SizeDefaults defaults = gemmaDefaults();
  defaults.hidden = 3072;
  defaults.intermediate = 24576;
  defaults.layers = 28;
  defaults.heads = defaults.kvHeads.emplace(16);
  return describeOne(config, defaults);
}

// Norms and scale of Gemma 2 and 3.
static ModelDescription describeSandwich(ModelConfig &config,
                                         const SizeDefaults &defaults) {
  ModelDescription model = describeOne(config, defaults);
  DecoderDescription &d = model.decoder();
  double scalar = config.positive("query_pre_attn_scalar", 256.0);
  for (LayerDescription &layer : d.layers)
    layer.scale = 1 / std::sqrt(scalar);
  d.block.order = BlockOrder::Sandwich;
  d.block.attentionPostNorm = d.block.feedForwardNorm;
  d.block.feedForwardNorm = "pre_feedforward_layernorm";
  d.block.feedForwardPostNorm = "post_feedforward_layernorm";
  return model;
}

// Null is no cap, absence the default.
static std::optional<double> readCap(ModelConfig &config, llvm::StringRef name,
                                     std::optional<double> fallback) {
  if (config.isNull(name) || (!config.has(name) && !fallback))
    return std::nullopt;
  return config.positive(name, fallback);
}

ModelDescription heddle::describeGemma2(ModelConfig &config) {
  ModelDescription model = describeSandwich(config, gemmaDefaults());
  DecoderDescription &d = model.decoder();
  d.block.attention.softcap = readCap(config, "attn_logit_softcapping", 50);
  d.logitSoftcap = readCap(config, "final_logit_softcapping", 30);
  auto types = readLayerTypes(config, d.layers.size());
  int64_t window = config.size("sliding_window", 4096);
  config.expect("sliding_window_size", std::to_string(window)); // of old files
  setWindows(d, window, [&](size_t layer) {
    return types ? (*types)[layer] : layer % 2 == 0;
  });
  return model;
}

// Gemma 3, whatever it sees.
static ModelDescription describeGemma3Layers(ModelConfig &config) {
  SizeDefaults defaults = gemmaDefaults();
  defaults.vocabulary = 262208;
  defaults.positions = 131072;
  defaults.ropeBase = 1e6;
  defaults.layerTypeOfRope = "full_attention";
  ModelDescription model = describeSandwich(config, defaults);
  DecoderDescription &d = model.decoder();
  AttentionDescription &a = d.block.attention;
  a.softcap = readCap(config, "attn_logit_softcapping", std::nullopt);
  d.logitSoftcap = readCap(config, "final_logit_softcapping", std::nullopt);
  addHeadNorms(d, HeadNormKind::EachHead);
  auto types = readLayerTypes(config, d.layers.size());
  int64_t pattern = config.size("sliding_window_pattern", 6);
  setWindows(d, config.size("sliding_window", 4096), [&](size_t layer) {
    return types ? (*types)[layer] : (layer + 1) % pattern != 0;
  });
  // Layers with a window have a base of their own, which is not stretched.
  RotaryDescription local;
  local.base = config.positive("rope_local_base_freq", 10000.0);
  if (auto own =
          config.rotaryOf("sliding_attention", a.headChannels, d.maxPositions))
    local = *own;
  for (LayerDescription &layer : d.layers)
    if (layer.window)
      layer.rotary = local;
  return model;
}

ModelDescription heddle::describeGemma3(ModelConfig &config) {
  config.expect("use_bidirectional_attention", "false");
  return describeGemma3Layers(config);
}

ModelDescription heddle::describeGemma3Images(ModelConfig &config) {
  return describeTextPart(config, "gemma3_text", describeGemma3);
}

ModelDescription heddle::describeGemma3Encoder(ModelConfig &config) {
  ModelDescription model = describeGemma3Layers(config);
  DecoderDescription &d = model.decoder();
  d.block.attention.isBidirectional =
      config.boolean("use_bidirectional_attention", false);
  // A window then reaches as far to both sides (Gemma3TextConfig).
  for (LayerDescription &layer : d.layers)
    if (layer.window && d.block.attention.isBidirectional)
      layer.window = *layer.window / 2 + 1;
  model.kind = EncoderDescriptions{encoderOf(d)};
  return model;
}
