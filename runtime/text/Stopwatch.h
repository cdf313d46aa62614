// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_TEXT_STOPWATCH_H
#define HEDDLE_TEXT_STOPWATCH_H

#include <chrono>

namespace heddle::text {

/// Adds the seconds of its life to a sum.
class Stopwatch {
public:
  explicit Stopwatch(double &sum) : sum(sum) {}
  ~Stopwatch() {
    sum += std::chrono::duration<double>(Clock::now() - begin).count();
  }

private:
  using Clock = std::chrono::steady_clock;
  double &sum;
  Clock::time_point begin = Clock::now();
};

} // namespace heddle::text

#endif // HEDDLE_TEXT_STOPWATCH_H
