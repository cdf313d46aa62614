// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers and places of tokens that a graph computes of its sizes. It has as
// many tokens of each sequence; of a cache, each has its own.

#ifndef HEDDLE_COMPILER_TEXTENTRIES_TOKENCOUNTS_H
#define HEDDLE_COMPILER_TEXTENTRIES_TOKENCOUNTS_H

#include "compiler/TextEntries/SizeProbe.h"

namespace heddle {

/// Of each sequence: how many tokens come before those of a call, how many
/// there are together, or the place of each token of the call.
enum class TokenCount { Past, Total, Places };

/// Integers [batch], or [batch, length] of places, in any rank. Places may be
/// [1, length], which all sequences share.
struct CountedTokens {
  mlir::Value value;
  TokenCount count;
};

/// Finds them, in the order of their ops. They are so for as many tokens as
/// `sizes` says then.
llvm::SmallVector<CountedTokens> findTokenCounts(mlir::func::FuncOp function,
                                                 DecoderSizes &sizes,
                                                 const TensorSource *tensors);

/// Whether `indices`, [batch, heads, length, 3], are where the tokens of a call
/// stand behind those before.
bool placesTokensBehind(mlir::func::FuncOp function, DecoderSizes &sizes,
                        mlir::Value indices, const TensorSource *tensors);

} // namespace heddle

#endif // HEDDLE_COMPILER_TEXTENTRIES_TOKENCOUNTS_H
