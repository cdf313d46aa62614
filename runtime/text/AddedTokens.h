// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The tokens of a tokenizer.json that are found in a text before anything else,
// such as <|im_start|>.

#ifndef HEDDLE_TEXT_ADDEDTOKENS_H
#define HEDDLE_TEXT_ADDEDTOKENS_H

#include "runtime/text/SplitPattern.h"
#include "runtime/text/TextNormalizer.h"
#include "runtime/text/Trie.h"
#include "runtime/text/Vocabulary.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::text {

/// One element of "added_tokens".
struct AddedToken {
  /// The decoded text. Also the text to find, unless `normalized` is set.
  std::string content;
  /// Only found where no word character is next to it.
  bool singleWord = false;
  /// Takes the white space on its left (right) with it.
  bool lstrip = false;
  bool rstrip = false;
  /// Found in the normalized text, by its normalized content.
  bool normalized = false;
  /// Left out when decoding.
  bool special = false;
};

/// The "added_tokens" of a tokenizer.json. Immutable.
class AddedTokens {
public:
  /// `value` is the field's value, null for none; `where` starts each message.
  static AddedTokens fromJson(const Json *value, const std::string &where,
                              const Vocabulary &vocabulary,
                              const TextNormalizer &normalizer);

  /// A range of a text, and the id of the added token there (-1 for none).
  struct Part : TextRange {
    int32_t id;
  };

  /// `text` cut where the longest added tokens are, from left to right.
  /// `normalized` says whether the normalizer has seen it, and so which of the
  /// added tokens to look for.
  std::vector<Part> split(std::string_view text, bool normalized,
                          Budget &budget) const;

  /// Null if no added token has the id.
  const AddedToken *find(int32_t id) const;
  /// The id of the added token with this content.
  std::optional<int32_t> idOf(std::string_view content) const;

  /// One more than the largest id.
  int32_t idEnd() const {
    return tokens.empty() ? 0 : tokens.rbegin()->first + 1;
  }

private:
  /// Starts each message.
  std::string where;
  std::map<int32_t, AddedToken> tokens;
  Trie asGiven;
  Trie asNormalized;
};

} // namespace heddle::text

#endif // HEDDLE_TEXT_ADDEDTOKENS_H
