// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From when to when the memory of a value is needed, in steps of a function.

#ifndef HEDDLE_COMPILER_HOST_LIVENESS_H
#define HEDDLE_COMPILER_HOST_LIVENESS_H

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {

/// Ops are steps, in the order in which they stand; an op with regions is over
/// when all of them are.
class Liveness {
public:
  explicit Liveness(mlir::func::FuncOp function);

  unsigned begin(mlir::Operation *op) const { return steps.at(op).first; }
  unsigned end(mlir::Operation *op) const { return steps.at(op).second; }

  /// The last step that may need the memory of `value`, which is defined by an
  /// op. What a loop uses is needed until its end. Results of ops with regions
  /// may be their operands, whose memory is needed as long.
  unsigned lastUse(mlir::Value value);

private:
  unsigned number(mlir::Operation *op, unsigned step);

  llvm::DenseMap<mlir::Operation *, std::pair<unsigned, unsigned>> steps;
  /// Of values that have been asked for: chains of control flow have far more
  /// paths than values.
  llvm::DenseMap<mlir::Value, unsigned> lastUses;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_HOST_LIVENESS_H
