// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How far compiled functions of `math` are from the true ones, which bounds of
// errors count on. A kernel computes them as compiler/Lowering/MathExpansions.h
// says.
//
// Each figure was measured, and rounded up to a half: the formulas, compiled
// into a checking program, were compared with functions of double precision
// (glibc's, whose own errors are below 2^-49) on all 2^32 numbers of f32, once
// with each product and its sum rounded together and once apart. Those of two
// arguments were compared on 2^26 random pairs. MathAccuracyTest does it again,
// on fewer numbers, with the code that models run.

#ifndef HEDDLE_COMPILER_REFERENCE_MATHERRORS_H
#define HEDDLE_COMPILER_REFERENCE_MATHERRORS_H

#include "llvm/ADT/StringRef.h"

#include <limits>
#include <optional>

namespace heddle::reference {

/// The computed f(x) is in f(x) (1 + d) + e with |d| <= `units` 2^-24 and
/// |e| <= kLeastError. NaN, infinities and the signs of zeros are exact. What
/// overflows within that error may be either infinite or the largest number.
struct MathError {
  llvm::StringLiteral op;
  double units;
  /// Of larger x nothing is known: the angle is lost where products and their
  /// sums are not rounded together, as on devices.
  double largestArgument = std::numeric_limits<double>::infinity();
};

/// Numbers below 2^-126 are multiples of 2^-149.
inline constexpr double kLeastError = 0x1.8p-148;

inline constexpr MathError kMathErrors[] = {
    {"math.acos", 2.5}, {"math.acosh", 3},      {"math.asin", 5},
    {"math.asinh", 3},  {"math.atan", 2.5},     {"math.atan2", 2.5},
    {"math.atanh", 3},  {"math.cbrt", 2},       {"math.cos", 7, 1.0e5},
    {"math.cosh", 2.5}, {"math.erf", 3.5},      {"math.erfc", 6},
    {"math.exp", 1.5},  {"math.exp2", 1.5},     {"math.expm1", 2.5},
    {"math.fpowi", 2},  {"math.log", 1.5},      {"math.log10", 2.5},
    {"math.log1p", 2},  {"math.log2", 3},       {"math.powf", 2},
    {"math.rsqrt", 2},  {"math.sin", 4, 1.0e5}, {"math.sinh", 2.5},
    {"math.sqrt", 1},   {"math.tan", 7, 1.0e5}, {"math.tanh", 6},
};

/// The error of an op of `math` on f32; none of ops that are exact, such as
/// math.round, and of math.fma, which is a product and a sum.
inline std::optional<MathError> findMathError(llvm::StringRef op) {
  for (const MathError &error : kMathErrors)
    if (error.op == op)
      return error;
  return std::nullopt;
}

} // namespace heddle::reference

#endif // HEDDLE_COMPILER_REFERENCE_MATHERRORS_H
