// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Byte pair encoding: turns one piece of text into ids by merging neighbours.

#ifndef HEDDLE_TEXT_BYTEPAIRENCODING_H
#define HEDDLE_TEXT_BYTEPAIRENCODING_H

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

/// The "model" of a tokenizer.json, of type "BPE". Immutable.
class BytePairEncoding {
public:
  /// `where` starts each message.
  static BytePairEncoding fromJson(const Json &model, const std::string &where);

  BytePairEncoding() = default;
  // Tables point into others.
  BytePairEncoding(const BytePairEncoding &) = delete;
  BytePairEncoding(BytePairEncoding &&) = default;
  BytePairEncoding &operator=(BytePairEncoding &&) = default;

  /// Appends the ids of `piece` (UTF-8). In time O(n log n).
  void encode(std::string_view piece, std::vector<int32_t> &ids) const;

  std::optional<int32_t> idOf(std::string_view token) const;
  /// The token with the id; null if there is none.
  const std::string *tokenOf(int32_t id) const;
  /// How many tokens there are; ids may leave gaps.
  int32_t size() const { return ids.size(); }
  /// One more than the largest id.
  int32_t idEnd() const { return tokens.size(); }

private:
  struct Merge {
    /// Lower ranks merge first.
    int32_t rank;
    /// What the pair becomes.
    int32_t id;
  };

  void readVocabulary(const Json &model, const std::string &where);
  void readMerges(const Json &model, const std::string &where);
  const Merge *mergeOf(int32_t left, int32_t right) const;
  void split(std::string_view piece, std::vector<int32_t> &symbols) const;
  void merge(std::vector<int32_t> &symbols) const;

  /// The tokens, which do not move.
  std::deque<std::string> texts;
  std::unordered_map<std::string_view, int32_t> ids;
  /// By id; null for an id that no token has.
  std::vector<const std::string *> tokens;
  /// By the left id (upper half) and the right one.
  std::unordered_map<uint64_t, Merge> merges;

  /// For characters that are not in the vocabulary.
  std::optional<std::string> unknownToken;
  /// Whether adjacent unknown characters make one unknown token.
  bool fuseUnknown = false;
  /// The ids of <0x00> to <0xFF>, for the bytes of unknown characters; empty
  /// where the model does not ask for that, -1 for a byte without a token.
  std::vector<int32_t> byteTokens;
  /// Whether a piece that is a token is not taken apart.
  bool ignoreMerges = false;
};

} // namespace heddle::text

#endif // HEDDLE_TEXT_BYTEPAIRENCODING_H
