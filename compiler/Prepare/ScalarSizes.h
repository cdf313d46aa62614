// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_COMPILER_PREPARE_SCALARSIZES_H
#define HEDDLE_COMPILER_PREPARE_SCALARSIZES_H

#include "dialect/Heddle/HeddleDialect.h"

#include "mlir/IR/OpDefinition.h"

namespace heddle {

/// The size that a scalar computes, of tensor.dim, constants and `arith` on
/// both. Null where it is something else, or may be: where it is divided by
/// what may not be positive, or what may be negative is taken without its sign.
SizeAttr sizeOfScalar(mlir::Value scalar);
/// The same of an attribute or a scalar.
SizeAttr sizeOfScalar(mlir::OpFoldResult scalar, mlir::MLIRContext *context);
/// The same of several. Reports, for `op`, one that is something else.
mlir::FailureOr<Sizes> sizesOfScalars(mlir::Operation *op,
                                      llvm::ArrayRef<mlir::OpFoldResult> list);

} // namespace heddle

#endif // HEDDLE_COMPILER_PREPARE_SCALARSIZES_H
