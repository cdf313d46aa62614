// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Falcon: attention and feed-forward layer side by side, after one norm (7B) or
// two (40B), or one after the other; positions by rotation or by slopes:
// transformers/models/falcon.

#include "compiler/Import/Families/LlamaLike.h"

#include "compiler/Import/FloatFormats.h"
#include "llvm/ADT/bit.h"
#include <cmath>

using namespace heddle;

// Slopes of heads (Press et al., arXiv:2108.12409): of a power of two heads
// 2^(-8 (h + 1) / heads), of others those of the next smaller one, and then
// every other one of the next larger. Falcon rounds them to bf16, and adds them
// before the scores are divided by the root of a head's channels.
static std::vector<double> alibiSlopes(int64_t heads, double scale) {
  int64_t power = llvm::bit_floor(uint64_t(heads));
  std::vector<double> slopes;
  auto add = [&](double exponent) {
    slopes.push_back(scale *
                     double(fromBF16(toBF16(float(std::exp2(exponent))))));
  };
  for (int64_t head = 1; head <= power; ++head)
    add(-8.0 * double(head) / double(power));
  for (int64_t head = 1; head <= 2 * (heads - power); head += 2)
    add(-4.0 * double(head) / double(power));
  return slopes;
}

ModelDescription heddle::describeFalcon(ModelConfig &config) {
  SizeDefaults defaults;
  defaults.vocabulary = 65024;
  defaults.hidden = 4544;
  defaults.heads = 71;
  defaults.kvField = "num_kv_heads";
  ModelDescription model;
  DecoderDescription &d = model.decoder();
  readHeads(config, defaults, d);
  model.tokens = config.tokens(d.vocabularySize, 11, 11);
  d.hasTiedHead = config.boolean("tie_word_embeddings", true);
  AttentionDescription &a = d.block.attention;
  FeedForwardDescription &f = d.block.feedForward;
  bool isNew = config.boolean("new_decoder_architecture", false);
  bool isMultiQuery = config.boolean("multi_query", true);
  if (!isNew)
    a.kvHeads = isMultiQuery ? 1 : a.heads;
  bool isParallel = config.boolean("parallel_attn", true) || isNew;
  int64_t norms =
      config.optionalSize("num_ln_in_parallel_attn").value_or(isNew ? 2 : 1);
  bool hasBias = config.boolean("bias", false);
  f.gated = false;
  f.activation = config.activation("activation", "gelu");
  f.hiddenSize =
      config.optionalSize("ffn_hidden_size").value_or(4 * d.hiddenSize);
  if (config.failed())
    return model;
  if (config.boolean("alibi", false)) {
    a.alibiSlopes = alibiSlopes(a.heads, d.layers.front().scale);
    config.ask("rope_theta");
    config.ask("rope_scaling");
  } else {
    RotaryDescription rotary = config.rotary(a.headChannels, d.maxPositions);
    for (LayerDescription &layer : d.layers)
      layer.rotary = rotary;
  }

  d.prefixes = {"transformer.", ""};
  d.embedding = "word_embeddings";
  d.layerPrefix = "h.#.";
  d.block.norm.kind = NormKind::Layer;
  d.block.norm.hasBias = true;
  d.block.norm.epsilon =
      config.positive("layer_norm_epsilon", 1e-5, /*zeroAllowed=*/true);
  d.finalNormKind = d.block.norm;
  d.finalNorm = "ln_f";
  d.block.attentionNorm = "input_layernorm";
  if (isParallel) {
    d.block.order = BlockOrder::Parallel;
    if (isNew && norms == 2) {
      d.block.attentionNorm = "ln_attn";
      d.block.feedForwardNorm = "ln_mlp";
    }
  } else {
    d.block.feedForwardNorm = "post_attention_layernorm";
  }
  d.head.name = "lm_head";
  a.fused = ProjectionDescription{"self_attention.query_key_value", hasBias};
  a.fusedOrder = FusedOrder::Groups;
  a.output = {"self_attention.dense", hasBias};
  f.up = {"mlp.dense_h_to_4h", hasBias};
  f.down = {"mlp.dense_4h_to_h", hasBias};
  return model;
}
