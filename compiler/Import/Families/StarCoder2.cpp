// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// StarCoder 2: Llama with layer norms, biases, a plain feed-forward layer and a
// window in all layers: transformers/models/starcoder2.

#include "compiler/Import/Families/LlamaLike.h"

using namespace heddle;

ModelDescription heddle::describeStarCoder2(ModelConfig &config) {
  SizeDefaults defaults;
  defaults.vocabulary = 49152;
  defaults.hidden = 3072;
  defaults.intermediate = 12288;
  defaults.layers = 30;
  defaults.heads = 24;
  defaults.kvHeads = 2;
  defaults.positions = 4096;
  defaults.epsilonField = "norm_epsilon";
  defaults.epsilon = 1e-5;
  defaults.activation = "gelu_pytorch_tanh";
  defaults.tied = true;
  defaults.bos = defaults.eos = 50256;
  ModelDescription model = describeLlamaLike(config, defaults);
  DecoderDescription &d = model.decoder();
  d.block.norm.kind = NormKind::Layer;
  d.block.norm.hasBias = true;
  d.finalNormKind = d.block.norm;
  FeedForwardDescription &f = d.block.feedForward;
  f.gated = false;
  f.up.name = "mlp.c_fc";
  f.down.name = "mlp.c_proj";
  bool hasBiases = config.boolean("use_bias", true);
  setBiases(d, hasBiases, hasBiases);
  if (config.has("sliding_window"))
    setWindows(d, config.size("sliding_window"), [](size_t) { return true; });
  // Training, and what other code reads in place of `hidden_act` and
  // `norm_epsilon`; and what the class always is.
  for (llvm::StringRef name :
       {"residual_dropout", "activation_function", "layer_norm_epsilon",
        "attention_softmax_in_fp32", "scale_attention_softmax_in_fp32"})
    config.ask(name);
  config.expect("norm_type", "\"layer_norm\"");
  config.expect("mlp_type", "\"default\"");
  config.expect("scale_attn_weights", "true");
  return model;
}
