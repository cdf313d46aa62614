// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/jinja/Lexer.h"

#include "runtime/text/Failure.h"
#include "runtime/text/Utf8.h"

#include <algorithm>

using namespace heddle::text;
using namespace heddle::text::jinja;

namespace {

class Lexer {
public:
  // One newline at the end of a template is none of its text.
  Lexer(std::string_view source, const std::string &where)
      : source(source.substr(
            0, source.size() - (!source.empty() && source.back() == '\n'))),
        where(where) {}

  std::vector<Token> run() {
    while (at < source.size()) {
      size_t tag = findTag();
      addText(source.substr(at, tag - at), tag);
      if (tag == source.size())
        break;
      readTag(tag);
    }
    add(Token::Finished, "");
    return std::move(tokens);
  }

private:
  void add(Token::Kind kind, std::string text) {
    tokens.push_back({kind, std::move(text), line});
  }

  [[noreturn]] void fail(const std::string &message) const {
    throw Failure(where + ": line " + std::to_string(line) + ": " + message);
  }

  size_t findTag() const {
    for (size_t i = at; i + 1 < source.size(); ++i)
      if (source[i] == '{' && (source[i + 1] == '{' || source[i + 1] == '%' ||
                               source[i + 1] == '#'))
        return i;
    return source.size();
  }

  // Text up to the tag at `tag`: with lstrip_blocks what is in front of a
  // statement or a comment on its line goes, if it is white, and with "{%-" all
  // white space.
  void addText(std::string_view text, size_t tag) {
    std::string kept(text);
    if (removesSpace)
      kept.erase(0, std::min(kept.find_first_not_of(" \t\r\n"), kept.size()));
    else if (removesNewline && !kept.empty()) {
      // trim_blocks: the first newline behind a statement or a comment.
      kept.erase(0, kept.rfind("\r\n", 0) == 0 ? 2 : kept[0] == '\n');
    }
    removesSpace = removesNewline = false;
    if (tag < source.size()) {
      char kind = source[tag + 1];
      char sign = tag + 2 < source.size() ? source[tag + 2] : ' ';
      size_t end = kept.find_last_not_of(" \t\r\n") + 1;
      size_t lineEnd = kept.find_last_not_of(" \t") + 1;
      if (sign == '-')
        kept.erase(end);
      else if (kind != '{' && sign != '+' &&
               (lineEnd ? kept[lineEnd - 1] == '\n'
                        : isLineStart(at + text.size() - kept.size())))
        kept.erase(lineEnd);
    }
    if (!kept.empty())
      add(Token::Text, kept);
    line += int(std::count(text.begin(), text.end(), '\n'));
  }

  bool isLineStart(size_t position) const {
    return position == 0 || source[position - 1] == '\n';
  }

  void readTag(size_t tag) {
    char kind = source[tag + 1];
    at = tag + 2;
    if (at < source.size() && (source[at] == '-' || source[at] == '+'))
      ++at;
    if (kind == '#') {
      size_t end = source.find("#}", at);
      if (end == std::string_view::npos)
        fail("a comment has no end");
      removesSpace = end > at && source[end - 1] == '-';
      removesNewline = true;
      line += int(std::count(source.begin() + at, source.begin() + end, '\n'));
      at = end + 2;
      return;
    }
    std::string close = kind == '{' ? "}}" : "%}";
    add(Token::Begin, kind == '{' ? "{{" : "{%");
    while (true) {
      skipSpace();
      std::string_view rest = source.substr(at);
      if (rest.empty())
        fail("'" + close + "' is missing");
      size_t sign = (rest[0] == '-' || rest[0] == '+') ? 1 : 0;
      if (depth == 0 && rest.substr(sign, 2) == close) {
        removesSpace = sign && rest[0] == '-';
        removesNewline = kind == '%' && !sign;
        at += sign + 2;
        add(Token::End, close);
        return;
      }
      readToken(rest);
    }
  }

