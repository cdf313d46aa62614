// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// DeepSeek V2 and V3: latent attention in its expanded form, experts in groups
// and shared ones: transformers/models/deepseek_v2, deepseek_v3.

#include "compiler/Import/Families/LlamaLike.h"

#include <cmath>

using namespace heddle;

// Attention by way of a few channels; keys and values are cached for each head.
static void readLatent(ModelConfig &config, DecoderDescription &d) {
  AttentionDescription &a = d.block.attention;
  LatentDescription l;
  l.rank = config.size("kv_lora_rank", 512);
  l.queryRank =
      config.isNull("q_lora_rank") ? 0 : config.size("q_lora_rank", 1536);
  l.plainChannels = config.size("qk_nope_head_dim", 128);
  l.rotatedChannels = config.size("qk_rope_head_dim", 64);
  a.ownValueChannels = config.size("v_head_dim", 128);
  a.headChannels = l.plainChannels + l.rotatedChannels;
  a.kvHeads = a.heads;
  for (llvm::StringRef name : {"head_dim", "qk_head_dim"})
    config.ask(name);        // follows from the others
  l.normKind.epsilon = 1e-6; // whatever rms_norm_eps is
  bool hasBias = config.boolean("attention_bias", false);
  l.queryDown = {"self_attn.q_a_proj", hasBias};
  l.queryNorm = "self_attn.q_a_layernorm";
  l.queryUp.name = "self_attn.q_b_proj";
  l.down = {"self_attn.kv_a_proj_with_mqa", hasBias};
  l.norm = "self_attn.kv_a_layernorm";
  l.up.name = "self_attn.kv_b_proj";
  a.output.hasBias = hasBias;
  bool interleaved = config.boolean("rope_interleave", true);
  if (!config.failed() && l.rotatedChannels % 2 != 0)
    config.fail("qk_rope_head_dim", "an even integer");
  if (config.failed())
    return;
  // Scores have yarn's factor, with which both were trained: so has the code
  // beside checkpoints, and transformers' own class of V3. That of V2 does not.
  RotaryDescription rotary = config.rotary(l.rotatedChannels, d.maxPositions);
  rotary.channels = l.rotatedChannels;
  rotary.interleaved = interleaved;
  for (LayerDescription &layer : d.layers) {
    layer.rotary = rotary;
    layer.scale = rotary.scoreFactor / std::sqrt(double(a.headChannels));
  }
  a.latent = l;
}

// Experts of all layers but the first few.
static void setExperts(ModelConfig &config, DecoderDescription &d,
                       ExpertsDescription experts, int64_t firstDense,
                       int64_t sharedCount, int64_t hiddenSize) {
  RoutingDescription &routing = experts.routing;
  routing.router.name = "mlp.gate";
  experts.activation = d.block.feedForward.activation;
  experts.hiddenSize = config.size("moe_intermediate_size", hiddenSize);
  experts.gate = "mlp.experts.#.gate_proj";
  experts.up = "mlp.experts.#.up_proj";
  experts.down = "mlp.experts.#.down_proj";
  // Null is none, absence the default.
  int64_t shared = config.isNull("n_shared_experts")
                       ? 0
                       : config.size("n_shared_experts", sharedCount);
  if (shared) {
    FeedForwardDescription f = d.block.feedForward;
    f.hiddenSize = experts.hiddenSize * shared;
    f.gate.name = "mlp.shared_experts.gate_proj";
    f.up.name = "mlp.shared_experts.up_proj";
    f.down.name = "mlp.shared_experts.down_proj";
    experts.shared = f;
  }
  if (routing.count % routing.groups != 0)
    config.fail("n_group", "a divisor of 'n_routed_experts', " +
                               llvm::Twine(routing.count));
  if (routing.sumsTwo && routing.groups > 1 &&
      routing.count / routing.groups < 2)
    config.fail("n_group", "groups of at least 2 of the " +
                               llvm::Twine(routing.count) + " experts");
  int64_t eligible = routing.count / routing.groups * routing.topGroups;
  if (routing.topGroups > routing.groups || routing.top > eligible)
    config.fail("topk_group", "groups of 'n_group', " +
                                  llvm::Twine(routing.groups) +
                                  ", that have 'num_experts_per_tok' experts");
  config.expect("moe_layer_freq", "1");
  int64_t first =
      config.integer("first_k_dense_replace", 0, INT32_MAX, firstDense);
  for (auto [number, layer] : llvm::enumerate(d.layers))
    if (int64_t(number) >= first)
      layer.experts = experts;
  for (llvm::StringRef name : {"ep_size", "seq_aux"})
    config.ask(name); // how other software computes, and trains
}

