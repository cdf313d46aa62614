// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// SmolLM 3: Llama without a rotary embedding in every fourth layer:
// transformers/models/smollm3.

#include "compiler/Import/Families/LlamaLike.h"

using namespace heddle;

ModelDescription heddle::describeSmolLM3(ModelConfig &config) {
  SizeDefaults defaults;
  defaults.vocabulary = 128256;
  defaults.hidden = 2048;
  defaults.layers = 36;
  defaults.heads = 16;
  defaults.kvHeads = 4;
  defaults.positions = 32768;
  defaults.ropeBase = 2e6;
  defaults.tied = true;
  defaults.bos = 128000;
  defaults.eos = 128001;
  ModelDescription model = describeLlamaLike(config, defaults);
  DecoderDescription &d = model.decoder();
  setBiases(d, config.boolean("attention_bias", false),
            config.boolean("mlp_bias", false));
  // 1 says that a layer rotates.
  int64_t interval = config.size("no_rope_layer_interval", 4);
  llvm::SmallVector<int64_t> rotates;
  if (config.has("no_rope_layers"))
    rotates = config.integers("no_rope_layers", 0, 1);
  else
    for (size_t layer = 0; layer < d.layers.size(); ++layer)
      rotates.push_back((layer + 1) % interval != 0);
  if (rotates.size() != d.layers.size())
    config.fail("no_rope_layers", "a number for each layer");
  rotates.resize(d.layers.size());
  for (auto [layer, isRotating] : llvm::zip_equal(d.layers, rotates))
    if (!isRotating)
      layer.rotary.reset();
  // Only layers that do not rotate slide.
  auto types = readLayerTypes(config, d.layers.size());
  if (config.boolean("use_sliding_window", false))
    setWindows(d, config.size("sliding_window"), [&](size_t layer) {
      return types ? (*types)[layer] : !rotates[layer];
    });
  else
    config.ask("sliding_window");
  return model;
}
