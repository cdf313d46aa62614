// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers, and what comes before the first and after the last one, as data:
// what decoders and encoders have in common. See BlockDescription.h.

#ifndef HEDDLE_COMPILER_IMPORT_MODELS_TRANSFORMERDESCRIPTION_H
#define HEDDLE_COMPILER_IMPORT_MODELS_TRANSFORMERDESCRIPTION_H

#include "compiler/Import/Models/BlockDescription.h"

namespace heddle {

/// A table of positions: a learned one, or sines and then cosines of the
/// frequencies of Vaswani et al. (Marian).
struct PositionsDescription {
  std::string name;
  int64_t firstRow = 0; ///< of position 0
  /// The name is whole, and the tensor is [1, rows, channels].
  bool isParameter = false;
  bool isSinusoidal = false; ///< if the checkpoint does not have the table
};

/// Kinds of tokens, such as those of the first and the second text of a pair,
/// and what is added to each. A model with one kind adds it to all tokens.
struct TokenTypesDescription {
  std::string name;
  int64_t count = 0;
};

struct TransformerDescription {
  int64_t vocabularySize = 0, hiddenSize = 0;
  /// Tokens that the model can tell the order of.
  int64_t maxPositions = 0;
  /// Before the names of all tensors. Where there are several, the first one
  /// with which there is an embedding.
  std::vector<std::string> prefixes = {""};
  /// Before those of a layer; '#' stands for its number.
  std::string layerPrefix;

  std::string embedding;
  double embeddingFactor = 1;
  /// Channels of embeddings, and the matrix from them to those of layers, where
  /// they differ.
  int64_t embeddingSize = 0;
  std::string projectIn;
  std::optional<PositionsDescription> positions;
  std::optional<TokenTypesDescription> types;
  NormDescription embeddingNormKind;
  std::string embeddingNorm; ///< empty for none

  BlockDescription block;
  std::vector<LayerDescription> layers;
  NormDescription finalNormKind;
  std::string finalNorm; ///< empty for none

  /// Matrices are stored with the inputs first (GPT-2's Conv1D).
  bool hasTransposedMatrices = false;
  /// Endings of tensors that old versions saved and that follow from the
  /// configuration.
  std::vector<std::string> ignoredBuffers;
  /// Beginnings of tensors that the model does not have a use for.
  std::vector<std::string> ignoredPrefixes;

  int64_t embeddingChannels() const {
    return embeddingSize ? embeddingSize : hiddenSize;
  }
};

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_MODELS_TRANSFORMERDESCRIPTION_H
