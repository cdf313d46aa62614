// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The precision that an op computes in: f64, or f32. Beside shorter numbers f64
// would be rounded in silence, so that ops have operands of one or of the
// other.

#ifndef HEDDLE_DIALECT_HEDDLE_PRECISION_H
#define HEDDLE_DIALECT_HEDDLE_PRECISION_H

#include "mlir/IR/Operation.h"

namespace heddle {

/// Checks that a layer is one of f64, which its first operand is, or has none.
llvm::LogicalResult verifyPrecision(mlir::Operation *layer);

/// Checks that the elements of all `types`, those of `what`, are f64, or none.
llvm::LogicalResult verifyAllOrNoneOfF64(mlir::Operation *op,
                                         llvm::StringRef what,
                                         mlir::TypeRange types);

} // namespace heddle

#endif // HEDDLE_DIALECT_HEDDLE_PRECISION_H
