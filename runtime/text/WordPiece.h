// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// WordPiece: the longest tokens that a word begins with, one after the other.

#ifndef HEDDLE_TEXT_WORDPIECE_H
#define HEDDLE_TEXT_WORDPIECE_H

#include "runtime/text/TokenModel.h"
#include "runtime/text/Trie.h"

namespace heddle::text {

/// A model of type "WordPiece", such as BERT's.
class WordPiece : public TokenModel {
public:
  /// `where` starts each message.
  WordPiece(const Json &model, const std::string &where);

  /// A word that tokens do not cover, or that is too long, is one unknown
  /// token.
  void encode(std::string_view word, std::vector<int32_t> &ids,
              Budget &budget) const override;

private:
  /// Appends the ids; false where tokens do not cover the word.
  bool cover(std::string_view word, std::vector<int32_t> &ids,
             Budget &budget) const;

  std::string where;
  Trie tokens;
  /// Behind the prefix that tokens inside of a word begin with ("##");
  /// Trie::none where no token does.
  Trie::Node inside = Trie::root;
  std::string unknownToken;
  /// In characters.
  size_t longestWord;
};

} // namespace heddle::text

#endif // HEDDLE_TEXT_WORDPIECE_H
