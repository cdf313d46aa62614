// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The first step of reading a template.

#ifndef HEDDLE_TEXT_JINJA_LEXER_H
#define HEDDLE_TEXT_JINJA_LEXER_H

#include <string>
#include <string_view>
#include <vector>

namespace heddle::text::jinja {

struct Token {
  enum Kind {
    Text, ///< outside of tags
    Begin,
    End, ///< of a tag; the text is "{{" or "{%"
    Name,
    String,
    Integer,
    Float,
    Operator,
    Finished
  };
  Kind kind;
  std::string text;
  int line;
};

/// The tokens of a template, the last of which is Finished; `where` starts each
/// message. White space around tags is what trim_blocks, lstrip_blocks and the
/// tags' own signs leave of it.
std::vector<Token> tokensOf(std::string_view source, const std::string &where);

} // namespace heddle::text::jinja

#endif // HEDDLE_TEXT_JINJA_LEXER_H
