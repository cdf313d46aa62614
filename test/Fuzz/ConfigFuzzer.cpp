// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model's config.json, and the same text as its generation_config.json.

#include "compiler/Import/GenerationConfig.h"
#include "compiler/Import/LlamaConfig.h"

using namespace heddle;

/// What is taken is an attribute that verification takes.
static void checkGeneration(llvm::StringRef text) {
  auto config = parseGenerationConfig(text, "generation_config.json", 100);
  if (!config)
    return llvm::consumeError(config.takeError());
  static mlir::MLIRContext context;
  auto emitError = [] {
    return mlir::emitError(mlir::UnknownLoc::get(&context));
  };
  if (auto attribute = config->defaults.toAttribute(&context))
    if (failed(GenerationDefaults::read(attribute, emitError)))
      abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
  checkGeneration(text);
  auto config = parseLlamaConfig(text, "config.json");
  if (!config) {
    llvm::consumeError(config.takeError());
    return 0;
  }
  // As LlamaConfig promises.
  if (config->heads % config->kvHeads != 0 || config->headDim % 2 != 0 ||
      config->maxPositions < 1)
    abort();
  return 0;
}
