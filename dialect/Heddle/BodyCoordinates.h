// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Integers in the body of a heddle.generic as coordinates (Coordinates.h). What
// the body computes wraps around at 32 bits, and coordinates do not: a value is
// one only where both are the same.

#ifndef HEDDLE_DIALECT_HEDDLE_BODYCOORDINATES_H
#define HEDDLE_DIALECT_HEDDLE_BODYCOORDINATES_H

#include "dialect/Heddle/HeddleDialect.h"

namespace heddle {

/// What `value` of the body is as a coordinate; null where it depends on more
/// than the point, or on the quotient of a number that may have wrapped around.
/// Sums and products with `overflow<nsw>` are promised not to, by whoever
/// checks the sizes of a call (forEachDividend).
SizeAttr coordinateOf(GenericOp op, mlir::Value value);

/// Whether 32 bits hold it at every point, whatever the sizes of a call.
bool isOfI32(GenericOp op, SizeAttr coordinate);

/// Whether the coordinate is seen to lie within `size` at every point.
bool isInside(GenericOp op, SizeAttr coordinate, SizeAttr size);

/// Calls `visit` with the largest value of each dividend in the maps of `op`,
/// and of those in its body that are promised to be of 32 bits; and with how
/// far they reach below 0.
void forEachDividend(GenericOp op, llvm::function_ref<void(SizeAttr)> visit);

} // namespace heddle

#endif // HEDDLE_DIALECT_HEDDLE_BODYCOORDINATES_H
