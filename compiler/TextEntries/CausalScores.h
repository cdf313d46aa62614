// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention of a decoder: a cache is for such that no query attends to tokens
// behind its own.

#ifndef HEDDLE_COMPILER_TEXTENTRIES_CAUSALSCORES_H
#define HEDDLE_COMPILER_TEXTENTRIES_CAUSALSCORES_H

#include "compiler/TextEntries/SizeProbe.h"

namespace heddle {

/// Softmaxes of [batch, heads, length, keys] scores of all tokens, over keys.
llvm::SmallVector<SoftmaxOp> softmaxesOfKeys(mlir::func::FuncOp function,
                                             const DecoderSizes &sizes);

/// Operators of attention that read the keys of all tokens.
llvm::SmallVector<AttentionOp> attentionOfKeys(mlir::func::FuncOp function,
                                               const DecoderSizes &sizes);

/// Checks that `function` drops each query's later keys, for as many tokens as
/// `sizes` says then. An error names the node that does not.
llvm::Error checkCausal(mlir::func::FuncOp function, DecoderSizes &sizes,
                        const TokenArguments &arguments,
                        const TensorSource *tensors);

} // namespace heddle

#endif // HEDDLE_COMPILER_TEXTENTRIES_CAUSALSCORES_H
