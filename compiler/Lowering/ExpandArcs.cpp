// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Lowering/MathExpansions.h"

using namespace heddle;

// pi and its half in two parts.
static constexpr float kPi = 3.14159274f, kPiLow = -8.74227766e-8f;
static constexpr float kHalfPi = 1.57079637f, kHalfPiLow = -4.37113883e-8f;

// For t in [0, 1] the odd polynomial of degree 17 whose largest relative error
// is the least (Remez exchange, coefficients rounded one by one): 1.7e-8.
static Float atanUpTo1(Float t) {
  Float square = t * t;
  return polynomial(square, {-0.333331525f, 0.199937671f, -0.14211008f,
                             0.10665822f, -0.0755183771f, 0.0432075672f,
                             -0.0163653716f, 0.00292007136f}) *
             square * t +
         t;
}

// atan(a) = pi / 2 - atan(1 / a)
Float heddle::expandAtan(Float x) {
  Float a = abs(x);
  Bool isSteep = a > 1.0f;
  Float y = atanUpTo1(select(isSteep, 1.0f / a, a));
  return expandCopysign(select(isSteep, kHalfPi - (y - kHalfPiLow), y), x);
}

// The angle of (|x|, |y|), turned into the half plane of x, whose sign counts
// where it is 0, too.
Float heddle::expandAtan2(Float y, Float x) {
  Float a = abs(x), b = abs(y);
  Bool isSteep = b > a;
  Float smaller = select(isSteep, a, b), larger = select(isSteep, b, a);
  Float slope = smaller / larger;
  // Two zeros, two infinities.
  slope = select(smaller == larger, select(larger == 0.0f, 0.0f, 1.0f), slope);
  Float angle = atanUpTo1(slope);
  angle = select(isSteep, kHalfPi - (angle - kHalfPiLow), angle);
  angle = select(bits(x) < 0, kPi - (angle - kPiLow), angle);
  return expandCopysign(angle, y);
}

namespace {
/// asin(a) where a is at most 1/2; else asin(sqrt((1 - a) / 2)), which is half
/// of what is missing to pi / 2.
struct Arc {
  Bool isFar;
  Float angle;
};
} // namespace

// The odd polynomial of degree 11 whose largest relative error on [0, 1/2] is
// the least (Remez exchange, coefficients rounded one by one): 4.9e-9. NaN
// where a is above 1, of which the root is that.
static Arc arcOf(Float a) {
  Bool isFar = a > 0.5f;
  Float square = select(isFar, (1.0f - a) * 0.5f, a * a);
  Float s = select(isFar, sqrt(square), a);
  Float tail = polynomial(square, {0.166667521f, 0.0749530941f, 0.0454691462f,
                                   0.0241848193f, 0.0421581976f});
  return {isFar, tail * square * s + s};
}

Float heddle::expandAsin(Float x) {
  auto [isFar, angle] = arcOf(abs(x));
  Float far = kHalfPi - (angle * 2.0f - kHalfPiLow);
  return expandCopysign(select(isFar, far, angle), x);
}

Float heddle::expandAcos(Float x) {
  auto [isFar, angle] = arcOf(abs(x));
  Float twice = angle * 2.0f;
  Float far = select(x < 0.0f, kPi - (twice - kPiLow), twice);
  return select(isFar, far, kHalfPi - (expandCopysign(angle, x) - kHalfPiLow));
}
