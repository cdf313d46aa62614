// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gpt-oss: sinks, a window in every other layer, experts with biases whose
// gates are limited: transformers/models/gpt_oss.

#include "compiler/Import/Families/LlamaLike.h"

using namespace heddle;

ModelDescription heddle::describeGPTOSS(ModelConfig &config) {
  SizeDefaults defaults;
  defaults.vocabulary = 201088;
  defaults.hidden = defaults.intermediate = 2880;
  defaults.layers = 36;
  defaults.heads = 64;
  defaults.kvHeads = 8;
  defaults.headChannels = 64;
  defaults.positions = 131072;
  defaults.epsilon = 1e-5;
  defaults.ropeBase = 150000;
  defaults.eos = 200002;
  // Its absence means yarn with numbers that differ between versions.
  if (!config.has("rope_scaling") && !config.has("rope_parameters"))
    config.fail("rope_scaling", "an object");
  ModelDescription model = describeLlamaLike(config, defaults);
  DecoderDescription &d = model.decoder();
  setBiases(d, config.boolean("attention_bias", true), false);
  d.block.attention.sinks = "self_attn.sinks";
  auto types = readLayerTypes(config, d.layers.size());
  setWindows(d, config.size("sliding_window", 128), [&](size_t layer) {
    return types ? (*types)[layer] : layer % 2 == 0;
  });

  ExpertsDescription experts;
  RoutingDescription &routing = experts.routing;
  routing.count = config.size("num_local_experts", 128);
  routing.top = config.size("num_experts_per_tok", 4);
  config.expect("experts_per_token", std::to_string(routing.top));
  if (routing.top > routing.count)
    config.fail("num_experts_per_tok",
                "at most 'num_local_experts', " + llvm::Twine(routing.count));
  // A softmax of the largest logits alone.
  routing.normalized = true;
  routing.router = {"mlp.router", true};
  experts.hiddenSize = d.block.feedForward.hiddenSize;
  // x * sigmoid(1.702 x), whatever `hidden_act` says.
  experts.activation = ActivationKind::QuickGelu;
  experts.limit = config.positive("swiglu_limit", 7.0);
  experts.allGateUp = "mlp.experts.gate_up_proj";
  experts.allDown = "mlp.experts.down_proj";
  for (LayerDescription &layer : d.layers)
    layer.experts = experts;
  config.ask("initial_context_length"); // that of yarn
  return model;
}
