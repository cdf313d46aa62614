// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SigLIP (arXiv:2303.15343): CLIP's towers without a token of the image's own,
// for which a learned query asks all patches; texts are padded to one length,
// without a mask, and stand for what their last token gives:
// transformers/models/siglip.

#include "compiler/Import/Families/ConfigParts.h"
#include "compiler/Import/Families/TwoTowers.h"

using namespace heddle;

static constexpr TowerDefaults towerDefaults = {"gelu_pytorch_tanh", 1e-6};

// The pooled vector of a text or an image is its embedding, too.
static void addResults(EncoderDescription &e,
                       const std::vector<ResultStage> &stages) {
  e.results = {{"pooled", ArgumentRole::Pooled, {stages}, ""},
               {"embedding", ArgumentRole::Embedding, {stages}, ""}};
}

static EncoderDescription describeText(ModelConfig &config, TokenIds &tokens) {
  SizeDefaults defaults;
  defaults.vocabulary = 32000;
  defaults.hidden = 768;
  defaults.layers = defaults.heads = 12;
  defaults.positions = 64;
  EncoderDescription e;
  readHeads(config, defaults, e);
  setEncoderBlock(e);
  e.block.feedForward.hiddenSize = config.size("intermediate_size", 3072);
  describeTower(config, towerDefaults, "text_model.", e);
  describeTextTower(e);
  e.hasPaddedTexts = true;
  tokens = config.tokens(e.vocabularySize, 49406, 49407);
  LinearStage head =
      outsideLinear("head", config.size("projection_size", e.hiddenSize));
  head.isOutside = false;
  addResults(e, {PoolStage{{PoolingKind::Last}}, head});
  e.ignoredPrefixes = {"vision_model.", "logit_"};
  return e;
}

static EncoderDescription describeVision(ModelConfig &config) {
  SizeDefaults defaults;
  defaults.hidden = 768;
  defaults.layers = defaults.heads = 12;
  EncoderDescription e;
  readImageEncoder(config, defaults, 16, {}, e);
  e.block.feedForward.hiddenSize = config.size("intermediate_size", 3072);
  describeTower(config, towerDefaults, "vision_model.", e);
  if (e.image)
    e.image->patches = {"embeddings.patch_embedding", true};
  e.finalNorm = "post_layernorm";
  e.ignoredPrefixes = {"text_model.", "logit_"};
  if (!config.boolean("vision_use_head", true))
    return e;
  ResidualStage mlp{{"head.layernorm", e.block.norm}, e.block.feedForward};
  mlp.feedForward.up.name = "head.mlp.fc1";
  mlp.feedForward.down.name = "head.mlp.fc2";
  addResults(
      e, {ProbeStage{"head.probe", "head.attention", e.block.attention.heads},
          mlp});
  return e;
}

ModelDescription heddle::describeSiglipText(ModelConfig &config) {
  ModelDescription model;
  EncoderDescription e = describeText(config, model.tokens);
  model.kind = EncoderDescriptions{e};
  return model;
}

ModelDescription heddle::describeSiglipVision(ModelConfig &config) {
  ModelDescription model;
  model.kind = EncoderDescriptions{describeVision(config)};
  return model;
}

ModelDescription heddle::describeSiglip(ModelConfig &config) {
  ModelDescription model;
  auto &encoders = model.kind.emplace<EncoderDescriptions>();
  describePart(config, "text_config", [&](ModelConfig &part) {
    encoders.push_back(describeText(part, model.tokens));
    encoders.back().entryPoint = "encode_text";
  });
  describePart(config, "vision_config", [&](ModelConfig &part) {
    encoders.push_back(describeVision(part));
    encoders.back().entryPoint = "encode_image";
  });
  return model;
}
