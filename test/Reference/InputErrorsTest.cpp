// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Prepare/InputErrors.h"

#include "llvm/ADT/bit.h"

#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <vector>

using namespace heddle;

namespace {

// The root mean square of `change` of a normally distributed number, of which
// it sees `group` at a time. Of 2000 groups of 16 it has a deviation of 0.4%.
template <typename Change> double measure(int64_t group, Change change) {
  std::mt19937_64 random(group);
  std::normal_distribution<double> normal;
  double sum = 0;
  const int rounds = 2000;
  std::vector<double> numbers(group);
  for (int round = 0; round < rounds; ++round) {
    for (double &number : numbers)
      number = normal(random);
    sum += change(numbers);
  }
  return std::sqrt(sum / rounds / group);
}

TEST(InputErrors, IntegersLoseWhatIsExpected) {
  for (unsigned bits : {8, 16})
    for (int64_t group : {16, 32, 256, 1024}) {
      double last = std::exp2(bits - 1) - 1;
      double found = measure(group, [&](const std::vector<double> &numbers) {
        double largest = 0, sum = 0;
        for (double number : numbers)
          largest = std::max(largest, std::abs(number));
        double scale = largest / last;
        for (double number : numbers) {
          double off = std::round(number / scale) * scale - number;
          sum += off * off;
        }
        return sum;
      });
      // The root mean square of scales is larger than their mean, by 2.5% of
      // 16; the largest of a group is not off at all.
      EXPECT_NEAR(quantizationError(bits, group) / found, 1, 0.04)
          << bits << " bits, groups of " << group;
    }
}

TEST(InputErrors, RoundingToBFloatLosesWhatIsExpected) {
  double found = measure(256, [](const std::vector<double> &numbers) {
    double sum = 0;
    for (double number : numbers) {
      uint32_t bits = llvm::bit_cast<uint32_t>(float(number));
      bits = (bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000;
      double off = double(llvm::bit_cast<float>(bits)) - number;
      sum += off * off;
    }
    return sum;
  });
  EXPECT_NEAR(kBFloatError / found, 1, 0.04);
}

} // namespace
