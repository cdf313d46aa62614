// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A decoder-only model, as data: layers and a head.

#ifndef HEDDLE_COMPILER_IMPORT_MODELS_DECODERDESCRIPTION_H
#define HEDDLE_COMPILER_IMPORT_MODELS_DECODERDESCRIPTION_H

#include "compiler/Import/Models/TransformerDescription.h"

namespace heddle {

struct DecoderDescription : TransformerDescription {
  /// From channels of layers to those of embeddings, where they differ.
  std::string projectOut;
  /// Without the prefix. Of a tied head the matrix is the embedding's.
  ProjectionDescription head;
  std::string headElsewhere; ///< the name that counts if there is such a tensor
  bool hasTiedHead = false;
  /// A file may have a head all the same, and that counts (T5, whose later
  /// versions call every head tied).
  bool mayHaveOwnHead = false;
  /// A tensor [1, vocabulary] that is added to logits, if it is there; its
  /// whole name.
  std::string logitsBias;
  double logitFactor = 1;
  std::optional<double> logitSoftcap;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_MODELS_DECODERDESCRIPTION_H
