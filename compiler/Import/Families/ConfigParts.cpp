// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/Families/ConfigParts.h"

using namespace llvm;
using namespace heddle;

void heddle::describePart(ModelConfig &config, StringRef name,
                          function_ref<void(ModelConfig &)> describe) {
  json::Object fields;
  if (config.has(name))
    fields = config.object(name);
  if (config.failed())
    return;
  ModelConfig part(fields, config.place(name), *config.context);
  part.architecture = config.architecture;
  describe(part);
  // Of a file of its own; what counts is outside.
  for (StringRef field : {"model_type", "architectures", "projection_dim"})
    part.ask(field);
  part.askHarmless();
  part.rejectUnasked();
  config.merge(part);
}

/// Fields about images, and what becomes of them among tokens.
static constexpr StringLiteral ofImages[] = {
    "vision_config",        "mm_tokens_per_image",
    "boi_token_index",      "eoi_token_index",
    "image_token_index",    "image_token_id",
    "projector_hidden_act", "multimodal_projector_bias",
    "spatial_merge_size",   "vision_feature_layer",
    "boi_token_id",         "eoi_token_id",
};

ModelDescription
heddle::describeTextPart(ModelConfig &config, StringRef modelType,
                         ModelDescription (*describe)(ModelConfig &)) {
  ModelDescription model;
  describePart(config, "text_config", [&](ModelConfig &part) {
    part.expect("model_type", ("\"" + modelType + "\"").str());
    model = describe(part);
  });
  if (config.failed())
    return model;
  DecoderDescription &d = model.decoder();
  d.prefixes = {"model.language_model.", "language_model.model."};
  d.headElsewhere = "language_model." + d.head.name;
  for (StringRef part : {"vision_tower.", "multi_modal_projector."}) {
    d.ignoredPrefixes.push_back(part.str());
    d.ignoredPrefixes.push_back(("model." + part).str());
  }
  for (StringRef name : ofImages)
    config.ask(name);
  // Of the whole model, if it says so.
  TokenIds own = config.tokens(d.vocabularySize, std::nullopt, std::nullopt);
  if (config.has("bos_token_id"))
    model.tokens.bos = own.bos;
  if (config.has("eos_token_id")) {
    model.tokens.eos = own.eos;
    model.tokens.hasDefaultEos = false;
  }
  config.expect("tie_word_embeddings", d.hasTiedHead ? "true" : "false");
  return model;
}
