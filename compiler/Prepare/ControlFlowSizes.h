// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sizes of what control flow carries.

#ifndef HEDDLE_COMPILER_PREPARE_CONTROLFLOWSIZES_H
#define HEDDLE_COMPILER_PREPARE_CONTROLFLOWSIZES_H

#include "dialect/Heddle/HeddleDialect.h"

namespace heddle {

/// scf.for, scf.while or scf.if.
bool isControlFlow(mlir::Operation *op);
/// Whether `op` works on numbers: indices of loops, conditions, elements that
/// are read from tensors.
bool isNumbersOnly(mlir::Operation *op);

/// Reports a tensor.extract that may read past the end of its tensor: indices
/// are numbers that are known when compiling.
mlir::LogicalResult checkNumbers(mlir::Operation *op);

/// Gives sizes to what enters the regions of `op`, has `resolveBlock` give them
/// to what is inside, and then to its results. Tensors that a loop carries
/// round keep their sizes; others are errors, and so are caches and masks.
mlir::LogicalResult resolveControlFlow(
    mlir::Operation *op,
    llvm::function_ref<mlir::LogicalResult(mlir::Block &)> resolveBlock);

} // namespace heddle

#endif // HEDDLE_COMPILER_PREPARE_CONTROLFLOWSIZES_H
