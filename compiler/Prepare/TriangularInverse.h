// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Solves triangular systems by products of matrices.

#ifndef HEDDLE_COMPILER_PREPARE_TRIANGULARINVERSE_H
#define HEDDLE_COMPILER_PREPARE_TRIANGULARINVERSE_H

#include "mlir/IR/Builders.h"

namespace heddle {

/// (I + A)^-1 of the strictly lower triangular matrices `a`, [.., C, C], with C
/// a power of two. Elements of `a` on and above the diagonal are not read.
mlir::Value invertUnitTriangular(mlir::OpBuilder &b, mlir::Location loc,
                                 mlir::Value a);

} // namespace heddle

#endif // HEDDLE_COMPILER_PREPARE_TRIANGULARINVERSE_H
