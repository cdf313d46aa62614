// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What each op of arith and math computes. For ScalarMath's own use.

#ifndef HEDDLE_COMPILER_REFERENCE_SCALARFUNCTIONS_H
#define HEDDLE_COMPILER_REFERENCE_SCALARFUNCTIONS_H

#include "compiler/Reference/ScalarMath.h"

namespace heddle::reference {

struct ScalarFunction {
  /// With an error where code may be off by more than the next two say.
  std::function<Scalar(llvm::ArrayRef<Scalar>)> exact;
  /// How far code may be from `exact`: so many units of roundoff of the result,
  /// and a number.
  double roundings = 0;
  double absoluteError = 0;
  bool isExtremum = false;
};

/// None where `op` has no meaning on elements.
std::optional<ScalarFunction> scalarFunction(mlir::Operation *op);

// ScalarIntegers.cpp, ScalarReals.cpp, ScalarCasts.cpp
std::optional<ScalarFunction> integerFunction(mlir::Operation *op);
std::optional<ScalarFunction> realFunction(mlir::Operation *op);
std::optional<ScalarFunction> castFunction(mlir::Operation *op);

/// `value`, rounded towards 0, as an integer of `width` bits; the nearest one
/// of what does not fit, and 0 of NaN.
int64_t toInteger(double value, unsigned width, bool isSigned);

/// The low bits of `value` as an integer of `width` bits (see Scalar).
int64_t wrap(uint64_t value, unsigned width);

} // namespace heddle::reference

#endif // HEDDLE_COMPILER_REFERENCE_SCALARFUNCTIONS_H
