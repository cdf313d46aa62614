// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What bounds of errors are made of: see ErrorBounds.h.

#ifndef HEDDLE_COMPILER_REFERENCE_ROUNDINGS_H
#define HEDDLE_COMPILER_REFERENCE_ROUNDINGS_H

#include "mlir/IR/Operation.h"

#include <algorithm>
#include <cmath>

namespace heddle::reference {

/// An operation on f32 is off by this factor of its result.
inline constexpr double u = 0x1p-24;

/// The relative error of rounding to bf16.
inline constexpr double bfloatRoundoff = 0x1p-8;

/// The error of 2^x of f32, computed as a polynomial (emitExp2NotAbove0: 2e-7),
/// and the number below which it is 0.
inline constexpr double exp2Error = 4 * u;
inline constexpr double exp2Smallest = 0x1p-125;

/// The arithmetic of code, as formulas take it to be.
struct Precision {
  double roundoff; ///< what an operation is off by, as a factor of its result
  double overflow; ///< from where on results are infinite
  double exponentialError;    ///< what attention's exponential is off by
  double smallestExponential; ///< below which it is 0
  double leastError;          ///< what small numbers are off by

  bool isDouble() const { return roundoff < u; }
};
/// The precision of the op that is evaluated: f32 but where PrecisionOf says
/// f64.
const Precision &precision();

/// The scope in which formulas take code to compute as `op` does: in f64, if it
/// has operands or results of that, or is attention of f64.
class PrecisionOf {
public:
  explicit PrecisionOf(mlir::Operation *op);
  PrecisionOf(const PrecisionOf &) = delete;
  ~PrecisionOf();

private:
  Precision before;
};

/// A sum of n products is off by this factor of their magnitudes.
inline double gamma(double n) {
  return precision().roundoff * std::min(n, 8 * std::sqrt(n));
}

} // namespace heddle::reference

#endif // HEDDLE_COMPILER_REFERENCE_ROUNDINGS_H
