// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Lowering/MathExpansions.h"

using namespace heddle;

namespace {
/// |x| = quadrant pi / 2 + an angle, of which sine and cosine are these.
struct Quarter {
  Int quadrant;
  Float sin, cos;
};
} // namespace

// pi / 2 is the sum of five parts, of which four have 8 bits, so that their
// products with n below 2^16, and what is left of x after each where that is
// small, are exact. Where x is so large that n is wrong, the angle is any in
// [-1, 1].
//
// The polynomials are those of degrees 7 and 8 whose largest relative errors on
// [0, pi/4] and 2% beyond are the least (Remez exchange, coefficients rounded
// one by one): 4.7e-9 and 1.6e-10.
static Quarter reduceToQuarter(Float x) {
  Float a = abs(x);
  Float n = roundEven(a * 0.636619772f);
  Float angle = ((a - n * 1.5703125f) - n * 4.82559204e-4f) - n * 1.2665987e-6f;
  angle = (angle - n * 9.89530236e-10f) - n * 2.56334415e-12f;
  angle = select(angle < -1.0f, -1.0f, angle);
  angle = select(angle > 1.0f, 1.0f, angle);
  Float square = angle * angle;
  Float sinTail =
      polynomial(square, {-0.166666538f, 0.00833209325f, -0.000195051456f});
  Float cosTail =
      polynomial(square, {0.0416666418f, -0.00138871302f, 2.44120856e-05f});
  return {toInt(n), sinTail * square * angle + angle,
          cosTail * square * square + (1.0f - square * 0.5f)};
}

// The sine of the angle in another quadrant.
static Float sinOfQuarter(const Quarter &q, Int quadrant) {
  Float y = select((quadrant & 1) == 0, q.sin, q.cos);
  return asFloat(bits(y) ^ ((quadrant & 2) << 30));
}

Float heddle::expandSin(Float x) {
  Quarter q = reduceToQuarter(x);
  Float y = sinOfQuarter(q, q.quadrant);
  return asFloat(bits(y) ^ (bits(x) & INT32_MIN));
}

Float heddle::expandCos(Float x) {
  Quarter q = reduceToQuarter(x);
  return sinOfQuarter(q, q.quadrant + 1);
}

// tan(t) in even quadrants, -1 / tan(t) in odd ones.
Float heddle::expandTan(Float x) {
  Quarter q = reduceToQuarter(x);
  Bool isEven = (q.quadrant & 1) == 0;
  Float y = select(isEven, q.sin, -q.cos) / select(isEven, q.cos, q.sin);
  return asFloat(bits(y) ^ (bits(x) & INT32_MIN));
}
