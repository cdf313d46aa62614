// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/jinja/Strings.h"

#include "runtime/text/Utf8.h"
#include "runtime/text/jinja/Context.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <unicode/uchar.h>

using namespace heddle::text;
using namespace heddle::text::jinja;

//===-- characters --------------------------------------------------------===//

bool jinja::isSpace(char32_t code) {
  return u_isUWhiteSpace(UChar32(code)) || (code >= 0x1c && code <= 0x1f);
}

int jinja::decimalValue(char32_t code) {
  return u_charType(UChar32(code)) == U_DECIMAL_DIGIT_NUMBER
             ? u_charDigitValue(UChar32(code))
             : -1;
}

bool jinja::isLetter(char32_t code) {
  return U_MASK(u_charType(UChar32(code))) & U_GC_L_MASK;
}

static int numericType(char32_t code) {
  return u_getIntPropertyValue(UChar32(code), UCHAR_NUMERIC_TYPE);
}

bool jinja::isDigit(char32_t code) {
  return numericType(code) == U_NT_DECIMAL || numericType(code) == U_NT_DIGIT;
}

bool jinja::isNumeric(char32_t code) { return numericType(code) != U_NT_NONE; }

bool jinja::isWordCharacter(char32_t code) {
  return code == '_' || isLetter(code) || isNumeric(code);
}

bool jinja::isPrintable(char32_t code) {
  if (code == ' ')
    return true;
  return !(U_MASK(u_charType(UChar32(code))) & (U_GC_C_MASK | U_GC_Z_MASK));
}

bool jinja::isUpper(char32_t code) {
  return u_hasBinaryProperty(UChar32(code), UCHAR_UPPERCASE);
}
bool jinja::isLower(char32_t code) {
  return u_hasBinaryProperty(UChar32(code), UCHAR_LOWERCASE);
}
bool jinja::isTitle(char32_t code) {
  return u_charType(UChar32(code)) == U_TITLECASE_LETTER;
}

bool jinja::beginsName(char32_t code) {
  return code == '_' || u_hasBinaryProperty(UChar32(code), UCHAR_XID_START);
}
bool jinja::continuesName(char32_t code) {
  return u_hasBinaryProperty(UChar32(code), UCHAR_XID_CONTINUE);
}

//===-- texts as characters -----------------------------------------------===//

std::u32string jinja::charactersIn(std::string_view text) {
  std::u32string characters;
  characters.reserve(text.size());
  for (size_t at = 0; at < text.size();)
    characters += nextCharacter(text, at);
  return characters;
}

std::string jinja::toUtf8(std::u32string_view characters) {
  std::string text;
  for (char32_t code : characters)
    appendCharacter(text, code);
  return text;
}

// The text is UTF-8: all bytes begin a character but those that are 10xxxxxx.
static bool beginsCharacter(char byte) { return (byte & 0xc0) != 0x80; }

size_t jinja::countCharacters(std::string_view text) {
  return size_t(std::count_if(text.begin(), text.end(), beginsCharacter));
}

std::string_view jinja::firstCharacters(std::string_view text, size_t count) {
  size_t at = 0;
  for (size_t i = 0; i < count && at < text.size(); ++i)
    nextCharacter(text, at);
  return text.substr(0, at);
}

std::vector<size_t> jinja::charactersOf(std::string_view text) {
  std::vector<size_t> begins;
  begins.reserve(text.size() + 1);
  for (size_t i = 0; i < text.size(); ++i)
    if (beginsCharacter(text[i]))
      begins.push_back(i);
  begins.push_back(text.size());
  return begins;
}

void jinja::appendCodePoint(std::string &text, int64_t code) {
  if (code < 0 || code > 0x10ffff || (code >= 0xd800 && code <= 0xdfff))
    throw Refusal{"expected the number of a character, found " +
                  std::to_string(code)};
  appendCharacter(text, char32_t(code));
}

size_t jinja::findPart(std::string_view text, std::string_view part,
                       size_t begin) {
  if (begin > text.size())
    return std::string_view::npos;
  if (part.empty())
    return begin;
  std::string_view rest = text.substr(begin);
  if (rest.size() < part.size())
    return std::string_view::npos;
  const void *found =
      memmem(rest.data(), rest.size(), part.data(), part.size());
  return found ? size_t(static_cast<const char *>(found) - text.data())
               : std::string_view::npos;
}

