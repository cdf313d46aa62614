// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The metadata of a GGUF file in the words of the config.json that it was
// converted from, so that one reader of each family serves both.

#ifndef HEDDLE_COMPILER_IMPORT_GGUF_GGUFCONFIG_H
#define HEDDLE_COMPILER_IMPORT_GGUF_GGUFCONFIG_H

#include "compiler/Import/Gguf/GgufFile.h"

#include "llvm/Support/JSON.h"

namespace heddle {

/// Numbers of llama.cpp's enum llama_pooling_type.
enum class GgufPooling { None, Mean, First, Last, Rank };

struct GgufConfig {
  llvm::json::Object config;
  /// Heads of Llama's kind rotate neighbours, since rows of queries and keys
  /// have changed places.
  bool rotatesNeighbours = false;
  /// The result that an encoder's tokens become. Where the file does not say,
  /// as one from before there was the key, their mean counts, as of a folder.
  std::optional<GgufPooling> pooling;
};

/// An architecture that is not known, a key of it that nothing reads, and a
/// value of another type are errors.
llvm::Expected<GgufConfig> readGgufConfig(const GgufFile &file);

/// The names of the architectures that are known, in ascending order.
llvm::SmallVector<llvm::StringRef> ggufArchitectures();

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_GGUF_GGUFCONFIG_H
