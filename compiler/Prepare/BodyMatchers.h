// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the body of a heddle.generic computes.

#ifndef HEDDLE_COMPILER_PREPARE_BODYMATCHERS_H
#define HEDDLE_COMPILER_PREPARE_BODYMATCHERS_H

#include "dialect/Heddle/HeddleDialect.h"

namespace heddle {

/// The input of `op` whose element `value` is, as it is or wider.
std::optional<unsigned> inputOf(GenericOp op, mlir::Value value);

/// The value of the first result.
mlir::Value yielded(GenericOp op);

/// Whether the reduction of the first result begins as `value`.
bool beginsAs(GenericOp op, double value);

/// Whether `op` has one result, and no reduction.
bool isElementwise(GenericOp op);

} // namespace heddle

#endif // HEDDLE_COMPILER_PREPARE_BODYMATCHERS_H
