// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Texts that are too long for a model.

#ifndef HEDDLE_TEXT_TRUNCATION_H
#define HEDDLE_TEXT_TRUNCATION_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace heddle::text {

enum class TruncationStrategy {
  /// The longer text, until both are as long.
  LongestFirst,
  OnlyFirst,
  OnlySecond
};

/// How ids are cut to a maximum length, as Hugging Face tokenizers cut them.
struct Truncation {
  /// With the special tokens; none for any length.
  int64_t maximumLength = 0;
  TruncationStrategy strategy = TruncationStrategy::LongestFirst;
};

/// Cuts the ids of texts, of which `second` is null for a text alone, so that
/// with `added` ids around them they are not too many. `atBegin` cuts where
/// texts begin rather than where they end.
void truncate(const Truncation &truncation, bool atBegin, size_t added,
              std::vector<int32_t> &first, std::vector<int32_t> *second);

} // namespace heddle::text

#endif // HEDDLE_TEXT_TRUNCATION_H
