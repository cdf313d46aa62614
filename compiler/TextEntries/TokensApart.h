// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whether a decoder leaves tokens apart: its calls have some of a sequence's
// tokens, of several sequences, beside such that are none, and a cache holds
// more keys than there are.

#ifndef HEDDLE_COMPILER_TEXTENTRIES_TOKENSAPART_H
#define HEDDLE_COMPILER_TEXTENTRIES_TOKENSAPART_H

#include "compiler/TextEntries/SizeProbe.h"

#include "llvm/ADT/DenseSet.h"

namespace heddle {

/// Checks that whatever follows from arguments follows, for each sequence, each
/// token of the call and each key, from its own alone, but for the softmaxes
/// and operators of attention `masked`, whose weights are 0 where there is no
/// key, and products that these weights multiply. The smallest and the largest
/// element of all are none of a token: those make the scale of
/// DynamicQuantizeLinear, which a file has for all tokens, too. `presents`
/// append keys. Types have sizes. An error names the node that does something
/// else.
llvm::Error checkTokensApart(mlir::func::FuncOp function,
                             const DecoderSizes &sizes,
                             const llvm::DenseSet<mlir::Operation *> &masked,
                             const llvm::DenseSet<mlir::Operation *> &presents);

} // namespace heddle

#endif // HEDDLE_COMPILER_TEXTENTRIES_TOKENSAPART_H
