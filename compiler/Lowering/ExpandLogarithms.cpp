// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Lowering/MathExpansions.h"

#include <limits>

using namespace heddle;

static constexpr float kInfinity = std::numeric_limits<float>::infinity();
static constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();
// The first number whose square root of 2 is above 1: below, exponents are one
// less.
static constexpr int32_t kSqrtHalf = 0x3f3504f3;
static constexpr int32_t kMantissa = 0x007fffff;
// ln 2 in two parts; the first has 16 bits, so that its product with an
// exponent is exact.
static constexpr float kLn2High = 0.693145752f, kLn2Low = 1.42860682e-6f;

ExponentAndFraction heddle::splitExponent(Float x) {
  Bool isDenormal = x < 0x1p-126f;
  Int b = bits(select(isDenormal, x * 0x1p23f, x)) - kSqrtHalf;
  Float e = toFloat(shiftRightSigned(b, 23)) - select(isDenormal, 23.0f, 0.0f);
  return {e, asFloat((b & kMantissa) + kSqrtHalf) - 1.0f};
}

// log(1 + f) - f for 1 + f in [sqrt(1/2), sqrt(2)): -f^2 / 2 and f^3 times the
// polynomial of degree 8 whose largest error relative to log(1 + f) is the
// least (Remez exchange, coefficients rounded one by one): 8.6e-10.
static Float log1pTail(Float f) {
  Float square = f * f;
  Float p = polynomial(f, {0.333333075f, -0.249999762f, 0.200023919f,
                           -0.166698962f, 0.142166272f, -0.123748474f,
                           0.118759386f, -0.118286207f, 0.0694553852f});
  return square * f * p - square * 0.5f;
}

// What logarithms are of numbers that are not positive and finite.
static Float orSpecial(Float x, Float y) {
  Float special = select(x == 0.0f, -kInfinity, select(x < 0.0f, kNaN, x));
  return select((x > 0.0f) & (x < kInfinity), y, special);
}

Float heddle::expandLog(Float x) {
  auto [e, f] = splitExponent(x);
  Float tail = e * kLn2Low + log1pTail(f);
  return orSpecial(x, e * kLn2High + (f + tail));
}

Float heddle::expandLog2(Float x) {
  auto [e, f] = splitExponent(x);
  return orSpecial(x, (f + log1pTail(f)) * 1.44269504f + e);
}

// log10(2) in two parts, as ln 2.
Float heddle::expandLog10(Float x) {
  auto [e, f] = splitExponent(x);
  Float y = (f + log1pTail(f)) * 0.434294482f + e * 4.60503906e-6f;
  return orSpecial(x, e * 0.301025391f + y);
}

// 1 + x = 2^e (1 + f), where f = 2^-e x + (2^-e - 1) is rounded at the size of
// f, not of 1. 2^-e is made of 2^(2-e), because 2^-128 is no normal number.
Float heddle::expandLog1p(Float x) {
  Int b = bits(x + 1.0f) - kSqrtHalf;
  Int shift = b & ~kMantissa;
  Float e = toFloat(shiftRightSigned(b, 23));
  Float power = asFloat(0x40800000 - shift) * 0.25f;
  Float f = asFloat(bits(x) - shift) + (power - 1.0f);
  Float tail = e * kLn2Low + log1pTail(f);
  Float y = e * kLn2High + (f + tail);
  Float special = select(x == -1.0f, -kInfinity, select(x < -1.0f, kNaN, x));
  y = select((x > -1.0f) & (x < kInfinity), y, special);
  return expandCopysign(y, x);
}

// log1p of `argument`; above 2^30, where squares may overflow, log(2 x) of
// `x`.
static Float log1pOrLog2x(Float x, Float argument) {
  Bool isLarge = x > 0x1p30f;
  return expandLog1p(select(isLarge, x, argument)) +
         select(isLarge, 0.693147182f, 0.0f);
}

// asinh(a) = log1p(a + a^2 / (1 + sqrt(a^2 + 1)))
Float heddle::expandAsinh(Float x) {
  Float a = abs(x), square = x * x;
  Float argument = a + square / (sqrt(square + 1.0f) + 1.0f);
  return expandCopysign(log1pOrLog2x(a, argument), x);
}

// acosh(1 + t) = log1p(t + sqrt(t^2 + 2 t))
Float heddle::expandAcosh(Float x) {
  Float t = x - 1.0f;
  Float y = log1pOrLog2x(x, t + sqrt(t * t + t * 2.0f));
  return select(x < 1.0f, kNaN, y);
}

// atanh(a) = log1p(2 a / (1 - a)) / 2
Float heddle::expandAtanh(Float x) {
  Float a = abs(x);
  return expandCopysign(expandLog1p(a * 2.0f / (1.0f - a)) * 0.5f, x);
}