//===-- white space -------------------------------------------------------===//

template <typename Predicate>
static std::string_view strip(std::string_view text, Predicate isStripped,
                              bool atStart, bool atEnd) {
  size_t begin = 0, end = text.size();
  for (size_t next = 0; atStart && begin < end; begin = next)
    if (!isStripped(nextCharacter(text, next)))
      break;
  while (atEnd && end > begin) {
    size_t last = end - 1;
    while (last > begin && !beginsCharacter(text[last]))
      --last;
    size_t next = last;
    if (!isStripped(nextCharacter(text, next)))
      break;
    end = last;
  }
  return text.substr(begin, end - begin);
}

std::string_view jinja::stripSpace(std::string_view text, bool atStart,
                                   bool atEnd) {
  return strip(text, isSpace, atStart, atEnd);
}

std::string_view jinja::stripSet(std::string_view text, std::string_view set,
                                 bool atStart, bool atEnd) {
  std::u32string characters = charactersIn(set);
  std::sort(characters.begin(), characters.end());
  return strip(
      text,
      [&](char32_t code) {
        return std::binary_search(characters.begin(), characters.end(), code);
      },
      atStart, atEnd);
}

static bool endsLine(char32_t code) {
  return (code >= '\n' && code <= '\r') || (code >= 0x1c && code <= 0x1e) ||
         code == 0x85 || code == 0x2028 || code == 0x2029;
}

std::vector<std::string_view> jinja::linesOf(std::string_view text,
                                             bool keepsEnds) {
  std::vector<std::string_view> lines;
  size_t begin = 0;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    char32_t code = nextCharacter(text, at);
    if (!endsLine(code))
      continue;
    if (code == '\r' && at < text.size() && text[at] == '\n')
      ++at;
    lines.push_back(text.substr(begin, (keepsEnds ? at : end) - begin));
    if (lines.size() > kMostElements)
      throw Refusal{"a text has more than " + std::to_string(kMostElements) +
                    " lines"};
    begin = at;
  }
  if (begin < text.size())
    lines.push_back(text.substr(begin));
  return lines;
}

std::vector<std::string_view> jinja::wordsOf(std::string_view text) {
  std::vector<std::string_view> words;
  size_t begin = 0;
  for (size_t at = 0; at < text.size();) {
    size_t end = at;
    if (!isSpace(nextCharacter(text, at)))
      continue;
    if (end > begin)
      words.push_back(text.substr(begin, end - begin));
    begin = at;
  }
  if (begin < text.size())
    words.push_back(text.substr(begin));
  return words;
}

//===-- quotes ------------------------------------------------------------===//

std::string jinja::escapeHtml(std::string_view text) {
  std::string result;
  for (char c : text)
    switch (c) {
    case '&':
      result += "&amp;";
      break;
    case '<':
      result += "&lt;";
      break;
    case '>':
      result += "&gt;";
      break;
    case '\'':
      result += "&#39;";
      break;
    case '"':
      result += "&#34;";
      break;
    default:
      result += c;
    }
  return result;
}

static std::string hexadecimal(char32_t code, size_t digits) {
  std::string text(digits, '0');
  for (size_t i = digits; i-- > 0; code /= 16)
    text[i] = "0123456789abcdef"[code % 16];
  return text;
}

std::string jinja::quoted(std::string_view text) {
  bool hasSingle = text.find('\'') != std::string_view::npos;
  bool hasDouble = text.find('"') != std::string_view::npos;
  char quote = hasSingle && !hasDouble ? '"' : '\'';
  std::string result(1, quote);
  for (size_t at = 0; at < text.size();) {
    char32_t code = nextCharacter(text, at);
    if (code == char32_t(quote) || code == '\\')
      result += std::string("\\") + char(code);
    else if (code == '\n')
      result += "\\n";
    else if (code == '\r')
      result += "\\r";
    else if (code == '\t')
      result += "\\t";
    else if (isPrintable(code))
      appendCharacter(result, code);
    else if (code < 0x100)
      result += "\\x" + hexadecimal(code, 2);
    else if (code < 0x10000)
      result += "\\u" + hexadecimal(code, 4);
    else
      result += "\\U" + hexadecimal(code, 8);
  }
  return result + quote;
}