  void skipSpace() {
    while (at < source.size() && std::string_view(" \t\r\n").find(source[at]) !=
                                     std::string_view::npos)
      line += source[at++] == '\n';
  }

  static bool isWord(char c) {
    return isalnum(static_cast<unsigned char>(c)) || c == '_';
  }

  void readToken(std::string_view rest) {
    if (rest[0] == '"' || rest[0] == '\'')
      return readString(rest);
    size_t length = 0;
    while (length < rest.size() && isWord(rest[length]))
      ++length;
    if (length && isdigit(static_cast<unsigned char>(rest[0])))
      return readNumber(rest, length);
    if (length) {
      add(Token::Name, std::string(rest.substr(0, length)));
      at += length;
      return;
    }
    for (std::string_view two : {"==", "!=", "<=", ">=", "//", "**"})
      if (rest.substr(0, 2) == two) {
        add(Token::Operator, std::string(two));
        at += 2;
        return;
      }
    if (std::string_view("+-*/%~<>=()[]{}.,:|").find(rest[0]) ==
        std::string_view::npos)
      fail("the character '" + std::string(rest.substr(0, 1)) +
           "' has no meaning here");
    if (rest[0] == '{' || rest[0] == '(' || rest[0] == '[')
      ++depth;
    if (depth && (rest[0] == '}' || rest[0] == ')' || rest[0] == ']'))
      --depth;
    add(Token::Operator, std::string(rest.substr(0, 1)));
    ++at;
  }

  void readNumber(std::string_view rest, size_t length) {
    bool isFloat = false;
    if (length + 1 < rest.size() && rest[length] == '.' &&
        isdigit(static_cast<unsigned char>(rest[length + 1]))) {
      isFloat = true;
      ++length;
      while (length < rest.size() && isWord(rest[length]))
        ++length;
    }
    std::string text(rest.substr(0, length));
    if (text.find_first_not_of("0123456789.") != std::string::npos ||
        text.size() > 18)
      fail("the number '" + text + "' is not supported");
    add(isFloat ? Token::Float : Token::Integer, text);
    at += length;
  }

  void readString(std::string_view rest) {
    std::string text;
    size_t i = 1;
    for (; i < rest.size() && rest[i] != rest[0]; ++i) {
      if (rest[i] != '\\' || i + 1 == rest.size()) {
        text += rest[i];
        continue;
      }
      char c = rest[++i];
      switch (c) {
      case 'n':
        text += '\n';
        break;
      case 't':
        text += '\t';
        break;
      case 'r':
        text += '\r';
        break;
      case '\\':
      case '\'':
      case '"':
        text += c;
        break;
      case 'u': {
        std::string digits(rest.substr(i + 1, 4));
        if (digits.size() != 4 ||
            digits.find_first_not_of("0123456789abcdefABCDEF") !=
                std::string::npos)
          fail("expected four digits after \\u");
        auto code = char32_t(std::stoul(digits, nullptr, 16));
        if (code >= 0xd800 && code <= 0xdfff)
          fail("\\u" + digits + " is half of a character");
        appendCharacter(text, code);
        i += 4;
        break;
      }
      default:
        fail(std::string("the escape '\\") + c + "' is not supported");
      }
    }
    if (i == rest.size())
      fail("a string has no end");
    add(Token::String, text);
    line += int(std::count(rest.begin(), rest.begin() + i, '\n'));
    at += i + 1;
  }

  std::string_view source;
  const std::string &where;
  size_t at = 0;
  int line = 1;
  unsigned depth = 0;          ///< of brackets inside of a tag
  bool removesSpace = false;   ///< behind the last tag
  bool removesNewline = false; ///< the same, one
  std::vector<Token> tokens;
};

} // namespace

std::vector<Token> jinja::tokensOf(std::string_view source,
                                   const std::string &where) {
  return Lexer(source, where).run();
}
