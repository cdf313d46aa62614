// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/Families/EncoderDecoders.h"

using namespace llvm;
using namespace heddle;

// One stack, whose fields and tensors begin with `part`.
static void describeStack(ModelConfig &config, const StackDefaults &defaults,
                          const std::string &part, StringRef positionsField,
                          int64_t positions, TransformerDescription &t) {
  SizeDefaults sizes;
  std::string layersField = part + "_layers",
              headsField = part + "_attention_heads";
  sizes.vocabulary = defaults.vocabulary;
  sizes.hidden = defaults.hidden;
  sizes.layers = defaults.layers;
  sizes.heads = defaults.heads;
  sizes.positions = positions;
  sizes.hiddenField = "d_model";
  sizes.layersField = layersField;
  sizes.headsField = headsField;
  sizes.positionsField = positionsField;
  readHeads(config, sizes, t);
  setEncoderBlock(t);
  AttentionDescription &a = t.block.attention;
  FeedForwardDescription &f = t.block.feedForward;
  f.hiddenSize = config.size(part + "_ffn_dim", defaults.width);
  f.activation = config.activation("activation_function", defaults.activation);
  t.block.order = defaults.isPreNorm ? BlockOrder::Pre : BlockOrder::Post;
  t.block.norm.epsilon = 1e-5;
  t.embeddingNormKind = t.finalNormKind = t.block.norm;

  t.prefixes = {"model.", ""};
  t.layerPrefix = part + ".layers.#.";
  if (defaults.normalizesEmbeddings)
    t.embeddingNorm = part + ".layernorm_embedding";
  if (defaults.isPreNorm)
    t.finalNorm = part + ".layer_norm";
  nameProjections(a, "out_proj");
  t.block.attentionNorm = "self_attn_layer_norm";
  f.up.name = "fc1";
  f.down.name = "fc2";
  t.block.feedForwardNorm = "final_layer_norm";
}

EncoderDecoderDescription &heddle::describeStacks(ModelConfig &config,
                                                  const StackDefaults &defaults,
                                                  ModelDescription &model) {
  auto &both = model.kind.emplace<EncoderDecoderDescription>();
  EncoderDescription &e = both.encoder;
  DecoderDescription &d = both.decoder;
  describeStack(config, defaults, "encoder", defaults.encoderPositionsField,
                defaults.encoderPositions, e);
  describeStack(config, defaults, "decoder", defaults.decoderPositionsField,
                defaults.decoderPositions, d);
  d.block.attention.isBidirectional = false;
  d.block.cross = CrossAttentionDescription{{"encoder_attn.q_proj", true},
                                            {"encoder_attn.k_proj", true},
                                            {"encoder_attn.v_proj", true},
                                            {"encoder_attn.out_proj", true},
                                            "encoder_attn_layer_norm"};
  model.tokens = config.tokens(d.vocabularySize, defaults.bos, defaults.eos);
  readStart(config, d.vocabularySize, defaults.start, model);
  config.expect("is_encoder_decoder", "true");
  // Dropout of layers in training, the number of those of a stack again, and
  // dropout of a head for labels.
  for (StringRef name : {"encoder_layerdrop", "decoder_layerdrop",
                         "num_hidden_layers", "classif_dropout"})
    config.ask(name);

  e.embedding = d.embedding = "shared";
  d.hasTiedHead = config.boolean("tie_word_embeddings", true);
  d.head.name = "lm_head";
  return both;
}

void heddle::readStart(ModelConfig &config, int64_t vocabulary,
                       std::optional<int64_t> fallback,
                       ModelDescription &model) {
  StringRef name = "decoder_start_token_id";
  if (config.has(name))
    model.tokens.bos = {config.integer(name, 0, vocabulary - 1)};
  else if (fallback && *fallback < vocabulary)
    model.tokens.bos = {*fallback};
}
