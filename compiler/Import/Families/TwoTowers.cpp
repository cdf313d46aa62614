// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/Families/TwoTowers.h"

using namespace llvm;
using namespace heddle;

// A number for both sides, or height and width.
static std::pair<int64_t, int64_t> readSides(ModelConfig &config,
                                             StringRef name, int64_t fallback) {
  if (!config.isArray(name)) {
    int64_t side = config.size(name, fallback);
    return {side, side};
  }
  SmallVector<int64_t> sides = config.integers(name, 1, INT32_MAX);
  if (sides.size() == 2)
    return {sides[0], sides[1]};
  config.fail(name, "a number, or a height and a width");
  return {fallback, fallback};
}

void heddle::readImageEncoder(ModelConfig &config, const SizeDefaults &defaults,
                              int64_t patchSize,
                              std::vector<ImageTokenDescription> ownTokens,
                              EncoderDescription &e) {
  readHeads(config, defaults, e);
  setEncoderBlock(e);
  ImageDescription image;
  image.channels = config.size("num_channels", 3);
  std::tie(image.height, image.width) = readSides(config, "image_size", 224);
  auto [down, across] = readSides(config, "patch_size", patchSize);
  if (down != across)
    config.fail("patch_size", "square patches (nothing else is supported)");
  image.patchSize = down;
  if (image.height < down || image.width < down)
    config.fail("patch_size", "patches that an image of " +
                                  Twine(image.height) + " x " +
                                  Twine(image.width) + " has");
  image.tokens = std::move(ownTokens);
  if (config.failed())
    return;
  e.image = image;
  e.maxPositions = image.tokenCount();
  e.vocabularySize = 0;
}

void heddle::describeTower(ModelConfig &config, const TowerDefaults &defaults,
                           const std::string &prefix, EncoderDescription &e) {
  AttentionDescription &a = e.block.attention;
  FeedForwardDescription &f = e.block.feedForward;
  e.block.order = BlockOrder::Pre;
  f.activation = config.activation("hidden_act", defaults.activation);
  e.block.norm.epsilon = config.positive("layer_norm_eps", defaults.epsilon,
                                         /*zeroAllowed=*/true);
  e.embeddingNormKind = e.finalNormKind = e.block.norm;
  e.prefixes = {prefix};
  e.layerPrefix = "encoder.layers.#.";
  e.positions = PositionsDescription{"embeddings.position_embedding"};
  nameProjections(a, "out_proj");
  e.block.attentionNorm = "layer_norm1";
  e.block.feedForwardNorm = "layer_norm2";
  f.up.name = "mlp.fc1";
  f.down.name = "mlp.fc2";
  e.ignoredBuffers = {"embeddings.position_ids"};
}

void heddle::describeTextTower(EncoderDescription &e) {
  e.embedding = "embeddings.token_embedding";
  e.finalNorm = "final_layer_norm";
}
