// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Lowering/MathExpansions.h"

using namespace heddle;

// ln 2 in two parts; the first has 16 bits, so that its product with an integer
// below 2^8 is exact.
ExponentAndRest heddle::reduceExponent(Float x) {
  Float n = roundEven(x * 1.44269504f);
  return {n, (x - n * 0.693145752f) - n * 1.42860682e-6f};
}

// (e^r - 1 - r) / r^2: the polynomial of degree 4 whose largest error relative
// to e^r on [-ln(2)/2, ln(2)/2] is the least (Remez exchange, coefficients
// rounded one by one): 3.2e-9.
static Float expTail(Float r) {
  return polynomial(r, {0.49999994f, 0.166665167f, 0.0416681021f,
                        0.00836916547f, 0.00138380076f});
}

Float heddle::expOfRest(Float r) { return r * r * expTail(r) + r + 1.0f; }

// 2^n for n in [-126, 127].
static Float powerOf2(Int n) { return asFloat((n << 23) + 0x3f800000); }

// In two steps, because 2^n alone has no normal number at either end.
Float heddle::scaleByPowerOf2(Float y, Int n) {
  Int half = shiftRightSigned(n, 1);
  return y * powerOf2(half) * powerOf2(n - half);
}

static Float clamp(Float x, float low, float high) {
  x = select(x < low, low, x);
  return select(x > high, high, x);
}

// What underflows is 0 before it is scaled: CPUs take long for denormal
// numbers, and masks are full of e^-inf.
Float heddle::expandExp(Float x) {
  Bool underflows = x < -104.0f;
  auto [n, r] = reduceExponent(clamp(x, -104.0f, 89.0f));
  return scaleByPowerOf2(select(underflows, 0.0f, expOfRest(r)), toInt(n));
}

Float heddle::expandExp2(Float x) {
  Bool underflows = x <= -150.0f;
  x = clamp(x, -150.0f, 129.0f);
  Float n = roundEven(x);
  Float r = (x - n) * 0.693147182f;
  return scaleByPowerOf2(select(underflows, 0.0f, expOfRest(r)), toInt(n));
}

// e^x - 1 = 2^n (e^r - 1) + (2^n - 1), which loses nothing where n = 0. 2^128
// is no number of f32: there it is twice that of 2^127.
Float heddle::expandExpm1(Float x) {
  auto [n, r] = reduceExponent(clamp(x, -20.0f, 89.0f));
  Float restMinus1 = r * r * expTail(r) + r;
  Bool isLargest = n > 127.0f;
  Float power = powerOf2(toInt(select(isLargest, 127.0f, n)));
  Float y = power * restMinus1 + (power - 1.0f);
  return expandCopysign(y * select(isLargest, 2.0f, 1.0f), x);
}

// e^x / 2, which is finite as far as sinh and cosh are.
static Float halfExp(Float x) {
  auto [n, r] = reduceExponent(clamp(x, 0.0f, 90.0f));
  return scaleByPowerOf2(expOfRest(r), toInt(n) - 1);
}

// Below 1 the odd polynomial of degree 7 whose largest relative error is the
// least (Remez exchange): 2.4e-8.
Float heddle::expandSinh(Float x) {
  Float a = abs(x), square = x * x;
  Float small =
      polynomial(square, {0.166667163f, 0.00833027065f, 0.000203733405f}) *
          square * a +
      a;
  Float half = halfExp(a);
  Float large = half - 0.25f / half;
  return expandCopysign(select(a < 1.0f, small, large), x);
}

Float heddle::expandCosh(Float x) {
  Float half = halfExp(abs(x));
  return half + 0.25f / half;
}

// tanh(a) = a P(a^2) / Q(a^2) with P and Q of degree 4 and P(0) = Q(0) = 1,
// whose largest relative error up to 9.02 is the least (least squares, whose
// weights are moved until the error's peaks are level): 2.2e-8. Further on tanh
// is 1 in f32. All coefficients are positive, so that nothing cancels.
Float heddle::expandTanh(Float x) {
  Float a = abs(x);
  a = select(a > 9.02f, 9.02f, a);
  Float square = a * a;
  Float numerator =
      polynomial(square, {1.0f, 0.13382697105407715f, 0.00349746854044497f,
                          2.063598731183447e-05f, 1.338448374355039e-08f});
  Float denominator =
      polynomial(square, {1.0f, 0.4671601951122284f, 0.02588440291583538f,
                          0.0003288534644525498f, 7.790335985191632e-07f});
  Float y = a * numerator / denominator;
  return expandCopysign(select(y > 1.0f, 1.0f, y), x);
}
