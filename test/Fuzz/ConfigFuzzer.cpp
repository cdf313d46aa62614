// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model's config.json, and the same text as its generation_config.json.

#include "compiler/Import/Families/Family.h"
#include "compiler/Import/GenerationConfig.h"

using namespace heddle;

/// What is taken is an attribute that verification takes.
static void checkGeneration(llvm::StringRef text, ModelAnswers answers,
                            mlir::MLIRContext &context) {
  auto config =
      parseGenerationConfig(text, "generation_config.json", 100, answers);
  if (!config)
    return llvm::consumeError(config.takeError());
  auto emitError = [&] {
    return mlir::emitError(mlir::UnknownLoc::get(&context));
  };
  if (auto attribute = config->defaults.toAttribute(&context))
    if (failed(GenerationDefaults::read(attribute, emitError)))
      abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  static mlir::MLIRContext context;
  for (ModelAnswers answers :
       {ModelAnswers::Prompts, ModelAnswers::Texts, ModelAnswers::Recordings})
    checkGeneration(text, answers, context);
  auto model = describeModel(text, "config.json", context);
  if (!model) {
    llvm::consumeError(model.takeError());
    return 0;
  }
  // What builders rely on.
  forEachTransformer(*model, [](const TransformerDescription &transformer) {
    const AttentionDescription &attention = transformer.block.attention;
    if (attention.heads % attention.kvHeads != 0 ||
        transformer.layers.empty() || transformer.maxPositions < 1)
      abort();
  });
  return 0;
}
