// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Unigram: the likeliest tokens that make up a piece of text.

#ifndef HEDDLE_TEXT_UNIGRAM_H
#define HEDDLE_TEXT_UNIGRAM_H

#include "runtime/text/TokenModel.h"
#include "runtime/text/Trie.h"

namespace heddle::text {

/// A model of type "Unigram", such as T5's and XLM-RoBERTa's.
class Unigram : public TokenModel {
public:
  /// `where` starts each message.
  Unigram(const Json &model, const std::string &where);

  /// Characters without a token that follow each other are one unknown token,
  /// or the tokens of their bytes where the model has these.
  void encode(std::string_view piece, std::vector<int32_t> &ids,
              Budget &budget) const override;

private:
  /// The end of the best path to a place.
  struct Step {
    double score = 0;
    /// Where the path's last token begins; the place itself where no path
    /// leads to it.
    size_t begin;
    int32_t id = -1;
  };

  std::vector<Step> bestPaths(std::string_view piece, Budget &budget) const;
  void append(std::string_view token, std::vector<int32_t> &ids) const;

  std::string where;
  Trie tokens;
  /// The logarithm of each token's probability, by id.
  std::vector<double> scores;
  double unknownScore;
  std::optional<int32_t> unknownId;
  /// As Vocabulary has them; empty without byte fallback.
  std::vector<int32_t> byteTokens;
};

} // namespace heddle::text

#endif // HEDDLE_TEXT_UNIGRAM_H
