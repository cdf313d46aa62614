// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/Deviation.h"

#include "gmock/gmock.h"

#include <limits>

namespace heddle::reference {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();

bool all(size_t) { return true; }

TEST(DeviationTest, TheWorstIsRelativeToItsTolerance) {
  auto worst = findWorst({1.1, 2.01}, {1, 2}, {0.2, 0.001}, all);
  ASSERT_TRUE(worst);
  EXPECT_EQ(worst->element, 1u);
  EXPECT_NEAR(worst->ratio(), 10, 1e-9);
}

TEST(DeviationTest, WithoutTolerancesElementsAreEqual) {
  EXPECT_EQ(findWorst({1, 2}, {1, 2}, {}, all)->ratio(), 0);
  EXPECT_EQ(findWorst({1, 2}, {1, 2 + 1e-15}, {}, all)->ratio(), infinity);
}

// What may overflow may be inf - inf, too.
TEST(DeviationTest, AnythingMeetsAnInfiniteTolerance) {
  EXPECT_EQ(findWorst({1}, {1e30}, {infinity}, all)->ratio(), 0);
  EXPECT_EQ(findWorst({-infinity}, {infinity}, {infinity}, all)->ratio(), 0);
  EXPECT_EQ(findWorst({nan}, {1}, {infinity}, all)->ratio(), 0);
}

TEST(DeviationTest, ExactZerosHaveSigns) {
  EXPECT_EQ(findWorst({0.0}, {-0.0}, {}, all)->ratio(), infinity);
  EXPECT_EQ(findWorst({-0.0}, {0.0}, {0}, all)->ratio(), infinity);
  EXPECT_EQ(findWorst({-0.0}, {-0.0}, {}, all)->ratio(), 0);
  EXPECT_EQ(findWorst({-0.0}, {0.0}, {1e-300}, all)->ratio(), 0);
}

TEST(DeviationTest, WhatIsNotANumberIsFound) {
  EXPECT_EQ(findWorst({nan}, {1}, {0.1}, all)->ratio(), infinity);
  EXPECT_EQ(findWorst({1}, {nan}, {0.1}, all)->ratio(), infinity);
  EXPECT_EQ(findWorst({nan}, {nan}, {nan}, all)->ratio(), infinity);
  EXPECT_EQ(findWorst({1}, {1.5}, {nan}, all)->ratio(), infinity);
  // What has never been written, and still has not.
  EXPECT_EQ(findWorst({nan}, {nan}, {}, all)->ratio(), 0);
}

TEST(DeviationTest, WhatIsNotComparedDoesNotCount) {
  auto isFirst = [](size_t element) { return element == 0; };
  EXPECT_EQ(findWorst({1, nan}, {1, 2}, {}, isFirst)->element, 0u);
  EXPECT_FALSE(findWorst({}, {}, {}, all));
}

} // namespace
} // namespace heddle::reference
