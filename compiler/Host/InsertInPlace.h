// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which tensors that loops carry round stay where they are while the loop
// writes them part by part.

#ifndef HEDDLE_COMPILER_HOST_INSERTINPLACE_H
#define HEDDLE_COMPILER_HOST_INSERTINPLACE_H

#include "dialect/Heddle/HeddleDialect.h"

namespace heddle {

/// Whether the memory of the tensor becomes that of the result: the tensor is
/// needed no more, and no other value can be in the same memory.
bool isInPlace(InsertOp op);

/// The op that `value` comes from, if that is in place; null otherwise.
InsertOp insertInPlace(mlir::Value value);

/// Whether such an op writes what `argument` of a loop holds.
bool isInsertedInto(mlir::Value argument);

} // namespace heddle

#endif // HEDDLE_COMPILER_HOST_INSERTINPLACE_H
