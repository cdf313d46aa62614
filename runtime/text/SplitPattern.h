// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Patterns that cut text, with the meaning they have in Hugging Face
// tokenizers.

#ifndef HEDDLE_TEXT_SPLITPATTERN_H
#define HEDDLE_TEXT_SPLITPATTERN_H

#include "runtime/text/Budget.h"

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <unicode/regex.h>
#include <vector>

namespace heddle::text {

/// The bytes [begin, end) of a text.
struct TextRange {
  size_t begin;
  size_t end;

  bool empty() const { return begin == end; }
  std::string_view of(std::string_view text) const {
    return text.substr(begin, end - begin);
  }
};

/// A range of a text, and whether it matches the pattern or lies between
/// matches.
struct SplitRange : TextRange {
  bool matches;
};

/// A fixed text or a regular expression. Immutable.
class SplitPattern {
public:
  /// `text` must not be empty. `where` starts each message: "tokenizer.json:
  /// pre_tokenizer: field 'pattern'".
  static SplitPattern fromText(std::string_view text, std::string where);

  /// `expression` is in the syntax of Oniguruma, which Hugging Face tokenizers
  /// are built with.
  static SplitPattern fromRegex(std::string_view expression, std::string where);

  /// Ranges that cover `text` (UTF-8) from its begin to its end, both the
  /// matches from left to right and what lies between. Nothing matches in an
  /// empty text.
  std::vector<SplitRange> split(std::string_view text, Budget &budget) const;

  /// `text` with `replacement` for each match. `grown` counts the result while
  /// it is built.
  std::string replace(std::string_view text, std::string_view replacement,
                      Budget &budget, GrowingText &grown) const;

private:
  using Visit = std::function<void(TextRange)>;

  SplitPattern() = default;
  /// Calls `visit` for each match, from left to right.
  void forEachMatch(std::string_view text, Budget &budget,
                    const Visit &visit) const;
  void forEachRegexMatch(std::string_view text, Budget &budget,
                         const Visit &visit) const;

  std::string where;

  /// The text to find, where `regex` is null.
  std::string fixedText;
  std::shared_ptr<const icu::RegexPattern> regex;
};

/// `expression` rewritten from Oniguruma's default syntax to ICU's, so that
/// both match the same text. What cannot be rewritten is an error that names
/// it.
std::string translateOniguruma(std::string_view expression,
                               const std::string &where);

} // namespace heddle::text

#endif // HEDDLE_TEXT_SPLITPATTERN_H
