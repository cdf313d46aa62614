// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a loop carries from one region to the next: numbers, and the memory of
// tensors.

#ifndef HEDDLE_COMPILER_HOST_LOOPSTATE_H
#define HEDDLE_COMPILER_HOST_LOOPSTATE_H

#include "mlir/IR/ValueRange.h"

namespace heddle {

/// What enters a region of a loop, or leaves the loop. Each memory is a
/// memref<?xi8>.
struct LoopState {
  llvm::SmallVector<mlir::Value> numbers;
  /// For each tensor, the memory that holds it.
  llvm::SmallVector<mlir::Value> current;
  /// For each tensor, the memory of the loop that is free once the tensor is
  /// dropped: `current`, or another where that belongs to what is outside of
  /// the loop, which is only read.
  llvm::SmallVector<mlir::Value> owned;
  /// For each tensor that the region hands on, memory of the loop that holds
  /// nothing.
  llvm::SmallVector<mlir::Value> free;

  /// `values` are what operands() has become in a block or in results, of a
  /// loop that carries `carried`.
  static LoopState of(mlir::ValueRange carried, mlir::ValueRange values);

  /// All of these, in this order, as an op of scf takes them.
  llvm::SmallVector<mlir::Value> operands() const;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_HOST_LOOPSTATE_H
