// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model's config.json.

#include "compiler/Import/LlamaConfig.h"

using namespace heddle;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  llvm::StringRef text(reinterpret_cast<const char *>(data), size);
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
