// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Weights/GroupMembers.h"

#include <cmath>

using namespace heddle;

#ifdef __x86_64__
#define FOR_EACH_CPU                                                           \
  __attribute__((target_clones("avx512f", "avx2", "default")))
#else
#define FOR_EACH_CPU
#endif

// Of a number below 2^51, and of NaN.
static inline double toEven(double x) {
  constexpr double integers = 0x1.8p52; // doubles from here on are integers
  return x + integers - integers;
}

FOR_EACH_CPU double heddle::findLargest(llvm::ArrayRef<double> members) {
  constexpr size_t lanes = 8;
  double most[lanes] = {};
  bool isAny[lanes] = {}; // not a number
  size_t whole = members.size() / lanes * lanes;
  for (size_t i = 0; i < whole; i += lanes)
    for (size_t lane = 0; lane < lanes; ++lane) {
      double size = std::abs(members[i + lane]);
      most[lane] = size > most[lane] ? size : most[lane];
      isAny[lane] |= size != size;
    }
  for (size_t i = whole; i < members.size(); ++i) {
    double size = std::abs(members[i]);
    most[0] = size > most[0] ? size : most[0];
    isAny[0] |= size != size;
  }
  double largest = 0;
  for (size_t lane = 0; lane < lanes; ++lane) {
    if (isAny[lane])
      return std::nan("");
    largest = std::max(largest, most[lane]);
  }
  for (double member : members)
    if (std::abs(member) == largest)
      return member;
  return 0; // of no members
}

FOR_EACH_CPU double heddle::fitScale(llvm::ArrayRef<double> members,
                                     double most, double lowest,
                                     double largest) {
  constexpr int64_t side = QuantizeOp::kCandidates, count = 2 * side + 1;
  // Whole vectors of 8, all candidates side by side.
  constexpr int64_t padded = (count + 7) / 8 * 8;
  double inverses[padded], products[padded] = {}, squares[padded] = {};
  for (int64_t i = 0; i < padded; ++i)
    inverses[i] = -(largest + 1 + double(i - side) / 10) / most;
  for (double member : members)
    for (int64_t i = 0; i < padded; ++i) {
      double quotient = member * inverses[i];
      double code = toEven(std::max(std::min(quotient, largest), lowest));
      products[i] += member * code;
      squares[i] += code * code;
    }
  double scales[padded], gains[padded];
  for (int64_t i = 0; i < padded; ++i) {
    scales[i] = products[i] / squares[i];
    gains[i] = products[i] * products[i] / squares[i];
  }
  double scale = 0, gain = 0;
  for (int64_t i = 0; i < count; ++i)
    if (gains[i] > gain) {
      gain = gains[i];
      scale = scales[i];
    }
  return scale;
}

FOR_EACH_CPU void heddle::encodeMembers(llvm::ArrayRef<double> members,
                                        double scale, double lowest,
                                        double largest,
                                        llvm::MutableArrayRef<int16_t> codes) {
  for (size_t i = 0; i < members.size(); ++i) {
    double quotient = float(members[i] / scale);
    double code = toEven(std::max(std::min(quotient, largest), lowest));
    bool isZero = scale == 0 || code != code;
    codes[i] = int16_t(isZero ? 0 : int32_t(code));
  }
}
