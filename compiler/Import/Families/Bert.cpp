// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// BERT, and RoBERTa, XLM-RoBERTa and CamemBERT, which have its names:
// transformers/models/bert and roberta. Norms come after their branches, all
// tokens get a type, and RoBERTa's positions begin behind that of padding.

#include "compiler/Import/Families/EncoderHeads.h"

using namespace heddle;

// Fields and names that all of them have.
static EncoderDescription &describeEncoder(ModelConfig &config,
                                           const SizeDefaults &defaults,
                                           ModelDescription &model,
                                           const std::string &prefix) {
  EncoderDescription &e = describeBertLike(config, defaults, model);
  AttentionDescription &a = e.block.attention;
  FeedForwardDescription &f = e.block.feedForward;
  f.hiddenSize = config.size("intermediate_size", 3072);
  f.activation = config.activation("hidden_act", "gelu");
  config.expect("position_embedding_type", "\"absolute\"");
  e.block.norm.epsilon =
      config.positive("layer_norm_eps", 1e-12, /*zeroAllowed=*/true);
  e.block.norm.mayBeGamma = true;
  e.embeddingNormKind = e.block.norm;

  e.prefixes = {prefix, ""};
  e.layerPrefix = "encoder.layer.#.";
  nameEmbeddings(e);
  e.types = TokenTypesDescription{"embeddings.token_type_embeddings",
                                  config.size("type_vocab_size", 2)};
  a.query.name = "attention.self.query";
  a.key.name = "attention.self.key";
  a.value.name = "attention.self.value";
  a.output.name = "attention.output.dense";
  e.block.attentionNorm = "attention.output.LayerNorm";
  f.up.name = "intermediate.dense";
  f.down.name = "output.dense";
  e.block.feedForwardNorm = "output.LayerNorm";
  e.ignoredBuffers.push_back("embeddings.token_type_ids");
  addPooler(config, e);
  return e;
}

ModelDescription heddle::describeBert(ModelConfig &config) {
  ModelDescription model;
  EncoderDescription &e =
      describeEncoder(config, bertDefaults(), model, "bert.");
  HeadsDescription heads;
  heads.beforeVocabulary = {
      outsideLinear("cls.predictions.transform.dense", e.hiddenSize),
      ActivationStage{e.block.feedForward.activation},
      NormStage{"cls.predictions.transform.LayerNorm", e.block.norm,
                /*isOutside=*/true}};
  heads.decoder = "cls.predictions.decoder";
  heads.decoderBias = "cls.predictions.bias";
  heads.beforeTextLabels = poolerOf(e);
  addHead(config, heads, e);
  // Of pairs of sentences, beside which words were trained.
  e.ignoredPrefixes.push_back("cls.seq_relationship.");
  return model;
}

ModelDescription heddle::describeRoberta(ModelConfig &config) {
  SizeDefaults defaults = bertDefaults();
  defaults.vocabulary = 50265;
  defaults.bos = 0;
  defaults.eos = 2;
  ModelDescription model;
  EncoderDescription &e = describeEncoder(config, defaults, model, "roberta.");
  beginPositionsBehind(
      config,
      config.has("pad_token_id")
          ? config.integer("pad_token_id", 0, e.vocabularySize - 1)
          : 1,
      e);
  addHead(config, robertaHeads(e), e);
  return model;
}
