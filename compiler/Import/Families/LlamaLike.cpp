// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/Families/LlamaLike.h"

#include <cmath>

using namespace llvm;
using namespace heddle;

/// Each layer takes memory before it is known whether it has tensors.
static constexpr int64_t kMostLayers = 65536;

void heddle::readHeads(ModelConfig &config, const SizeDefaults &defaults,
                       TransformerDescription &d) {
  d.hiddenSize = config.size(defaults.hiddenField, defaults.hidden);
  d.vocabularySize = config.size("vocab_size", defaults.vocabulary);
  d.maxPositions =
      config.integer(defaults.positionsField, 1,
                     RotaryTableOp::kLargestPositions, defaults.positions);
  d.layers.resize(
      config.integer(defaults.layersField, 1, kMostLayers, defaults.layers));
  AttentionDescription &a = d.block.attention;
  a.heads = config.size(defaults.headsField, defaults.heads);
  a.kvHeads = config.has(defaults.kvField) ? config.size(defaults.kvField)
                                           : defaults.kvHeads.value_or(a.heads);
  if (config.failed())
    return;
  if (a.heads % a.kvHeads != 0)
    config.fail(defaults.kvField, "a divisor of '" + defaults.headsField +
                                      "', " + Twine(a.heads));
  if (config.has("head_dim")) {
    a.headChannels = config.size("head_dim");
  } else if (defaults.headChannels) {
    a.headChannels = *defaults.headChannels;
  } else {
    if (d.hiddenSize % a.heads != 0)
      config.fail(defaults.hiddenField,
                  "a multiple of '" + defaults.headsField + "', " +
                      Twine(a.heads) + ", because 'head_dim' is not given");
    a.headChannels = d.hiddenSize / a.heads;
  }
  for (LayerDescription &layer : d.layers)
    layer.scale = 1 / std::sqrt(double(a.headChannels));
}

// One rotary embedding for all layers.
static void readRotary(ModelConfig &config, const SizeDefaults &defaults,
                       TransformerDescription &d) {
  int64_t channels = d.block.attention.headChannels;
  if (channels % 2 != 0) // pairs of them rotate
    config.fail("head_dim", "an even integer", Twine(channels));
  RotaryDescription rotary =
      config.rotary(channels, d.maxPositions, defaults.ropeBase,
                    defaults.rotatedPart, defaults.layerTypeOfRope);
  if (rotary.channels && !defaults.rotatesParts)
    config.fail("partial_rotary_factor", "1 (nothing else is supported)",
                describe(double(*rotary.channels) / double(channels)));
  for (LayerDescription &layer : d.layers)
    layer.rotary = rotary;
}

ModelDescription heddle::describeLlamaLike(ModelConfig &config,
                                           const SizeDefaults &defaults) {
  ModelDescription model;
  DecoderDescription &d = model.decoder();
  readHeads(config, defaults, d);
  d.block.norm.epsilon =
      config.positive(defaults.epsilonField, defaults.epsilon,
                      /*zeroAllowed=*/true);
  d.finalNormKind = d.block.norm;
  d.hasTiedHead = config.boolean("tie_word_embeddings", defaults.tied);
  AttentionDescription &a = d.block.attention;
  FeedForwardDescription &f = d.block.feedForward;
  f.hiddenSize = config.size("intermediate_size", defaults.intermediate);
  f.activation = config.activation("hidden_act", defaults.activation);
  model.tokens = config.tokens(d.vocabularySize, defaults.bos, defaults.eos);
  if (config.failed())
    return model;
  if (defaults.readsRotary)
    readRotary(config, defaults, d);

  d.prefixes = {"model.", ""};
  d.embedding = "embed_tokens";
  d.layerPrefix = "layers.#.";
  d.finalNorm = "norm";
  d.head.name = "lm_head";
  d.block.attentionNorm = "input_layernorm";
  d.block.feedForwardNorm = "post_attention_layernorm";
  nameProjections(a, "o_proj");
  f.gate.name = "mlp.gate_proj";
  f.up.name = "mlp.up_proj";
  f.down.name = "mlp.down_proj";
  // Frequencies follow from the configuration.
  d.ignoredBuffers = {".rotary_emb.inv_freq"};
  return model;
}
void heddle::nameProjections(AttentionDescription &a, StringRef output) {
  a.query.name = "self_attn.q_proj";
  a.key.name = "self_attn.k_proj";
  a.value.name = "self_attn.v_proj";
  a.output.name = ("self_attn." + output).str();
}

void heddle::addHeadNorms(TransformerDescription &d, HeadNormKind kind) {
  d.block.attention.headNorm = HeadNormDescription{
      kind, d.block.norm, "self_attn.q_norm", "self_attn.k_norm"};
}

void heddle::setBiases(TransformerDescription &d, bool attention,
                       bool feedForward) {
  AttentionDescription &a = d.block.attention;
  FeedForwardDescription &f = d.block.feedForward;
  a.query.hasBias = a.key.hasBias = a.value.hasBias = a.output.hasBias =
      attention;
  f.gate.hasBias = f.up.hasBias = f.down.hasBias = feedForward;
}

void heddle::setSparseLayers(ModelConfig &config, TransformerDescription &d,
                             const ExpertsDescription &experts) {
  int64_t step = config.size("decoder_sparse_step", 1);
  SmallVector<int64_t> dense;
  if (config.has("mlp_only_layers"))
    dense = config.integers("mlp_only_layers", 0, INT32_MAX);
  for (auto [number, layer] : llvm::enumerate(d.layers))
    if (!is_contained(dense, number) && (number + 1) % step == 0)
      layer.experts = experts;
}

std::optional<std::vector<bool>> heddle::readLayerTypes(ModelConfig &config,
                                                        size_t layers) {
  if (!config.has("layer_types"))
    return std::nullopt;
  std::vector<bool> slides;
  for (StringRef type : config.texts("layer_types")) {
    slides.push_back(type == "sliding_attention");
    if (type != "sliding_attention" && type != "full_attention")
      config.fail("layer_types", "\"full_attention\" or \"sliding_attention\"",
                  type);
  }
  if (slides.size() != layers)
    config.fail("layer_types",
                "a type for each of the " + Twine(layers) + " layers",
                Twine(slides.size()) + " types");
  slides.resize(layers);
  return slides;
}
