// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Prepare/InputErrors.h"

#include <cmath>

using namespace heddle;

// The largest magnitude that is expected among so many numbers with a mean of 0
// and a deviation of 1: the integral of P(it is more than x) = 1 - erf(x/√2)^n.
static double expectedLargest(int64_t count) {
  constexpr int steps = 800;
  constexpr double step = 0.01; // of x, to 8
  double sum = 0;
  for (int i = 0; i < steps; ++i) {
    double x = (i + 0.5) * step;
    sum += (1 - std::pow(std::erf(x / std::sqrt(2.0)), double(count))) * step;
  }
  return sum;
}

// The largest becomes the last integer, and what is rounded off is distributed
// evenly between two of them.
double heddle::quantizationError(unsigned bits, int64_t group) {
  double last = std::exp2(bits - 1) - 1;
  return expectedLargest(group) / last / std::sqrt(12.0);
}
