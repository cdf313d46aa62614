// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Lowering/MathExpansions.h"

using namespace heddle;

// Up to 1 the odd polynomial of degree 11 whose largest relative error is the
// least (Remez exchange, coefficients rounded one by one): 4.1e-8. Above it is
// 1 - 1 / P(|x|)^8, the form of Abramowitz and Stegun, 7.1.28, of which errors
// count less the nearer erf is to 1. P has degree 7 and the least error of erf
// on [1, 3.95] (found in the same way): 1.2e-8. From there on erf is 1 in f32,
// and P grows on.
Float heddle::expandErf(Float x) {
  Float a = abs(x), square = x * x;
  Float small =
      polynomial(square, {0.128379121f, -0.37612319f, 0.112801127f,
                          -0.026709171f, 0.00491482578f, -0.00056194223f}) *
          a +
      a;
  Float p = polynomial(a, {0.996486545f, 0.159212574f, 0.0494131148f,
                           0.0737406239f, -0.0330339186f, 0.0177518651f,
                           -0.00400239788f, 0.000543688075f});
  Float power = p * p;
  power = power * power;
  Float large = 1.0f - 1.0f / (power * power);
  return expandCopysign(select(a < 1.0f, small, large), x);
}

// For a = |x|, erfc(a) = e^(-a^2) R / (1 + 2 a) with R the polynomial of degree
// 9 in t = (a - 2) / (a + 2) whose largest relative error for a in [0, 10.1]
// is the least (Remez exchange, coefficients rounded one by one): 3.4e-8.
// Further out erfc is 0 in f32. a^2 = h^2 + (a + h) (a - h) with h the first 12
// bits of a, because an error of the exponent counts a^2 times.
Float heddle::expandErfc(Float x) {
  Float a = abs(x);
  a = select(a > 10.1f, 10.1f, a);
  Float h = asFloat(bits(a) & ~0xfff);
  auto [n, r] = reduceExponent(-(h * h));
  r = r - (a + h) * (a - h);
  Float t = (a - 2.0f) / (a + 2.0f);
  Float p =
      polynomial(t, {1.27697837f, -0.0927641168f, -0.166030049f, 0.16405724f,
                     -0.0542172454f, -0.00807019603f, 0.00867074635f,
                     0.00134255085f, -0.00126750488f, -0.000431179447f});
  Float rest = expOfRest(r) * p / (a * 2.0f + 1.0f);
  Float y = scaleByPowerOf2(rest, toInt(n));
  return select(x < 0.0f, 2.0f - y, y);
}