static ModelDescription describeBase(ModelConfig &config,
                                     SizeDefaults defaults) {
  defaults.readsRotary = false;
  ModelDescription model = describeLlamaLike(config, defaults);
  readLatent(config, model.decoder());
  return model;
}

ModelDescription heddle::describeDeepSeekV2(ModelConfig &config) {
  SizeDefaults defaults;
  defaults.vocabulary = 102400;
  defaults.layers = 30;
  defaults.bos = 100000;
  defaults.eos = 100001;
  ModelDescription model = describeBase(config, defaults);
  ExpertsDescription experts;
  RoutingDescription &routing = experts.routing;
  config.expect("scoring_func", "\"softmax\"");
  // transformers 5 never divides, code of the checkpoints does.
  config.expect("norm_topk_prob", "false");
  config.expect("mlp_bias", "false");
  llvm::StringRef method = config.text("topk_method", "greedy");
  if (method == "group_limited_greedy") {
    routing.groups = config.size("n_group");
    routing.topGroups = config.size("topk_group");
  } else if (method != "greedy") {
    config.fail("topk_method", "\"greedy\" or \"group_limited_greedy\"");
  }
  for (llvm::StringRef name : {"n_group", "topk_group"})
    config.ask(name);
  routing.factor = config.positive("routed_scaling_factor", 1.0);
  routing.count = config.size("n_routed_experts", 64);
  routing.top = config.size("num_experts_per_tok", 6);
  if (!config.failed())
    setExperts(config, model.decoder(), experts, 0, 2, 1407);
  return model;
}

ModelDescription heddle::describeDeepSeekV3(ModelConfig &config) {
  SizeDefaults defaults;
  defaults.vocabulary = 129280;
  defaults.hidden = 7168;
  defaults.intermediate = 18432;
  defaults.layers = 61;
  defaults.heads = 128;
  defaults.positions = 4096;
  defaults.bos = 0;
  defaults.eos = 1;
  ModelDescription model = describeBase(config, defaults);
  ExpertsDescription experts;
  RoutingDescription &routing = experts.routing;
  routing.hasSigmoid = true;
  routing.sumsTwo = true;
  routing.choiceBias = "mlp.gate.e_score_correction_bias";
  config.expect("scoring_func", "\"sigmoid\"");
  config.expect("topk_method", "\"noaux_tc\"");
  routing.groups = config.size("n_group", 8);
  routing.topGroups = config.size("topk_group", 4);
  routing.normalized = config.boolean("norm_topk_prob", true);
  routing.factor = config.positive("routed_scaling_factor", 2.5);
  routing.count = config.size("n_routed_experts", 256);
  routing.top = config.size("num_experts_per_tok", 8);
  if (!config.failed())
    setExperts(config, model.decoder(), experts, 3, 1, 2048);
  // Layers that guess further tokens come after the others.
  if (int64_t more = config.integer("num_nextn_predict_layers", 0, 64, 0))
    for (int64_t layer = 0; layer < more; ++layer)
      model.decoder().ignoredPrefixes.push_back(
          "model.layers." +
          std::to_string(model.decoder().layers.size() + layer) + ".");
  return model;
}
