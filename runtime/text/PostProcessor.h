// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The last step of tokenization: puts special ids around the ids of a text, or
// of two.

#ifndef HEDDLE_TEXT_POSTPROCESSOR_H
#define HEDDLE_TEXT_POSTPROCESSOR_H

#include "runtime/text/Budget.h"
#include "runtime/text/Json.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle::text {

/// The ids of texts, and for each the text it belongs to, as models with token
/// types know it: 0 or 1 in general.
struct Encoding {
  std::vector<int32_t> ids;
  std::vector<int32_t> typeIds;
};

/// Special ids around one text A, or around A and B:
///   prefix A suffix        prefix A middle B suffix
/// B has the type `secondType`, as what is behind it; all else has 0.
struct Frame {
  std::vector<int32_t> prefix, middle, suffix;
  int32_t secondType = 0;
};

/// What is around texts. Immutable.
class PostProcessor {
public:
  /// Nothing around texts.
  PostProcessor();

  /// `start` before each text and `end` behind it, where there are such.
  PostProcessor(std::optional<int32_t> start, std::optional<int32_t> end);

  explicit PostProcessor(const Frame &frame);

  /// The "post_processor" of a tokenizer.json, null for none, whose ids must be
  /// at most `highestId`. `where` starts each message.
  static PostProcessor fromJson(const Json *value, const std::string &where,
                                int32_t highestId);

  /// How many special ids are added to one text, or to two.
  size_t added(bool isPair) const;

  /// `second` is null for a text alone.
  Encoding apply(const std::vector<int32_t> &first,
                 const std::vector<int32_t> *second, bool addSpecial,
                 const Budget &budget) const;

private:
  class Reader;

  struct Part {
    enum Kind { First, Second, Special } kind;
    int32_t typeId;
    /// Special ones.
    std::vector<int32_t> ids;
  };
  using Parts = std::vector<Part>;

  /// Starts each message.
  std::string where;
  Parts single;
  Parts pair;
};

} // namespace heddle::text

#endif // HEDDLE_TEXT_POSTPROCESSOR_H
