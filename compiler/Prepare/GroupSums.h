// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Groups of the inputs of linear layers, which have a scale of the matrix in
// common.

#ifndef HEDDLE_COMPILER_PREPARE_GROUPSUMS_H
#define HEDDLE_COMPILER_PREPARE_GROUPSUMS_H

#include "dialect/Heddle/HeddleDialect.h"

#include "mlir/IR/Builders.h"

namespace heddle {

/// i32 holds the sum of so many products of integers of `bits` bits with a sign
/// and any of 8 bits.
int64_t mostTerms(unsigned bits);

/// How many elements along the axis have one scale.
int64_t groupSizeOf(DequantizeOp decoded);

/// `sizes` with one element for each group of so many along the last dimension.
Sizes groupsOf(Sizes sizes, int64_t group);

/// The sums of groups along the last dimension of `x`, which is f32.
mlir::Value sumsOfGroups(mlir::OpBuilder &b, mlir::Value x, int64_t group);

} // namespace heddle

#endif // HEDDLE_COMPILER_PREPARE_GROUPSUMS_H
