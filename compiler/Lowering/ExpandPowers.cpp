// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An error of log2(x) counts y log2(x) times in x^y, up to 128 times, so these
// logarithms are f64.

#include "compiler/Lowering/MathExpansions.h"

#include <limits>

using namespace heddle;

static constexpr double kInfinity = std::numeric_limits<double>::infinity();
static constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

// log2(a) for a >= 0. With s = (m - 1) / (m + 1), log2(m) = 2 atanh(s) / ln 2
// is s times the polynomial of degree 5 in s^2 whose largest error relative to
// s is the least (Remez exchange): 7.7e-14.
static Double log2InDouble(Float a) {
  auto [e, f] = splitExponent(a);
  Double m = toDouble(f);
  Double s = m / (m + 2.0);
  Double p = polynomial(s * s, {2.8853900817778495, 0.9617966941142436,
                                0.5770779421068823, 0.41220927809230523,
                                0.3199046543825861, 0.2829149146372731});
  Double special = select(a == 0.0f, -kInfinity, toDouble(a));
  Bool isRegular = (a > 0.0f) & (a < std::numeric_limits<float>::infinity());
  return select(isRegular, s * p + toDouble(e), special);
}

// Of NaN, n is some integer, and the rest is NaN.
static Float exp2OfDouble(Double x) {
  Bool underflows = x < -150.0;
  x = select(underflows, -150.0, x);
  x = select(x > 129.0, 129.0, x);
  Double n = roundEven(x);
  Float y = expOfRest(toFloat(x - n) * 0.693147182f);
  return scaleByPowerOf2(select(underflows, 0.0f, y), toInt(toFloat(n)));
}

Float heddle::expandIntegerPow(Float x, Double y, Bool isOdd) {
  Float power = exp2OfDouble(log2InDouble(abs(x)) * y);
  Int sign = select(isOdd, bits(x) & INT32_MIN, 0);
  return select(y == 0.0, 1.0f, asFloat(bits(power) | sign));
}

// A negative number has powers with integers only. 1 to any power is 1, and so
// is anything to the power of 0, NaN among them; -1 to an infinite one, too.
Float heddle::expandPow(Float x, Float y) {
  Float half = y * 0.5f, a = abs(x), magnitude = abs(y);
  Bool isInteger = floor(y) == y;
  Bool isOdd = isInteger & !(floor(half) == half);
  Float power = expandIntegerPow(x, toDouble(y), isOdd);
  Bool isNegative = (x < 0.0f) & (a < std::numeric_limits<float>::infinity());
  power = select(isNegative & !isInteger & (y == y), kNaN, power);
  Bool isInfinite = magnitude == std::numeric_limits<float>::infinity();
  return select((x == 1.0f) | ((a == 1.0f) & isInfinite), 1.0f, power);
}

Float heddle::expandCbrt(Float x) {
  Float root = exp2OfDouble(log2InDouble(abs(x)) * (1.0 / 3.0));
  return expandCopysign(root, x);
}

Float heddle::expandRsqrt(Float x) { return 1.0f / sqrt(x); }
