// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The `config.json` of a Llama-style model. Names and defaults are those of
// transformers' LlamaConfig (models/llama/configuration_llama.py).

#ifndef HEDDLE_COMPILER_IMPORT_LLAMACONFIG_H
#define HEDDLE_COMPILER_IMPORT_LLAMACONFIG_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <optional>

namespace heddle {

/// How the rotary embedding's frequencies differ from
/// ropeTheta ^ (-2i / headDim).
struct RopeScaling {
  enum class Kind {
    /// They do not.
    None,
    /// Each is divided by `factor`.
    Linear,
    /// Low ones are divided by `factor`, high ones kept, those between
    /// interpolated (transformers, _compute_llama3_parameters).
    Llama3
  };
  Kind kind = Kind::None;
  double factor = 1.0;
  // Llama3 only; lowFrequencyFactor < highFrequencyFactor.
  double lowFrequencyFactor = 0.0;
  double highFrequencyFactor = 0.0;
  int64_t originalMaxPositions = 0;
};

/// What a `config.json` says that bears on the result. All sizes are positive
/// and fit 32 bits; there is a rotary table for the positions; the weights' and
/// the full-length key/value cache's sizes in bytes fit int64_t.
struct LlamaConfig {
  int64_t hiddenSize;
  int64_t intermediateSize;
  int64_t layers;
  int64_t heads;
  /// Divides `heads`.
  int64_t kvHeads;
  /// Even. heads * headDim need not be hiddenSize.
  int64_t headDim;
  int64_t vocabularySize;
  int64_t maxPositions;
  double rmsNormEpsilon;
  double ropeTheta;
  RopeScaling ropeScaling;
  /// The output projection is the embedding's matrix.
  bool tieWordEmbeddings;
  /// The query, key, value and output projections have a bias.
  bool attentionBias;
  /// The gate, up and down projections have a bias.
  bool mlpBias;
  /// Token ids in [0, vocabularySize).
  std::optional<int64_t> bosToken;
  llvm::SmallVector<int64_t, 4> eosTokens;
  /// Whether the file is silent about them, so that they are a default.
  bool hasDefaultEos = false;
};

/// Reads `config.json` of a Hugging Face folder. Every field is honoured, known
/// to have no effect on the result, or rejected by name.
llvm::Expected<LlamaConfig> readLlamaConfig(llvm::StringRef folder);

/// The same from the file's text; `file` names it in errors.
llvm::Expected<LlamaConfig> parseLlamaConfig(llvm::StringRef text,
                                             llvm::StringRef file);

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_LLAMACONFIG_H
