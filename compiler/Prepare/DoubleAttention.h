// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_COMPILER_PREPARE_DOUBLEATTENTION_H
#define HEDDLE_COMPILER_PREPARE_DOUBLEATTENTION_H

#include "dialect/Heddle/HeddleDialect.h"

namespace heddle {

/// The results of attention of f64, each by its formula. Operands are [batch,
/// heads, length, channels], as are the outputs; dimensions of other results
/// are those of the op, with one batch.
llvm::SmallVector<mlir::Value> attendInDouble(mlir::OpBuilder &b,
                                              AttentionOp op, mlir::Value query,
                                              mlir::Value key,
                                              mlir::Value value);

} // namespace heddle

#endif // HEDDLE_COMPILER_PREPARE_DOUBLEATTENTION_H
