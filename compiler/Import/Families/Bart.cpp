// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BART (arXiv:1910.13461), mBART, which normalises before its layers, and
// Marian, whose positions are sines: transformers/models/bart, mbart and
// marian. Logits get a bias of their own.

#include "compiler/Import/Families/EncoderDecoders.h"

#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace heddle;

// Learned positions begin in row 2.
static void setPositions(ModelConfig &config, TransformerDescription &t,
                         const std::string &part, bool isSinusoidal) {
  uint64_t bytes = llvm::SaturatingMultiply<uint64_t>(
      llvm::SaturatingMultiply<uint64_t>(t.maxPositions, t.hiddenSize),
      sizeof(float));
  if (isSinusoidal && bytes > RotaryTableOp::kLargestBytes)
    config.fail("max_position_embeddings",
                "positions whose table takes at most " +
                    llvm::Twine(RotaryTableOp::kLargestBytes) + " bytes");
  t.positions = PositionsDescription{part + ".embed_positions"};
  t.positions->isSinusoidal = isSinusoidal;
  t.positions->firstRow = isSinusoidal ? 0 : 2;
}

static ModelDescription describeAll(ModelConfig &config,
                                    const StackDefaults &defaults,
                                    bool isSinusoidal) {
  ModelDescription model;
  EncoderDecoderDescription &both = describeStacks(config, defaults, model);
  EncoderDescription &e = both.encoder;
  DecoderDescription &d = both.decoder;
  setPositions(config, e, "encoder", isSinusoidal);
  setPositions(config, d, "decoder", isSinusoidal);
  if (config.boolean("scale_embedding", false))
    e.embeddingFactor = d.embeddingFactor = std::sqrt(double(d.hiddenSize));
  d.logitsBias = "final_logits_bias";
  both.embeddingCopies = {"model.encoder.embed_tokens.weight",
                          "model.decoder.embed_tokens.weight"};
  // Layers and embeddings are as the family has them.
  config.expect("normalize_before", defaults.isPreNorm ? "true" : "false");
  config.expect("normalize_embedding",
                defaults.normalizesEmbeddings ? "true" : "false");
  config.expect("add_final_layer_norm", defaults.isPreNorm ? "true" : "false");
  config.expect("static_position_embeddings", isSinusoidal ? "true" : "false");
  config.expect("extra_pos_embeddings", "2");
  config.expect("add_bias_logits", "false");
  config.ask("force_bos_token_to_be_generated"); // of generation
  return model;
}

ModelDescription heddle::describeBart(ModelConfig &config) {
  return describeAll(config, StackDefaults(), /*isSinusoidal=*/false);
}

ModelDescription heddle::describeMBart(ModelConfig &config) {
  StackDefaults defaults;
  defaults.isPreNorm = true;
  defaults.start = std::nullopt; // that of a language
  return describeAll(config, defaults, /*isSinusoidal=*/false);
}

ModelDescription heddle::describeMarian(ModelConfig &config) {
  StackDefaults defaults;
  defaults.vocabulary = 58101;
  defaults.eos = 0;
  defaults.bos = std::nullopt;
  defaults.start = 58100;
  defaults.normalizesEmbeddings = false;
  ModelDescription model = describeAll(config, defaults, /*isSinusoidal=*/true);
  auto &both = std::get<EncoderDecoderDescription>(model.kind);
  config.expect("decoder_vocab_size",
                std::to_string(both.decoder.vocabularySize));
  if (!config.boolean("share_encoder_decoder_embeddings", true)) {
    both.encoder.embedding = "encoder.embed_tokens";
    both.decoder.embedding = "decoder.embed_tokens";
    both.embeddingCopies.clear();
  }
  return model;
}
