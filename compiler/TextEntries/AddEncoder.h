// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// func @run(%input_ids, %attention_mask, %token_type_ids) -> %embeddings
// -> func @encode(%input_ids, %token_type_ids, %lengths) -> %embeddings

#ifndef HEDDLE_COMPILER_TEXTENTRIES_ADDENCODER_H
#define HEDDLE_COMPILER_TEXTENTRIES_ADDENCODER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// Makes an encoder of lengths, as the library of text calls it, of a function
/// of ids and a mask of tokens; its types have sizes. False where it is none.
/// Results of one vector for a sequence, or a token, get their roles.
bool makeEncoder(mlir::func::FuncOp function);

} // namespace heddle

#endif // HEDDLE_COMPILER_TEXTENTRIES_ADDENCODER_H
