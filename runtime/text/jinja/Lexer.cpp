// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/jinja/Lexer.h"

#include "runtime/text/Failure.h"
#include "runtime/text/Utf8.h"
#include "runtime/text/jinja/Strings.h"

#include <algorithm>
#include <unicode/uchar.h>

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
      addText(tag, tag < source.size() ? signAt(tag + 2) : 0,
              tag < source.size() && source[tag + 1] != '{');
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

  char signAt(size_t position) const {
    char c = position < source.size() ? source[position] : ' ';
    return c == '-' || c == '+' ? c : 0;
  }

  // Moves on, and counts lines.
  void moveTo(size_t position) {
    line += int(std::count(source.begin() + long(at),
                           source.begin() + long(position), '\n'));
    at = position;
  }

  // Text up to `end`, where a tag has `sign`. With lstrip_blocks the white
  // space in front of a statement or a comment goes, if its line has no more;
  // with "-" all of it.
  void addText(size_t end, char sign, bool isBlock) {
    std::string_view text = source.substr(at, end - at);
    if (sign == '-') {
      text = stripSpace(text, false, true);
    } else if (isBlock && sign != '+') {
      size_t begin = text.rfind('\n') + 1;
      bool isAlone = (begin > 0 || startsLine) &&
                     stripSpace(text.substr(begin), true, false).empty();
      if (isAlone)
        text = text.substr(0, begin);
    }
    if (!text.empty())
      add(Token::Text, std::string(text));
    moveTo(end);
  }

  // Removes white space behind a tag: all of it with "-", else one newline
  // where it `trims`.
  void endTag(size_t end, char sign, bool trims) {
    size_t begin = end;
    if (sign == '-')
      end += source.size() - end -
             stripSpace(source.substr(end), true, false).size();
    else if (trims && sign != '+' && end < source.size() && source[end] == '\n')
      ++end;
    startsLine = end > begin && source[end - 1] == '\n';
    moveTo(end);
  }

  size_t behindSpace(size_t position) const {
    return source.size() -
           stripSpace(source.substr(position), true, false).size();
  }

  // The position behind `{% NAME %}`, without its end sign and "%}"; npos for
  // another tag.
  size_t findWord(size_t tag, std::string_view word) const {
    size_t begin = tag + 2;
    begin += signAt(begin) != 0;
    begin = behindSpace(begin);
    if (source.substr(begin, word.size()) != word)
      return std::string_view::npos;
    begin = behindSpace(begin + word.size());
    size_t close = begin + (signAt(begin) != 0);
    return source.substr(close, 2) == "%}" ? begin : std::string_view::npos;
  }

  // `{% raw %}`, whose text has no tags.
  void readRaw(size_t end) {
    char sign = signAt(end);
    if (sign == '+')
      fail("'raw' ends in '+%}'");
    endTag(end + 2 + (sign != 0), sign, false);
    for (size_t tag = at;; ++tag) {
      tag = findPart(source, "{%", tag);
      if (tag == std::string_view::npos)
        fail("'endraw' is missing");
      size_t found = findWord(tag, "endraw");
      if (found == std::string_view::npos)
        continue;
      addText(tag, signAt(tag + 2), true);
      sign = signAt(found);
      return endTag(found + 2 + (sign != 0), sign, true);
    }
  }

  void readComment() {
    size_t end = findPart(source, "#}", at);
    if (end == std::string_view::npos)
      fail("a comment has no end");
    char sign = end > at ? signAt(end - 1) : 0;
    moveTo(end);
    endTag(end + 2, sign, true);
  }

  void readTag(size_t tag) {
    char kind = source[tag + 1];
    if (kind == '%')
      if (size_t raw = findWord(tag, "raw"); raw != std::string_view::npos)
        return readRaw(raw);
    at = tag + 2;
    at += signAt(at) != 0;
    if (kind == '#')
      return readComment();
    std::string close = kind == '{' ? "}}" : "%}";
    add(Token::Begin, kind == '{' ? "{{" : "{%");
    depth = 0;
    while (true) {
      moveTo(behindSpace(at));
      if (at == source.size())
        fail("'" + close + "' is missing");
      char sign = signAt(at);
      if (sign == '+' && kind == '{')
        sign = 0;
      if (depth == 0 && source.substr(at + (sign != 0), 2) == close) {
        add(Token::End, close);
        return endTag(at + 2 + (sign != 0), sign, kind == '%');
      }
      readToken(source.substr(at));
    }
  }

  void readToken(std::string_view rest) {
    if (rest[0] == '"' || rest[0] == '\'')
      return readString(rest);
    if (isdigit(static_cast<unsigned char>(rest[0])))
      return readNumber(rest);
    size_t length = 0;
    bool isName = false;
    for (size_t next = 0; next < rest.size(); length = next) {
      char32_t code = nextCharacter(rest, next);
      if (length == 0)
        isName = beginsName(code);
      if (!(length == 0 ? isName : continuesName(code)))
        break;
    }
    if (isName) {
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
      fail("the character '" + std::string(firstCharacters(rest, 1)) +
           "' has no meaning here");
    if (rest[0] == '{' || rest[0] == '(' || rest[0] == '[')
      ++depth;
    if (depth && (rest[0] == '}' || rest[0] == ')' || rest[0] == ']'))
      --depth;
    add(Token::Operator, std::string(rest.substr(0, 1)));
    ++at;
  }

  // Digits, with single underscores between them.
  static size_t digitsAt(std::string_view text, size_t begin,
                         std::string_view set, bool mayBeginWithLine = false) {
    size_t end = begin;
    while (end < text.size()) {
      bool isLine = text[end] == '_' && (end > begin || mayBeginWithLine);
      size_t next = end + isLine;
      if (next >= text.size() || set.find(text[next]) == std::string_view::npos)
        break;
      end = next + 1;
    }
    return end;
  }

  void readNumber(std::string_view rest) {
    constexpr std::string_view decimals = "0123456789";
    size_t end = digitsAt(rest, 0, decimals);
    bool isFloat = false;
    bool mayBeFloat = at == 0 || source[at - 1] != '.';
    if (mayBeFloat && rest.substr(end, 1) == ".")
      if (size_t next = digitsAt(rest, end + 1, decimals); next > end + 1) {
        isFloat = true;
        end = next;
      }
    if (mayBeFloat &&
        (rest.substr(end, 1) == "e" || rest.substr(end, 1) == "E")) {
      size_t digits = end + 1;
      digits += rest.substr(digits, 1) == "-" || rest.substr(digits, 1) == "+";
      if (size_t next = digitsAt(rest, digits, decimals); next > digits) {
        isFloat = true;
        end = next;
      }
    }
    if (!isFloat && rest[0] == '0') {
      std::string_view set = "0";
      char base = rest.size() > 1 ? char(tolower(rest[1])) : ' ';
      if (base == 'x' || base == 'o' || base == 'b')
        set = base == 'x'   ? "0123456789abcdefABCDEF"
              : base == 'o' ? "01234567"
                            : "01";
      size_t begin = set == "0" ? 0 : 2;
      end = digitsAt(rest, begin, set, begin == 2);
      end = end == begin ? 1 : end;
    }
    std::string text(rest.substr(0, end));
    text.erase(std::remove(text.begin(), text.end(), '_'), text.end());
    if (text.size() > 1000)
      fail("a number has more than 1000 digits");
    add(isFloat ? Token::Float : Token::Integer, text);
    at += end;
  }

  // Digits of a base at `i`; moves `i` to the last one.
  char32_t readCode(std::string_view rest, size_t &i, size_t least, size_t most,
                    int base) {
    std::string_view digits = rest.substr(
        i, digitsAt(rest.substr(0, std::min(rest.size(), i + most)), i,
                    base == 16 ? "0123456789abcdefABCDEF" : "01234567") -
               i);
    digits = digits.substr(0, digits.find('_'));
    if (digits.size() < least)
      fail("expected " + std::to_string(least) + " digits after '\\" +
           std::string(rest.substr(i - 1, 1)) + "'");
    i += digits.size() - 1;
    auto code = char32_t(std::stoul(std::string(digits), nullptr, base));
    if (code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
      fail("an escape of " + std::string(digits) + " is no character");
    return code;
  }

  char32_t readNamed(std::string_view rest, size_t &i) {
    size_t end = rest.find('}', i);
    std::string name(rest.substr(i + 2, end == std::string_view::npos ||
                                                rest.substr(i + 1, 1) != "{"
                                            ? 0
                                            : end - i - 2));
    UErrorCode status = U_ZERO_ERROR;
    UChar32 code = u_charFromName(U_UNICODE_CHAR_NAME, name.c_str(), &status);
    if (name.empty() || U_FAILURE(status))
      fail("the character '" + name + "' is not known");
    i = end;
    return char32_t(code);
  }

  void readString(std::string_view rest) {
    // Escapes of Python's texts that stand for one character each.
    constexpr std::string_view letters = "ntrabfv\\'\"";
    constexpr std::string_view meanings = "\n\t\r\a\b\f\v\\'\"";
    std::string text;
    size_t i = 1;
    for (; i < rest.size() && rest[i] != rest[0]; ++i) {
      if (rest[i] != '\\' || i + 1 == rest.size()) {
        text += rest[i];
        continue;
      }
      char c = rest[++i];
      if (size_t found = letters.find(c); found != std::string_view::npos)
        text += meanings[found];
      else if (c == 'x' || c == 'u' || c == 'U') {
        size_t count = c == 'x' ? 2 : c == 'u' ? 4 : 8;
        appendCharacter(text, readCode(rest, ++i, count, count, 16));
      } else if (c >= '0' && c <= '7')
        appendCharacter(text, readCode(rest, i, 1, 3, 8));
      else if (c == 'N')
        appendCharacter(text, readNamed(rest, i));
      else if (c != '\n') // others stay as they are
        text += std::string("\\") + c;
    }
    if (i == rest.size())
      fail("a string has no end");
    add(Token::String, text);
    moveTo(at + i + 1);
  }

  std::string_view source;
  const std::string &where;
  size_t at = 0;
  int line = 1;
  unsigned depth = 0;     ///< of brackets inside of a tag
  bool startsLine = true; ///< behind the last tag
  std::vector<Token> tokens;
};

} // namespace

std::vector<Token> jinja::tokensOf(std::string_view source,
                                   const std::string &where) {
  return Lexer(source, where).run();
}
