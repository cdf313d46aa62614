// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// ViT (arXiv:2010.11929) and DeiT (arXiv:2012.12877), which has one more token,
// of a teacher: transformers/models/vit and deit.

#include "compiler/Import/Families/TwoTowers.h"

using namespace heddle;

static std::vector<ResultStage> labelsOf(int64_t token, const char *name,
                                         int64_t labels) {
  return {PoolStage{{PoolingKind::Token}, token}, outsideLinear(name, labels)};
}

// The head that the architecture has.
static void readHead(ModelConfig &config, EncoderDescription &e) {
  llvm::StringRef architecture = config.architecture;
  auto logits = [&](std::vector<std::vector<ResultStage>> branches) {
    e.results = {{"logits", ArgumentRole::Logits, std::move(branches), ""}};
  };
  if (architecture.ends_with("Model")) {
    LinearStage dense = outsideLinear(
        "pooler.dense", config.size("pooler_output_size", e.hiddenSize));
    dense.isOutside = false;
    std::vector<ResultStage> stages = {
        firstToken(), dense,
        ActivationStage{config.activation("pooler_act", "tanh")}};
    e.results = {
        {"pooled", ArgumentRole::Pooled, {stages}, "pooler.dense.weight"}};
    return;
  }
  for (llvm::StringRef name : {"pooler_output_size", "pooler_act"})
    config.ask(name);
  int64_t labels = readLabels(config);
  if (architecture.ends_with("WithTeacher"))
    logits({labelsOf(0, "cls_classifier", labels),
            labelsOf(1, "distillation_classifier", labels)});
  else
    logits({labelsOf(0, "classifier", labels)});
}

static ModelDescription
describeImages(ModelConfig &config, const std::string &prefix,
               std::vector<ImageTokenDescription> tokens) {
  tokens.insert(tokens.begin(), {"embeddings.cls_token"});
  SizeDefaults defaults;
  defaults.hidden = 768;
  defaults.layers = defaults.heads = 12;
  ModelDescription model;
  EncoderDescription &e =
      model.kind.emplace<EncoderDescriptions>().emplace_back();
  readImageEncoder(config, defaults, 16, std::move(tokens), e);
  AttentionDescription &a = e.block.attention;
  FeedForwardDescription &f = e.block.feedForward;
  f.hiddenSize = config.size("intermediate_size", 3072);
  f.activation = config.activation("hidden_act", "gelu");
  e.block.norm.epsilon =
      config.positive("layer_norm_eps", 1e-12, /*zeroAllowed=*/true);
  e.finalNormKind = e.block.norm;
  config.ask("encoder_stride"); // of a decoder of images

  e.prefixes = {prefix, ""};
  e.layerPrefix = "encoder.layer.#.";
  if (e.image)
    e.image->patches = {"embeddings.patch_embeddings.projection", true};
  e.positions = PositionsDescription{"embeddings.position_embeddings"};
  e.positions->isParameter = true;
  bool hasBias = config.boolean("qkv_bias", true);
  a.query = {"attention.attention.query", hasBias};
  a.key = {"attention.attention.key", hasBias};
  a.value = {"attention.attention.value", hasBias};
  a.output.name = "attention.output.dense";
  f.up.name = "intermediate.dense";
  f.down.name = "output.dense";
  e.block.attentionNorm = "layernorm_before";
  e.block.feedForwardNorm = "layernorm_after";
  e.finalNorm = "layernorm";
  e.ignoredBuffers = {"embeddings.mask_token"};
  readHead(config, e);
  for (const std::string &known : e.prefixes)
    e.ignoredPrefixes.push_back(known + "pooler.");
  return model;
}

ModelDescription heddle::describeViT(ModelConfig &config) {
  return describeImages(config, "vit.", {});
}

ModelDescription heddle::describeDeiT(ModelConfig &config) {
  return describeImages(config, "deit.", {{"embeddings.distillation_token"}});
}
