// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/Characters.h"

#include "runtime/text/UnicodeData.h"
#include "runtime/text/Utf8.h"

#include <unicode/utf8.h>

using namespace heddle::text;

/// `visit(character, result)` for each character, which appends to the result.
template <typename Visit>
static std::string rewrite(std::string_view text, const Visit &visit) {
  std::string result;
  result.reserve(text.size());
  for (size_t position = 0; position < text.size();)
    visit(nextCharacter(text, position), result);
  return result;
}

std::string heddle::text::without(bool (*isLeftOut)(char32_t),
                                  std::string_view text) {
  return rewrite(text, [&](char32_t character, std::string &result) {
    if (!isLeftOut(character))
      appendCharacter(result, character);
  });
}

static icu::UnicodeSet ofCategories(uint32_t mask, UnicodeVersion version) {
  icu::UnicodeSet set =
      charactersWhere(UCHAR_GENERAL_CATEGORY_MASK, int32_t(mask), version);
  set.freeze();
  return set;
}

std::string heddle::text::toLowerCase(std::string_view text) {
  return rewrite(text, [](char32_t character, std::string &result) {
    appendCharacter(result, toLowerCase(character));
    // The only character whose lower case is always two: i with a dot above.
    if (character == 0x130)
      appendCharacter(result, 0x307);
  });
}

bool heddle::text::isWhiteSpace(char32_t character) {
  return u_isUWhiteSpace(UChar32(character));
}

bool heddle::text::isPunctuation(char32_t character) {
  static const icu::UnicodeSet set =
      ofCategories(U_GC_P_MASK, unicodeOfCategories);
  // The signs of ASCII that Unicode calls symbols.
  constexpr std::u32string_view symbols = U"$+<=>^`|~";
  return set.contains(UChar32(character)) ||
         symbols.find(character) != std::u32string_view::npos;
}

bool heddle::text::isWordCharacter(char32_t character) {
  static const icu::UnicodeSet words = [] {
    icu::UnicodeSet set = wordCharacters(unicodeOfRegex);
    set.addAll(charactersWhere(UCHAR_JOIN_CONTROL, 1, unicodeOfRegex));
    set.freeze();
    return set;
  }();
  return words.contains(UChar32(character));
}

//===-- BERT --------------------------------------------------------------===//

bool heddle::text::isCleanedAway(char32_t character) {
  static const icu::UnicodeSet controls = ofCategories(
      U_GC_CC_MASK | U_GC_CF_MASK | U_GC_CO_MASK, unicodeOfCategories);
  if (character == '\t' || character == '\n' || character == '\r')
    return false;
  return character == 0xFFFD || controls.contains(UChar32(character));
}

std::string heddle::text::cleanText(std::string_view text) {
  return rewrite(text, [](char32_t character, std::string &result) {
    if (!isCleanedAway(character))
      appendCharacter(result, isWhiteSpace(character) ? U' ' : character);
  });
}

/// As BERT has it: not all of the blocks that Unicode has by now.
static bool isIdeograph(char32_t c) {
  return (c >= 0x4E00 && c <= 0x9FFF) || (c >= 0x3400 && c <= 0x4DBF) ||
         (c >= 0x20000 && c <= 0x2A6DF) || (c >= 0x2A700 && c <= 0x2B73F) ||
         (c >= 0x2B740 && c <= 0x2B81F) || (c >= 0x2B920 && c <= 0x2CEAF) ||
         (c >= 0xF900 && c <= 0xFAFF) || (c >= 0x2F800 && c <= 0x2FA1F);
}

std::string heddle::text::spaceIdeographs(std::string_view text) {
  return rewrite(text, [](char32_t character, std::string &result) {
    bool isOne = isIdeograph(character);
    if (isOne)
      result += ' ';
    appendCharacter(result, character);
    if (isOne)
      result += ' ';
  });
}

bool heddle::text::isNonspacingMark(char32_t character) {
  static const icu::UnicodeSet marks =
      ofCategories(U_GC_MN_MASK, unicodeOfCategories);
  return marks.contains(UChar32(character));
}

//===-- others ------------------------------------------------------------===//

bool heddle::text::isCombiningMark(char32_t character) {
  static const icu::UnicodeSet marks =
      ofCategories(U_GC_M_MASK, unicodeOfNormalForms);
  return marks.contains(UChar32(character));
}

bool heddle::text::isNmtControl(char32_t c) {
  return (c >= 0x01 && c <= 0x08) || c == 0x0B || (c >= 0x0E && c <= 0x1F) ||
         c == 0x7F || c == 0x8F || c == 0x9F;
}

static bool isNmtSpace(char32_t c) {
  return c == 0x09 || c == 0x0A || c == 0x0C || c == 0x0D || c == 0x1680 ||
         (c >= 0x200B && c <= 0x200F) || c == 0x2028 || c == 0x2029 ||
         c == 0x2581 || c == 0xFEFF || c == 0xFFFD;
}

std::string heddle::text::nmtText(std::string_view text) {
  return rewrite(text, [](char32_t character, std::string &result) {
    if (!isNmtControl(character))
      appendCharacter(result, isNmtSpace(character) ? U' ' : character);
  });
}

std::string_view heddle::text::withoutSpaceAtBegin(std::string_view text) {
  for (size_t position = 0; position < text.size();) {
    size_t begin = position;
    if (!isWhiteSpace(nextCharacter(text, position)))
      return text.substr(begin);
  }
  return {};
}

std::string_view heddle::text::withoutSpaceAtEnd(std::string_view text) {
  while (!text.empty()) {
    char32_t character = characterBefore(text, text.size());
    if (!isWhiteSpace(character))
      break;
    text.remove_suffix(U8_LENGTH(character));
  }
  return text;
}
