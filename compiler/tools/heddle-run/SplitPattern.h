// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Patterns that cut text, with the meaning they have in Hugging Face
// tokenizers.

#ifndef HEDDLE_TOOLS_SPLITPATTERN_H
#define HEDDLE_TOOLS_SPLITPATTERN_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <unicode/regex.h>
#include <vector>

namespace heddle {

/// The bytes [begin, end) of a text.
struct TextRange {
  size_t begin;
  size_t end;

  bool empty() const { return begin == end; }
  llvm::StringRef of(llvm::StringRef text) const {
    return text.slice(begin, end);
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
  /// `text` must not be empty.
  static SplitPattern fromText(llvm::StringRef text);

  /// `expression` is in the syntax of Oniguruma, which Hugging Face tokenizers
  /// are built with.
  static llvm::Expected<SplitPattern> fromRegex(llvm::StringRef expression);

  /// Ranges that cover `text` (UTF-8) from its begin to its end, both the
  /// matches from left to right and what lies between. Nothing matches in an
  /// empty text.
  llvm::Expected<std::vector<SplitRange>> split(llvm::StringRef text) const;

  /// `text` with `replacement` for each match.
  llvm::Expected<std::string> replace(llvm::StringRef text,
                                      llvm::StringRef replacement) const;

private:
  SplitPattern() = default;
  llvm::Expected<std::vector<TextRange>> find(llvm::StringRef text) const;

  /// The text to find, where `regex` is null.
  std::string fixedText;
  std::shared_ptr<const icu::RegexPattern> regex;
};

/// `expression` rewritten from Oniguruma's default syntax to ICU's, so that
/// both match the same text. What cannot be rewritten is an error that names
/// it.
llvm::Expected<std::string> translateOniguruma(llvm::StringRef expression);

} // namespace heddle

#endif // HEDDLE_TOOLS_SPLITPATTERN_H
