// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_COMPILER_LOWERING_EXPANDMATH_H
#define HEDDLE_COMPILER_LOWERING_EXPANDMATH_H

#include "mlir/IR/Operation.h"

namespace heddle {

/// Replaces `op`, an op of `math` on scalars or arith.remf, by ops that
/// Translate's table has; leaves other ops, and those which the table has, as
/// they are. bf16 and f16 are computed with in f32. Reports f64, and what has
/// no expansion.
mlir::LogicalResult expandMath(mlir::Operation *op);

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_EXPANDMATH_H
