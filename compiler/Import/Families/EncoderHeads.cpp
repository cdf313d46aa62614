// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/Families/EncoderHeads.h"

using namespace llvm;
using namespace heddle;

SizeDefaults heddle::bertDefaults() {
  SizeDefaults defaults;
  defaults.vocabulary = 30522;
  defaults.hidden = 768;
  defaults.layers = defaults.heads = 12;
  defaults.positions = 512;
  return defaults;
}

void heddle::setEncoderBlock(TransformerDescription &e) {
  setBiases(e, /*attention=*/true, /*feedForward=*/true);
  e.block.norm.kind = NormKind::Layer;
  e.block.norm.hasBias = true;
  e.block.attention.isBidirectional = true;
  e.block.feedForward.gated = false;
}

EncoderDescription &heddle::describeBertLike(ModelConfig &config,
                                             const SizeDefaults &defaults,
                                             ModelDescription &model) {
  EncoderDescription &e =
      model.kind.emplace<EncoderDescriptions>().emplace_back();
  readHeads(config, defaults, e);
  model.tokens = config.tokens(e.vocabularySize, defaults.bos, defaults.eos);
  setEncoderBlock(e);
  e.block.order = BlockOrder::Post;
  return e;
}

void heddle::nameEmbeddings(EncoderDescription &e) {
  e.embedding = "embeddings.word_embeddings";
  e.positions = PositionsDescription{"embeddings.position_embeddings"};
  e.embeddingNorm = "embeddings.LayerNorm";
  e.ignoredBuffers = {"embeddings.position_ids"};
}

int64_t heddle::readLabels(ModelConfig &config) {
  // Two labels are transformers' default (PretrainedConfig).
  if (!config.has("id2label"))
    return config.size("num_labels", 2);
  int64_t labels = config.object("id2label").size();
  if (labels == 0)
    config.fail("id2label", "an object with a label");
  if (config.has("num_labels") && config.size("num_labels") != labels)
    config.fail("num_labels", "as many as 'id2label' has, " + Twine(labels));
  return labels;
}

LinearStage heddle::outsideLinear(StringRef name, int64_t outputs,
                                  bool hasBias) {
  LinearStage stage;
  stage.projection = {name.str(), hasBias};
  stage.outputs = outputs;
  stage.isOutside = true;
  return stage;
}

PoolStage heddle::firstToken() { return {{PoolingKind::Token}, 0}; }

void heddle::addHead(ModelConfig &config, const HeadsDescription &heads,
                     EncoderDescription &e) {
  StringRef architecture = config.architecture;
  auto addLogits = [&](std::vector<ResultStage> stages, LinearStage last,
                       ArgumentRole role = ArgumentRole::Logits) {
    stages.push_back(last);
    e.results.push_back({"logits", role, {stages}, ""});
  };
  if (architecture.ends_with("ForMaskedLM")) {
    LinearStage last = outsideLinear(heads.decoder, e.vocabularySize,
                                     !heads.decoderBias.empty());
    last.isTied = config.boolean("tie_word_embeddings", true);
    last.ownBias = heads.decoderBias;
    addLogits(heads.beforeVocabulary, last);
  } else if (architecture.ends_with("ForSequenceClassification")) {
    addLogits(heads.beforeTextLabels,
              outsideLinear(heads.textLabels, readLabels(config)));
  } else if (architecture.ends_with("ForTokenClassification")) {
    addLogits(heads.beforeTokenLabels,
              outsideLinear(heads.tokenLabels, readLabels(config)));
  } else if (architecture.ends_with("ForQuestionAnswering")) {
    // Whether an answer begins and ends at a token: two numbers, no labels.
    addLogits(heads.beforeAnswers, outsideLinear(heads.answers, 2),
              ArgumentRole::Other);
  } else {
    std::vector<ResultStage> mean = {PoolStage{{PoolingKind::Mean}}};
    e.results.push_back({"embedding", ArgumentRole::Embedding, {mean}, ""});
  }
}

HeadsDescription heddle::robertaHeads(const EncoderDescription &e) {
  HeadsDescription heads;
  heads.beforeVocabulary = {
      outsideLinear("lm_head.dense", e.hiddenSize),
      ActivationStage{ActivationKind::Gelu},
      NormStage{"lm_head.layer_norm", e.block.norm, /*isOutside=*/true}};
  heads.decoder = "lm_head.decoder";
  heads.decoderBias = "lm_head.bias";
  heads.beforeTextLabels = {firstToken(),
                            outsideLinear("classifier.dense", e.hiddenSize),
                            ActivationStage{ActivationKind::Tanh}};
  heads.textLabels = "classifier.out_proj";
  return heads;
}

std::vector<ResultStage> heddle::poolerOf(const EncoderDescription &e) {
  LinearStage dense = outsideLinear("pooler.dense", e.hiddenSize);
  dense.isOutside = false;
  return {firstToken(), dense, ActivationStage{ActivationKind::Tanh}};
}

void heddle::addPooler(ModelConfig &config, EncoderDescription &e) {
  if (StringRef(config.architecture).ends_with("Model"))
    e.results.push_back(
        {"pooled", ArgumentRole::Pooled, {poolerOf(e)}, "pooler.dense.weight"});
  for (const std::string &prefix : e.prefixes)
    e.ignoredPrefixes.push_back(prefix + "pooler.");
}

void heddle::beginPositionsBehind(ModelConfig &config, int64_t padding,
                                  EncoderDescription &e) {
  e.positions->firstRow = padding + 1;
  e.maxPositions -= padding + 1;
  if (e.maxPositions < 1)
    config.fail("max_position_embeddings", "more than the " +
                                               Twine(padding + 1) +
                                               " rows up to that of padding");
}
