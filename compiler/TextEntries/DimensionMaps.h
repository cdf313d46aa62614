// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which dimension of a result an operand's is.

#ifndef HEDDLE_COMPILER_TEXTENTRIES_DIMENSIONMAPS_H
#define HEDDLE_COMPILER_TEXTENTRIES_DIMENSIONMAPS_H

#include "dialect/Heddle/HeddleDialect.h"

namespace heddle {

/// For each dimension of an operand, that of the result whose elements at one
/// index follow from the operand's at the same index alone; none where the op
/// mixes elements, chooses some, or puts them elsewhere.
using DimensionMap = llvm::SmallVector<std::optional<int64_t>>;

/// That of `operand` in `result`, one of its owner's. Of ops that it does not
/// know, and of heddle.reshape, all are none.
DimensionMap dimensionMap(mlir::OpOperand &operand, mlir::OpResult result);

} // namespace heddle

#endif // HEDDLE_COMPILER_TEXTENTRIES_DIMENSIONMAPS_H
