// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The runtime's own exponential and logarithm, compared with libm's.

#include "runtime/Logits.h"

#include <gtest/gtest.h>

#include <cmath>

namespace {

/// How many units in the last place of `expected` `found` is away from it.
double unitsApart(double found, double expected) {
  double unit =
      std::nextafter(std::fabs(expected), HUGE_VAL) - std::fabs(expected);
  return std::fabs(found - expected) / unit;
}

// What is promised, 2 and 3 units, and 1 unit of libm.
TEST(Logits, ExponentialIsThatOfLibm) {
  for (int i = -700000; i <= 700000; i += 7) {
    double x = i * 1e-3;
    ASSERT_LE(unitsApart(heddle_exponential(x), std::exp(x)), 3) << x;
  }
  for (int i = 0; i < 1000; ++i) {
    double x = -std::ldexp(1.0, -i);
    ASSERT_LE(unitsApart(heddle_exponential(x), std::exp(x)), 3) << x;
  }
}

TEST(Logits, ExponentialHasItsLimits) {
  EXPECT_EQ(heddle_exponential(0), 1);
  EXPECT_EQ(heddle_exponential(-0.0), 1);
  EXPECT_EQ(heddle_exponential(-700.1), 0);
  EXPECT_EQ(heddle_exponential(-HUGE_VAL), 0);
}

TEST(Logits, LogarithmIsThatOfLibm) {
  EXPECT_EQ(heddle_logarithm(1), 0);
  for (int i = 1; i < 100000; ++i)
    for (double x : {double(i), 1 + i * 1e-5, 1 - i * 1e-6, 1 + i * 1e-12})
      if (x != 1) {
        ASSERT_LE(unitsApart(heddle_logarithm(x), std::log(x)), 4) << x;
      }
  for (int exponent = -1022; exponent < 1024; ++exponent)
    for (double m : {1.0, 1.4142135623730949, 1.4142135623730954, 1.9999}) {
      double x = std::ldexp(m, exponent);
      if (x != 1) {
        ASSERT_LE(unitsApart(heddle_logarithm(x), std::log(x)), 4) << x;
      }
    }
}

} // namespace
