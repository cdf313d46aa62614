// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What BART, Marian and Whisper have in common: the fields of two stacks of one
// width, and the names of their layers.

#ifndef HEDDLE_COMPILER_IMPORT_FAMILIES_ENCODERDECODERS_H
#define HEDDLE_COMPILER_IMPORT_FAMILIES_ENCODERDECODERS_H

#include "compiler/Import/Families/EncoderHeads.h"

namespace heddle {

/// Defaults of a family's configuration that differ from BART's.
struct StackDefaults {
  int64_t vocabulary = 50265, hidden = 1024, layers = 12, heads = 16,
          width = 4096;
  llvm::StringRef activation = "gelu";
  std::optional<int64_t> bos = 0, eos = 2, start = 2;
  bool isPreNorm = false; ///< with a norm after the last layer
  bool normalizesEmbeddings = true;
  /// The largest positions, by the name of a field and a default.
  llvm::StringRef encoderPositionsField = "max_position_embeddings",
                  decoderPositionsField = "max_position_embeddings";
  int64_t encoderPositions = 1024, decoderPositions = 1024;
};

/// Both stacks, without positions, and a head that is the embedding's table.
EncoderDecoderDescription &describeStacks(ModelConfig &config,
                                          const StackDefaults &defaults,
                                          ModelDescription &model);

/// The id that answers begin with takes the place of that of texts.
void readStart(ModelConfig &config, int64_t vocabulary,
               std::optional<int64_t> fallback, ModelDescription &model);

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_FAMILIES_ENCODERDECODERS_H
