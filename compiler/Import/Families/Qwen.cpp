// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Qwen 2, whose queries, keys and values have biases that no field tells of,
// and Qwen 3, which normalises the heads of queries and keys, and its mixture
// of experts: transformers/models/qwen2, qwen3, qwen3_moe.

#include "compiler/Import/Families/LlamaLike.h"

using namespace heddle;

static SizeDefaults qwenDefaults() {
  SizeDefaults defaults;
  defaults.vocabulary = 151936;
  defaults.intermediate = 22016;
  defaults.kvHeads = 32;
  defaults.positions = 32768;
  return defaults;
}

// Where windows are used, the first layers have none.
static void readWindows(ModelConfig &config, DecoderDescription &d) {
  size_t layers = d.layers.size();
  auto types = readLayerTypes(config, layers);
  int64_t first = config.integer("max_window_layers", 0, INT32_MAX, 28);
  bool slides = config.boolean("use_sliding_window", false);
  bool hasSliding = types && llvm::is_contained(*types, true);
  if (hasSliding && !slides)
    config.fail("use_sliding_window",
                "true, as 'layer_types' has \"sliding_attention\"");
  if (config.isNull("sliding_window") || !slides)
    return config.ask("sliding_window");
  int64_t window = config.size("sliding_window", 4096);
  setWindows(d, window, [&](size_t layer) {
    return types ? (*types)[layer] : int64_t(layer) >= first;
  });
}

ModelDescription heddle::describeQwen2(ModelConfig &config) {
  ModelDescription model = describeLlamaLike(config, qwenDefaults());
  readWindows(config, model.decoder());
  AttentionDescription &a = model.decoder().block.attention;
  a.query.hasBias = a.key.hasBias = a.value.hasBias = true;
  return model;
}

static void readHeadNorms(ModelConfig &config, DecoderDescription &d) {
  addHeadNorms(d, HeadNormKind::EachHead);
  setBiases(d, config.boolean("attention_bias", false), false);
}

ModelDescription heddle::describeQwen3(ModelConfig &config) {
  SizeDefaults defaults = qwenDefaults();
  defaults.headChannels = 128;
  ModelDescription model = describeLlamaLike(config, defaults);
  readWindows(config, model.decoder());
  readHeadNorms(config, model.decoder());
  return model;
}

// Names and sizes of the experts of both mixtures.
static ExpertsDescription readExperts(ModelConfig &config,
                                      const DecoderDescription &d,
                                      const ExpertsDescription &defaults) {
  ExpertsDescription experts = defaults;
  RoutingDescription &routing = experts.routing;
  experts.activation = d.block.feedForward.activation;
  routing.count = config.size("num_experts", routing.count);
  routing.top = config.size("num_experts_per_tok", routing.top);
  experts.hiddenSize = config.size("moe_intermediate_size", experts.hiddenSize);
  routing.normalized = config.boolean("norm_topk_prob", false);
  if (routing.top > routing.count)
    config.fail("num_experts_per_tok",
                "at most 'num_experts', " + llvm::Twine(routing.count));
  routing.router.name = "mlp.gate";
  experts.gate = "mlp.experts.#.gate_proj";
  experts.up = "mlp.experts.#.up_proj";
  experts.down = "mlp.experts.#.down_proj";
  return experts;
}

ModelDescription heddle::describeQwen2MoE(ModelConfig &config) {
  SizeDefaults defaults = qwenDefaults();
  defaults.hidden = 2048;
  defaults.intermediate = 5632;
  defaults.layers = 24;
  defaults.heads = 16;
  defaults.kvHeads = 16;
  ModelDescription model = describeLlamaLike(config, defaults);
  DecoderDescription &d = model.decoder();
  readWindows(config, d);
  AttentionDescription &a = d.block.attention;
  a.query.hasBias = a.key.hasBias = a.value.hasBias =
      config.boolean("qkv_bias", true);
  ExpertsDescription experts;
  experts.routing.count = 60;
  experts.routing.top = 4;
  experts.hiddenSize = 1408;
  experts = readExperts(config, d, experts);
  FeedForwardDescription shared = d.block.feedForward;
  shared.hiddenSize = config.size("shared_expert_intermediate_size", 5632);
  shared.gate.name = "mlp.shared_expert.gate_proj";
  shared.up.name = "mlp.shared_expert.up_proj";
  shared.down.name = "mlp.shared_expert.down_proj";
  experts.shared = shared;
  experts.sharedGate = "mlp.shared_expert_gate";
  setSparseLayers(config, d, experts);
  return model;
}

ModelDescription heddle::describeQwen3MoE(ModelConfig &config) {
  SizeDefaults defaults = qwenDefaults();
  defaults.hidden = 2048;
  defaults.intermediate = 6144;
  defaults.layers = 24;
  defaults.kvHeads = 4;
  ModelDescription model = describeLlamaLike(config, defaults);
  DecoderDescription &d = model.decoder();
  readWindows(config, d);
  readHeadNorms(config, d);
  ExpertsDescription experts;
  experts.routing.count = 128;
  experts.routing.top = 8;
  experts.hiddenSize = 768;
  setSparseLayers(config, d, readExperts(config, d, experts));
  return model;
}
