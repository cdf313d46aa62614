// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Numbers that control flow computes with, outside of kernels.

#ifndef HEDDLE_COMPILER_HOST_EMITNUMBER_H
#define HEDDLE_COMPILER_HOST_EMITNUMBER_H

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"

namespace heddle {

/// Emits a copy of `op`, of arith, and maps its result. Where LLVM leaves the
/// result open, it is what kernels make of the op: x / 0 is 0, the quotient of
/// the smallest integer and -1 wraps around, a shift by more bits than there
/// are leaves none but the sign, and floats become the nearest integer of the
/// type, NaN 0.
void emitNumber(mlir::OpBuilder &b, mlir::Operation *op,
                mlir::IRMapping &mapping);

} // namespace heddle

#endif // HEDDLE_COMPILER_HOST_EMITNUMBER_H
