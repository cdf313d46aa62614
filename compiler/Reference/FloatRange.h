// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The ends of what a float type holds: infinity where numbers are too large,
// and zeros, which have signs.
//
// The reference rounds no result of f32, but brings it into the range of f32,
// as IEEE 754 does: a magnitude from `overflowOf` on is infinite, and what is
// computed of that follows the rules for infinities. A bound says whether code
// must overflow as well:
//
//   |value| + error < overflow     code is finite
//   |value| - error >= overflow    code is infinite, too: the bound is 0
//   otherwise                      either: the bound is infinite
//
// A sum also overflows on the way. Its terms have the magnitudes M = P + N, of
// the positive and of the negative ones. No partial sum, in whatever order, is
// above P or below -N. While M is in range, none overflows. Where P and N both
// are beyond it, partial sums may be inf and -inf, whose sum is NaN: nothing is
// known. Where one of both is, code either overflows to that side for good or
// has the sum.
//
// An infinite bound admits anything, NaN too, as inf - inf may be what code
// has.

#ifndef HEDDLE_COMPILER_REFERENCE_FLOATRANGE_H
#define HEDDLE_COMPILER_REFERENCE_FLOATRANGE_H

#include "compiler/Reference/Roundings.h"

#include "mlir/IR/BuiltinTypes.h"

#include "llvm/ADT/ArrayRef.h"

#include <cmath>
#include <limits>

namespace heddle::reference {

inline constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// Where rounding to a type begins to give infinity: half a unit in the last
/// place above its largest number.
double overflowOf(mlir::FloatType type);
/// That of f32.
inline constexpr double kOverflow = 0x1.ffffffp127;

/// The error of a zero whose sign may be either, as that of a sum of zeros
/// hangs on what code begins with. It is less than any number's, so that it
/// admits no other number. An error of 0 says that the sign is known, too.
inline constexpr double kEitherSign = 0x1p-1000;

/// Whether an error is that of signs alone.
inline bool isOfSign(double error) { return std::abs(error) < 0x1p-900; }

/// Whether an error says that nothing is known.
inline bool isUnknown(double error) { return !(error < kInfinity); }

/// A number of compiled code that is off from `value` by `error`.
inline double movedBy(double value, double error) {
  return value == 0 && isOfSign(error) ? std::copysign(0.0, error)
                                       : value + error;
}

// Without another limit what follows overflows as the op that is evaluated.

/// `value`, or infinity where that overflows.
inline double toRange(double value, double overflow = precision().overflow) {
  return std::abs(value) < overflow || std::isnan(value)
             ? value
             : std::copysign(kInfinity, value);
}

inline void bringIntoRange(llvm::MutableArrayRef<double> values,
                           double overflow = precision().overflow) {
  for (double &value : values)
    value = toRange(value, overflow);
}

/// The error of toRange(value) where `value` itself has `error`.
inline double errorInRange(double value, double error,
                           double overflow = precision().overflow) {
  if (isUnknown(error))
    return kInfinity;
  if (!std::isfinite(value))
    return 0;
  if (std::abs(value) + error < overflow)
    return error;
  return std::abs(value) - error >= overflow ? 0 : kInfinity;
}

/// The error of toRange(value) of a sum. `magnitudes`: the sum of the
/// magnitudes of its finite terms.
inline double errorOfSum(double value, double error, double magnitudes,
                         double overflow = precision().overflow) {
  if (isUnknown(error))
    return kInfinity;
  if (!std::isfinite(value))
    return magnitudes < overflow ? 0 : kInfinity;
  // A little more than the magnitudes may be in code.
  if (magnitudes + error < overflow)
    return value == 0 && error == 0 ? kEitherSign : error;
  double other = (magnitudes - std::abs(value)) / 2;
  bool isSure = std::abs(value) - error >= overflow && other + error < overflow;
  return isSure ? 0 : kInfinity;
}

/// How far `other` is from `value`, both of which code may have for the same.
inline double differenceOf(double value, double other) {
  if (other == value)
    return std::signbit(other) == std::signbit(value) ? 0 : kEitherSign;
  if (std::isnan(value) && std::isnan(other))
    return 0;
  double difference = std::abs(other - value);
  return std::isnan(difference) ? kInfinity : difference;
}

} // namespace heddle::reference

#endif // HEDDLE_COMPILER_REFERENCE_FLOATRANGE_H
