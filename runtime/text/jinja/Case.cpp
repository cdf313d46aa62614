// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Changes of case, of whole texts: one character may become several.

#include "runtime/text/Utf8.h"
#include "runtime/text/jinja/Strings.h"

#include <unicode/bytestream.h>
#include <unicode/casemap.h>
#include <unicode/stringpiece.h>
#include <unicode/uchar.h>
#include <unicode/unistr.h>

using namespace heddle::text;
using namespace heddle::text::jinja;

static icu::StringPiece pieceOf(std::string_view text) {
  return {text.data(), int32_t(text.size())};
}

std::string jinja::upperOf(std::string_view text) {
  std::string result;
  icu::StringByteSink<std::string> sink(&result);
  UErrorCode status = U_ZERO_ERROR;
  icu::CaseMap::utf8ToUpper("", 0, pieceOf(text), sink, nullptr, status);
  return result;
}

std::string jinja::lowerOf(std::string_view text) {
  std::string result;
  icu::StringByteSink<std::string> sink(&result);
  UErrorCode status = U_ZERO_ERROR;
  icu::CaseMap::utf8ToLower("", 0, pieceOf(text), sink, nullptr, status);
  return result;
}

std::string jinja::foldOf(std::string_view text) {
  std::string result;
  icu::StringByteSink<std::string> sink(&result);
  UErrorCode status = U_ZERO_ERROR;
  icu::CaseMap::utf8Fold(0, pieceOf(text), sink, nullptr, status);
  return result;
}

/// One character as a title begins with it, which may be several.
static std::string titleOf(std::string_view character) {
  std::string result;
  icu::StringByteSink<std::string> sink(&result);
  UErrorCode status = U_ZERO_ERROR;
  icu::CaseMap::utf8ToTitle(
      "", U_TITLECASE_WHOLE_STRING | U_TITLECASE_NO_BREAK_ADJUSTMENT, nullptr,
      pieceOf(character), sink, nullptr, status);
  return result;
}

std::string jinja::capitalized(std::string_view text) {
  if (text.empty())
    return "";
  size_t at = 0;
  nextCharacter(text, at);
  return titleOf(text.substr(0, at)) + lowerOf(text.substr(at));
}

static bool isCased(char32_t code) {
  return isUpper(code) || isLower(code) || isTitle(code);
}

std::string jinja::titled(std::string_view text) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    size_t begin = at;
    if (!isCased(nextCharacter(text, at))) {
      result += text.substr(begin, at - begin);
      continue;
    }
    // The rest of a word at once, so that a final sigma is known.
    size_t rest = at, end = at;
    while (at < text.size() && isCased(nextCharacter(text, at)))
      end = at;
    at = end;
    result += titleOf(text.substr(begin, rest - begin)) +
              lowerOf(text.substr(rest, end - rest));
  }
  return result;
}

std::string jinja::caseSwapped(std::string_view text) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    size_t begin = at;
    char32_t code = nextCharacter(text, at);
    std::string_view one = text.substr(begin, at - begin);
    result += isUpper(code)   ? lowerOf(one)
              : isLower(code) ? upperOf(one)
                              : std::string(one);
  }
  return result;
}
