// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GPT-2: learned positions, and matrices with the inputs first:
// transformers/models/gpt2.

#include "compiler/Import/Families/LlamaLike.h"

using namespace heddle;

ModelDescription heddle::describeGPT2(ModelConfig &config) {
  SizeDefaults defaults;
  defaults.vocabulary = 50257;
  defaults.hidden = 768;
  defaults.layers = defaults.heads = 12;
  defaults.positions = 1024;
  defaults.hiddenField = "n_embd";
  defaults.layersField = "n_layer";
  defaults.headsField = "n_head";
  defaults.positionsField = "n_positions";
  ModelDescription model;
  DecoderDescription &d = model.decoder();
  readHeads(config, defaults, d);
  model.tokens = config.tokens(d.vocabularySize, 50256, 50256);
  d.hasTiedHead = config.boolean("tie_word_embeddings", true);
  d.hasTransposedMatrices = true;
  AttentionDescription &a = d.block.attention;
  FeedForwardDescription &f = d.block.feedForward;
  f.gated = false;
  f.activation = config.activation("activation_function", "gelu_new");
  f.hiddenSize = config.optionalSize("n_inner").value_or(4 * d.hiddenSize);
  config.expect("scale_attn_weights", "true");
  if (config.boolean("scale_attn_by_inverse_layer_idx", false))
    for (auto [number, layer] : llvm::enumerate(d.layers))
      layer.scale /= double(number + 1);
  // Sizes of other heads, and how other software avoids overflow.
  for (llvm::StringRef name :
       {"n_ctx", "reorder_and_upcast_attn", "summary_activation",
        "summary_first_dropout", "summary_proj_to_labels", "summary_type",
        "summary_use_proj"})
    config.ask(name);

  d.prefixes = {"transformer.", ""};
  d.layerPrefix = "h.#.";
  d.embedding = "wte";
  d.positions = PositionsDescription{"wpe"};
  d.block.norm.kind = NormKind::Layer;
  d.block.norm.hasBias = true;
  d.block.norm.epsilon =
      config.positive("layer_norm_epsilon", 1e-5, /*zeroAllowed=*/true);
  d.block.attentionNorm = "ln_1";
  d.block.feedForwardNorm = "ln_2";
  d.finalNormKind = d.block.norm;
  d.finalNorm = "ln_f";
  d.head.name = "lm_head";
  a.fused = ProjectionDescription{"attn.c_attn", true};
  a.output = {"attn.c_proj", true};
  f.up = {"mlp.c_fc", true};
  f.down = {"mlp.c_proj", true};
  d.ignoredBuffers = {".attn.bias", ".attn.masked_bias"};
  return model;
}
