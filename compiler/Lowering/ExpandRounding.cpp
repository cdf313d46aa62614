// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Lowering/MathExpansions.h"

#include <cmath>
#include <limits>

using namespace heddle;

static constexpr float kInfinity = std::numeric_limits<float>::infinity();

Float heddle::expandCopysign(Float magnitude, Float sign) {
  return asFloat((bits(magnitude) & INT32_MAX) | (bits(sign) & INT32_MIN));
}

// x - trunc(x) is exact, and NaN, which is not at least 1/2, where x is
// infinite.
Float heddle::expandRound(Float x) {
  Float towards0 = trunc(x);
  Float step = select(abs(x - towards0) >= 0.5f, 1.0f, 0.0f);
  return towards0 + expandCopysign(step, x);
}

Bool heddle::expandIsInf(Float x) { return abs(x) == kInfinity; }

Bool heddle::expandIsFinite(Float x) { return abs(x) < kInfinity; }

Bool heddle::expandIsNormal(Float x) {
  Float a = abs(x);
  return (a >= std::numeric_limits<float>::min()) & (a < kInfinity);
}

// Long division with digits of 28 bits, from the one that the largest quotient
// of two numbers has, 2^277: with 24 bits of y the products are exact in f64,
// and so are the differences, which have no more bits than y at its size.
Float heddle::expandRem(Float x, Float y) {
  Double rest = toDouble(abs(x)), divisor = toDouble(abs(y));
  for (int digit = 9; digit >= 0; --digit) {
    Double scaled = divisor * std::ldexp(1.0, 28 * digit);
    rest = rest - floor(rest / scaled) * scaled;
  }
  Bool isWhole = expandIsFinite(x) & expandIsInf(y);
  return select(isWhole, x, expandCopysign(toFloat(rest), x));
}
