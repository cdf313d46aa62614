// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What encoders of images have in common, and what CLIP and SigLIP have, each
// of which is an encoder of texts and one of images.

#ifndef HEDDLE_COMPILER_IMPORT_FAMILIES_TWOTOWERS_H
#define HEDDLE_COMPILER_IMPORT_FAMILIES_TWOTOWERS_H

#include "compiler/Import/Families/EncoderHeads.h"

namespace heddle {

/// Sizes of layers with norms before their branches, and of images.
/// `ownTokens` come before the patches, behind the model's prefix.
void readImageEncoder(ModelConfig &config, const SizeDefaults &defaults,
                      int64_t patchSize,
                      std::vector<ImageTokenDescription> ownTokens,
                      EncoderDescription &encoder);

/// How CLIP and SigLIP differ.
struct TowerDefaults {
  llvm::StringRef activation;
  double epsilon;
};

/// The layers of a tower: activation, norms, and names behind `prefix`.
void describeTower(ModelConfig &config, const TowerDefaults &defaults,
                   const std::string &prefix, EncoderDescription &encoder);
/// Tokens of a tower of texts.
void describeTextTower(EncoderDescription &encoder);

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_FAMILIES_TWOTOWERS_H
