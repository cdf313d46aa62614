// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// T5 (arXiv:1910.10683) and Flan-T5: scores that are not divided by a root, and
// a table of distances in the first layer that counts for all layers, but not
// for attention to the encoder: transformers/models/t5.

#include "compiler/Import/Families/EncoderDecoders.h"

#include <cmath>

using namespace llvm;
using namespace heddle;

/// As many tokens as an encoder takes that can tell the order of any number.
static constexpr int64_t kLongestText = 1 << 15;

// "relu", "gated-gelu": gates go with the approximation of gelu.
static void readFeedForward(ModelConfig &config, FeedForwardDescription &f) {
  StringRef kind = config.text("feed_forward_proj", "relu");
  f.gated = kind.consume_front("gated-");
  if (f.gated && kind == "gelu")
    kind = "gelu_new";
  // The name is that of the field in messages.
  f.activation = config.activationOf("feed_forward_proj", kind);
  f.gate.name = "DenseReluDense.wi_0";
  f.up.name = f.gated ? "DenseReluDense.wi_1" : "DenseReluDense.wi";
  f.down.name = "DenseReluDense.wo";
  // Later versions write what the field means, too.
  config.expect("is_gated_act", f.gated ? "true" : "false");
  if (config.has("dense_act_fn") &&
      config.activation("dense_act_fn", "") != f.activation)
    config.fail("dense_act_fn", "what 'feed_forward_proj' has");
}

// Limits are those of heddle.relative_bias.
static RelativeBiasDescription readDistances(ModelConfig &config,
                                             const std::string &part) {
  StringRef bucketsField = "relative_attention_num_buckets",
            distanceField = "relative_attention_max_distance";
  RelativeBiasDescription bias;
  bias.table = part + ".block.0.layer.0.SelfAttention.relative_attention_bias";
  bias.buckets = config.size(bucketsField, 32);
  bias.largestDistance = config.size(distanceField, 128);
  if (bias.buckets < 4 || bias.buckets > 256 || bias.buckets % 2 != 0)
    config.fail(bucketsField, "an even number from 4 to 256");
  // Buckets of one distance each come before.
  if (bias.largestDistance <= bias.buckets / 2 ||
      bias.largestDistance > 1 << 16)
    config.fail(distanceField,
                "more than half of '" + bucketsField + "', and at most 65536");
  return bias;
}

static void describeStack(ModelConfig &config, const std::string &part,
                          StringRef layersField, int64_t layers,
                          TransformerDescription &t) {
  SizeDefaults defaults;
  defaults.vocabulary = 32128;
  defaults.hidden = 512;
  defaults.heads = 8;
  defaults.layers = layers;
  defaults.positions = 512;
  defaults.hiddenField = "d_model";
  defaults.headsField = "num_heads";
  defaults.layersField = layersField;
  defaults.positionsField = "n_positions";
  defaults.headChannels = config.size("d_kv", 64);
  readHeads(config, defaults, t);
  for (LayerDescription &layer : t.layers)
    layer.scale = 1;
  AttentionDescription &a = t.block.attention;
  a.headChannels = config.size("d_kv", 64);
  readFeedForward(config, t.block.feedForward);
  t.block.feedForward.hiddenSize = config.size("d_ff", 2048);
  t.block.norm.epsilon =
      config.positive("layer_norm_epsilon", 1e-6, /*zeroAllowed=*/true);
  t.finalNormKind = t.block.norm;

  t.layerPrefix = part + ".block.#.layer.";
  t.embedding = "shared";
  t.finalNorm = part + ".final_layer_norm";
  a.query.name = "0.SelfAttention.q";
  a.key.name = "0.SelfAttention.k";
  a.value.name = "0.SelfAttention.v";
  a.output.name = "0.SelfAttention.o";
  t.block.attentionNorm = "0.layer_norm";
  a.relativeBias = readDistances(config, part);
}

// Layers of the part behind attention.
static void moveFeedForward(TransformerDescription &t, const char *number) {
  FeedForwardDescription &f = t.block.feedForward;
  for (ProjectionDescription *p : {&f.gate, &f.up, &f.down})
    p->name = std::string(number) + "." + p->name;
  t.block.feedForwardNorm = std::string(number) + ".layer_norm";
}

ModelDescription heddle::describeT5(ModelConfig &config) {
  ModelDescription model;
  auto &both = model.kind.emplace<EncoderDecoderDescription>();
  EncoderDescription &e = both.encoder;
  DecoderDescription &d = both.decoder;
  describeStack(config, "encoder", "num_layers", 6, e);
  bool isOwn = config.has("num_decoder_layers");
  describeStack(config, "decoder", isOwn ? "num_decoder_layers" : "num_layers",
                6, d);
  moveFeedForward(e, "1");
  moveFeedForward(d, "2");
  e.block.attention.isBidirectional = true;
  // Positions are distances: texts may be longer than those of training.
  e.maxPositions = kLongestText;
  d.block.cross = CrossAttentionDescription{{"1.EncDecAttention.q"},
                                            {"1.EncDecAttention.k"},
                                            {"1.EncDecAttention.v"},
                                            {"1.EncDecAttention.o"},
                                            "1.layer_norm"};
  model.tokens = config.tokens(d.vocabularySize, std::nullopt, 1);
  readStart(config, d.vocabularySize, std::nullopt, model);
  config.expect("is_encoder_decoder", "true");
  config.ask("dropout_rate");
  config.ask("classifier_dropout");

  d.head.name = "lm_head";
  d.hasTiedHead = config.boolean("tie_word_embeddings", true);
  if (config.boolean("scale_decoder_outputs", d.hasTiedHead))
    d.logitFactor = 1 / std::sqrt(double(d.hiddenSize));
  else
    d.mayHaveOwnHead = true;
  both.embeddingCopies = {"encoder.embed_tokens.weight",
                          "decoder.embed_tokens.weight"};
  // A table that the first version had, and nothing reads.
  d.ignoredBuffers = {"EncDecAttention.relative_attention_bias.weight"};
  return model;
}
