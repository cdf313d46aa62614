// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A feed-forward layer as ops: see BlockDescription.h.

#ifndef HEDDLE_COMPILER_IMPORT_MODELS_FEEDFORWARDBUILDER_H
#define HEDDLE_COMPILER_IMPORT_MODELS_FEEDFORWARDBUILDER_H

#include "compiler/Import/Models/ModelBuilder.h"

namespace heddle {

/// Names of its tensors begin with `prefix`; ops are located at `path`.
mlir::Value buildFeedForward(ModelBuilder &model, mlir::Value x,
                             const FeedForwardDescription &feedForward,
                             const std::string &prefix,
                             const std::string &path);

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_MODELS_FEEDFORWARDBUILDER_H
