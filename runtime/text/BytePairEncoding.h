// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Byte pair encoding: merges neighbouring tokens.

#ifndef HEDDLE_TEXT_BYTEPAIRENCODING_H
#define HEDDLE_TEXT_BYTEPAIRENCODING_H

#include "runtime/text/TokenModel.h"

namespace heddle::text {

/// A model of type "BPE".
class BytePairEncoding : public TokenModel {
public:
  /// `where` starts each message.
  BytePairEncoding(const Json &model, const std::string &where);

  /// In time O(n log n).
  void encode(std::string_view piece, std::vector<int32_t> &ids,
              Budget &budget) const override;

private:
  struct Merge {
    /// Lower ranks merge first.
    int32_t rank;
    /// What the pair becomes.
    int32_t id;
  };

  void readMerges(const Json &model, const std::string &where);
  const Merge *mergeOf(int32_t left, int32_t right) const;
  void split(std::string_view piece, std::vector<int32_t> &symbols) const;
  void merge(std::vector<int32_t> &symbols) const;

  /// By the left id (upper half) and the right one.
  std::unordered_map<uint64_t, Merge> merges;

  /// Begins each token but a piece's first one.
  std::string continuingPrefix;
  /// Ends a piece's last token.
  std::string endSuffix;
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
