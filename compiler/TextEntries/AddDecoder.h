// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// func @run(%ids, %attention_mask, %position_ids, %past_key_values.0.key, ..)
//   -> (%logits, %present.0.key, ..)
// -> func @forward(%ids, %starts, %lengths, %cache) -> (%logits, %cache)
//      attributes {heddle.decoder = ..}

#ifndef HEDDLE_COMPILER_TEXTENTRIES_ADDDECODER_H
#define HEDDLE_COMPILER_TEXTENTRIES_ADDDECODER_H

#include "compiler/Import/TensorSource.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// Makes a decoder of the caller's cache of a function with keys and values of
/// earlier tokens as arguments, and those of all tokens as results; its types
/// have sizes. False where it has none; an error is what stands in the way.
/// `tensors` has the weights.
///
/// All tokens of a cache are valid, and a sequence's next one has the position
/// starts[b]: the mask of tokens is ones, and positions follow. README.md says
/// what the graph may make of its sizes.
llvm::Expected<bool> makeDecoder(mlir::func::FuncOp function,
                                 const TensorSource *tensors);

} // namespace heddle

#endif // HEDDLE_COMPILER_TEXTENTRIES_ADDDECODER_H
