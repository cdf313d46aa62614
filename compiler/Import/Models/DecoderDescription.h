// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A decoder-only model, as data: see BlockDescription.h.

#ifndef HEDDLE_COMPILER_IMPORT_MODELS_DECODERDESCRIPTION_H
#define HEDDLE_COMPILER_IMPORT_MODELS_DECODERDESCRIPTION_H

#include "compiler/Import/Models/BlockDescription.h"

namespace heddle {

/// A learned table of positions.
struct PositionsDescription {
  std::string name;
  int64_t firstRow = 0; ///< of position 0
};

struct DecoderDescription {
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
  /// Channels of embeddings, and the matrices between them and those of layers,
  /// where they differ.
  int64_t embeddingSize = 0;
  std::string projectIn, projectOut;
  std::optional<PositionsDescription> positions;
  BlockDescription block;
  std::vector<LayerDescription> layers;
  NormDescription finalNormKind;
  std::string finalNorm; ///< empty for none

  /// Without the prefix. Of a tied head the matrix is the embedding's.
  ProjectionDescription head;
  bool hasTiedHead = false;
  double logitFactor = 1;
  std::optional<double> logitSoftcap;

  /// Matrices are stored with the inputs first (GPT-2's Conv1D).
  bool hasTransposedMatrices = false;
  /// Endings of tensors that old versions saved and that follow from the
  /// configuration.
  std::vector<std::string> ignoredBuffers;
  /// Beginnings of tensors that the model does not have a use for.
  std::vector<std::string> ignoredPrefixes;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_MODELS_DECODERDESCRIPTION_H
