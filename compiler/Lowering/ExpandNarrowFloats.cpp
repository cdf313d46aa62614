// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Floats of eight bits as f32, and back, to nearest, ties to even
// (Micikevicius et al., arXiv:2209.05433). compiler/Import/FloatFormats.h has
// the same for checkpoints.

#include "compiler/Lowering/MathExpansions.h"

#include <limits>

using namespace heddle;

static constexpr int32_t kSign = INT32_MIN;
static constexpr int32_t kMantissa = 23, kBias = 127; // of f32
static constexpr float kInfinity = std::numeric_limits<float>::infinity();
static constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

static Int magnitudeOf(Int bits) { return bits & 0x7f; }

static Float withSign(Float magnitude, Int bits) {
  return asFloat(heddle::bits(magnitude) | ((bits << 24) & kSign));
}

// A magnitude of `mantissa` bits of mantissa, with `bias`, that is finite.
static Float widen(Int magnitude, int32_t mantissa, int32_t bias) {
  Float normal = asFloat((magnitude << (kMantissa - mantissa)) +
                         ((kBias - bias) << kMantissa));
  float least = std::ldexp(1.0f, 1 - bias - mantissa);
  return select(magnitude < (1 << mantissa), toFloat(magnitude) * least,
                normal);
}

Float heddle::expandFromE4M3(Int bits) {
  Int magnitude = magnitudeOf(bits);
  return withSign(
      select(magnitude == 0x7f, kNaN, widen(magnitude, /*mantissa=*/3, 7)),
      bits);
}

Float heddle::expandFromE5M2(Int bits) {
  Int magnitude = magnitudeOf(bits);
  Float finite = widen(magnitude, /*mantissa=*/2, 15);
  Float other =
      select(magnitude == 0x7c, kInfinity, Float(bits.builder(), kNaN));
  return withSign(select(magnitude < 0x7c, finite, other), bits);
}

// The magnitude of `x`, which is not too large, rounded to `mantissa` bits.
static Int narrow(Float x, int32_t mantissa, int32_t bias) {
  Float magnitude = abs(x);
  // Below the least normal number the result counts the least number, which is
  // the last place of the floats from `base` on.
  float base = std::ldexp(1.0f, 1 - bias - mantissa + kMantissa);
  Int subnormal = bits(magnitude + base) - bits(Float(x.builder(), base));
  int32_t dropped = kMantissa - mantissa;
  Int of = bits(magnitude);
  Int odd = shiftRightSigned(of, dropped) & 1;
  Int rounded = shiftRightSigned(of + odd + ((1 << (dropped - 1)) - 1) -
                                     ((kBias - bias) << kMantissa),
                                 dropped);
  return select(magnitude < std::ldexp(1.0f, 1 - bias), subnormal, rounded);
}

static Int signOf(Float x) { return shiftRightSigned(bits(x), 24) & 0x80; }

// 464 is halfway from 448 to the next number, which would be even.
Int heddle::expandToE4M3(Float x) {
  Int finite = narrow(x, /*mantissa=*/3, 7);
  return signOf(x) | select(abs(x) <= 464.0f, finite, 0x7f);
}

// 61440 is halfway from 57344, which is odd, to the next number.
Int heddle::expandToE5M2(Float x) {
  Int finite = narrow(x, /*mantissa=*/2, 15);
  Int quiet = (shiftRightSigned(bits(x), 21) & 3) | 0x7e;
  Int large = select(x == x, Int(x.builder(), 0x7c), quiet);
  return signOf(x) | select(abs(x) < 61440.0f, finite, large);
}

// Of the two f32 that `x` is between the odd one, which rounds to the same
// float of at most 22 significant bits (Boldo and Melquiond, Emulation of a FMA
// and correctly rounded sums, 2008).
Float heddle::expandToOdd(Double x) {
  Float nearest = toFloat(x);
  Double back = toDouble(nearest);
  Int of = bits(nearest);
  Int odd = select(abs(back) > abs(x), of - 1, of) | 1;
  return select(!((back < x) | (back > x)), nearest, asFloat(odd));
}
