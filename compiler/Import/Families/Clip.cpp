// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// CLIP (arXiv:2103.00020): an encoder of texts, which see what came before, and
// one of images, whose embeddings are compared: transformers/models/clip.

#include "compiler/Import/Families/ConfigParts.h"
#include "compiler/Import/Families/TwoTowers.h"

using namespace heddle;

static constexpr TowerDefaults towerDefaults = {"quick_gelu", 1e-5};

static void addEmbedding(EncoderDescription &e, std::vector<ResultStage> stages,
                         const char *projection, int64_t outputs) {
  stages.push_back(outsideLinear(projection, outputs, /*hasBias=*/false));
  e.results.push_back(
      {"embedding", ArgumentRole::Embedding, {std::move(stages)}, ""});
}

// A text stands for what its first end token gives. Old files say 2 for it,
// where their vocabulary's largest id is meant (CLIPTextTransformer.forward).
static EncoderDescription describeText(ModelConfig &config,
                                       std::optional<int64_t> projection,
                                       TokenIds &tokens) {
  SizeDefaults defaults;
  defaults.vocabulary = 49408;
  defaults.hidden = 512;
  defaults.layers = 12;
  defaults.heads = 8;
  defaults.positions = 77;
  EncoderDescription e;
  readHeads(config, defaults, e);
  setEncoderBlock(e);
  e.block.attention.isBidirectional = false;
  e.block.feedForward.hiddenSize = config.size("intermediate_size", 2048);
  describeTower(config, towerDefaults, "text_model.", e);
  describeTextTower(e);
  tokens = config.tokens(INT32_MAX, 49406, 49407);
  int64_t end = tokens.eos.empty() ? 2 : tokens.eos.front();
  PoolStage pool{{end == 2 ? PoolingKind::LargestId : PoolingKind::FirstId},
                 end};
  e.results = {{"pooled", ArgumentRole::Pooled, {{pool}}, ""}};
  if (projection)
    addEmbedding(e, {pool}, "text_projection", *projection);
  e.ignoredPrefixes = {"vision_model.", "visual_projection.", "logit_scale"};
  return e;
}

static EncoderDescription describeVision(ModelConfig &config,
                                         std::optional<int64_t> projection) {
  SizeDefaults defaults;
  defaults.hidden = 768;
  defaults.layers = defaults.heads = 12;
  EncoderDescription e;
  readImageEncoder(config, defaults, 32,
                   {{"embeddings.class_embedding", /*isVector=*/true}}, e);
  e.block.feedForward.hiddenSize = config.size("intermediate_size", 3072);
  describeTower(config, towerDefaults, "vision_model.", e);
  if (e.image)
    e.image->patches.name = "embeddings.patch_embedding";
  e.embeddingNorm = "pre_layrnorm"; // so spelt
  std::vector<ResultStage> pool = {firstToken(),
                                   NormStage{"post_layernorm", e.block.norm}};
  e.results = {{"pooled", ArgumentRole::Pooled, {pool}, ""}};
  if (projection)
    addEmbedding(e, pool, "visual_projection", *projection);
  e.ignoredPrefixes = {"text_model.", "text_projection.", "logit_scale"};
  return e;
}

static std::optional<int64_t> readProjection(ModelConfig &config) {
  bool projects = llvm::StringRef(config.architecture).ends_with("Projection");
  int64_t size = config.size("projection_dim", 512);
  return projects ? std::optional(size) : std::nullopt;
}

ModelDescription heddle::describeClipText(ModelConfig &config) {
  ModelDescription model;
  EncoderDescription e =
      describeText(config, readProjection(config), model.tokens);
  model.kind = EncoderDescriptions{e};
  return model;
}

ModelDescription heddle::describeClipVision(ModelConfig &config) {
  ModelDescription model;
  model.kind =
      EncoderDescriptions{describeVision(config, readProjection(config))};
  return model;
}

/// The name of a tower's object. The copy in old files counts alone
/// (CLIPConfig.__init__).
static llvm::StringRef nameOfTower(ModelConfig &config, llvm::StringRef name,
                                   llvm::StringRef old) {
  config.ask(name);
  return config.has(old) ? old : name;
}

ModelDescription heddle::describeClip(ModelConfig &config) {
  ModelDescription model;
  int64_t projection = config.size("projection_dim", 512);
  config.ask("logit_scale_init_value"); // of training
  auto &encoders = model.kind.emplace<EncoderDescriptions>();
  llvm::StringRef text = nameOfTower(config, "text_config", "text_config_dict");
  describePart(config, text, [&](ModelConfig &part) {
    encoders.push_back(describeText(part, projection, model.tokens));
    encoders.back().entryPoint = "encode_text";
  });
  llvm::StringRef vision =
      nameOfTower(config, "vision_config", "vision_config_dict");
  describePart(config, vision, [&](ModelConfig &part) {
    encoders.push_back(describeVision(part, projection));
    encoders.back().entryPoint = "encode_image";
  });
  return model;
}
