// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/Budget.h"

#include "runtime/text/Failure.h"

#include <algorithm>

using namespace heddle::text;

// The patterns of GPT-2 and Llama 3 need up to 6.5 steps for a byte of text.
static constexpr int64_t stepsPerByte = 200;
// For short texts, which a pattern may cost most on; about 50 ms.
static constexpr int64_t fixedSteps = 5'000'000;

// Unicode's normal forms make a text at most 11 times as long, and the byte
// alphabet and marks for spaces at most 3 times.
static constexpr size_t longestGrowth = 64;
static constexpr size_t fixedBytes = 1 << 20;

Budget::Budget(size_t textBytes)
    : textBytes(textBytes),
      // ICU counts with 32 bits.
      longest(
          std::min<size_t>(longestGrowth * textBytes + fixedBytes, INT32_MAX)),
      left(fixedSteps + stepsPerByte * int64_t(textBytes)) {}

void Budget::spend(int64_t steps, const std::string &where) {
  if (!trySpend(steps))
    throw Failure(where + ": takes too long on this text");
}

void Budget::checkSize(size_t size, const std::string &where,
                       const char *unit) const {
  if (size > longest)
    throw Failure(where + ": the text would have more than " +
                  std::to_string(longest) + " " + unit +
                  ", the limit for a text of " + std::to_string(textBytes) +
                  " bytes");
}

void GrowingText::add(size_t bytes) {
  // Copying 64 bytes takes about as long as a step.
  budget.spend(1 + bytes / 64, where);
  size += bytes;
  budget.checkSize(size, where);
}
