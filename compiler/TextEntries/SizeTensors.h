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
/// is one number for all keys that a query attends to: those up to itself.
/// Returns the largest capacity for which it can be computed; an error if it
/// depends on how many tokens there are before.
llvm::Expected<int64_t> settleSizeTensors(mlir::func::FuncOp function,
                                          const DecoderSizes &sizes,
                                          const TensorSource *tensors);

} // namespace heddle

#endif // HEDDLE_COMPILER_TEXTENTRIES_SIZETENSORS_H
