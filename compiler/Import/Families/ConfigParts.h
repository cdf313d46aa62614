// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models of several parts, whose config.json has an object for each.

#ifndef HEDDLE_COMPILER_IMPORT_FAMILIES_CONFIGPARTS_H
#define HEDDLE_COMPILER_IMPORT_FAMILIES_CONFIGPARTS_H

#include "compiler/Import/Families/Family.h"

namespace heddle {

/// `describe` the config of one part, the object `name`.
void describePart(ModelConfig &config, llvm::StringRef name,
                  llvm::function_ref<void(ModelConfig &)> describe);

/// The decoder of a model that reads images, too, for texts alone: `describe`
/// has the object `text_config`, of `modelType`. Tensors that images need are
/// left out.
ModelDescription describeTextPart(ModelConfig &config,
                                  llvm::StringRef modelType,
                                  ModelDescription (*describe)(ModelConfig &));

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_FAMILIES_CONFIGPARTS_H
