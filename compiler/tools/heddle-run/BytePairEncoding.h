// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Byte pair encoding: turns one piece of text into ids by merging neighbours.

#ifndef HEDDLE_TOOLS_BYTEPAIRENCODING_H
#define HEDDLE_TOOLS_BYTEPAIRENCODING_H

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heddle {

/// Ids from here on are taken for damage: tables are as large as the largest
/// id.
inline constexpr int32_t tokenIdLimit = 1 << 24;

/// The "model" of a tokenizer.json, of type "BPE". Immutable.
class BytePairEncoding {
public:
  /// `where` starts each message.
  static llvm::Expected<BytePairEncoding>
  fromJson(const llvm::json::Object &model, const std::string &where);

  /// Appends the ids of `piece` (UTF-8). In time O(n log n).
  llvm::Error encode(llvm::StringRef piece, std::vector<int32_t> &ids) const;

  std::optional<int32_t> idOf(llvm::StringRef token) const;
  /// The token with the id, if there is one.
  std::optional<llvm::StringRef> tokenOf(int32_t id) const;
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

  llvm::Error readVocabulary(const llvm::json::Object &model,
                             const std::string &where);
  llvm::Error readMerges(const llvm::json::Object &model,
                         const std::string &where);
  llvm::Error split(llvm::StringRef piece, std::vector<int32_t> &symbols) const;
  void merge(std::vector<int32_t> &symbols) const;

  llvm::StringMap<int32_t> ids;
  /// The entries of `ids` by id; null for an id that no token has.
  std::vector<const llvm::StringMapEntry<int32_t> *> tokens;
  llvm::DenseMap<std::pair<int32_t, int32_t>, Merge> merges;

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

} // namespace heddle

#endif // HEDDLE_TOOLS_BYTEPAIRENCODING_H
