// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tensors that follow from sizes and weights alone, such as masks and the
// numbers of tokens.

#ifndef HEDDLE_COMPILER_TEXTENTRIES_SIZETENSORS_H
#define HEDDLE_COMPILER_TEXTENTRIES_SIZETENSORS_H

#include "compiler/TextEntries/SizeProbe.h"

namespace heddle {

/// Makes constants of what `function` computes of its sizes alone, where that
/// is one number for all keys that a query attends to: those up to itself. An
/// error if it depends on how many tokens there are, or where in a call they
/// stand, but for what is added to `starts`, the tokens before. `sizes` says
/// for how many tokens that holds.
llvm::Error settleSizeTensors(mlir::func::FuncOp function, DecoderSizes &sizes,
                              mlir::Value starts, const TensorSource *tensors);

} // namespace heddle

#endif // HEDDLE_COMPILER_TEXTENTRIES_SIZETENSORS_H
