// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The tokens of a model and their ids.

#ifndef HEDDLE_TEXT_VOCABULARY_H
#define HEDDLE_TEXT_VOCABULARY_H

#include "runtime/text/Json.h"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace heddle::text {

/// Ids from here on are taken for damage: tables are as large as the largest
/// id.
inline constexpr int32_t tokenIdLimit = 1 << 24;

/// Tokens by id and ids by token.
class Vocabulary {
public:
  /// Reads the field "vocab" of `model`, an object with an id for each token.
  /// `where` starts each message.
  static Vocabulary fromJson(const Json &model, const std::string &where);

  Vocabulary() = default;
  // Tables point into others.
  Vocabulary(const Vocabulary &) = delete;
  Vocabulary(Vocabulary &&) = default;
  Vocabulary &operator=(Vocabulary &&) = default;

  /// `id` must be free and below tokenIdLimit. Of a token that is there twice,
  /// the last id counts.
  void add(std::string token, int32_t id);

  std::optional<int32_t> idOf(std::string_view token) const;
  /// The token with the id; null if there is none.
  const std::string *tokenOf(int32_t id) const;
  /// The ids of <0x00> to <0xFF>; -1 for a byte without a token.
  std::vector<int32_t> byteTokens() const;

  /// How many tokens there are; ids may leave gaps.
  int32_t size() const { return texts.size(); }
  /// One more than the largest id.
  int32_t idEnd() const { return tokens.size(); }

private:
  /// The tokens, which do not move.
  std::deque<std::string> texts;
  std::unordered_map<std::string_view, int32_t> ids;
  /// By id; null for an id that no token has.
  std::vector<const std::string *> tokens;
};

} // namespace heddle::text

#endif // HEDDLE_TEXT_VOCABULARY_H
