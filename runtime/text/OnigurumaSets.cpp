// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/OnigurumaSets.h"

#include "runtime/text/UnicodeData.h"

#include <charconv>
#include <unicode/usetiter.h>

using namespace heddle::text;

using Set = icu::UnicodeSet;

//===-- names -------------------------------------------------------------===//

static Set categories(uint32_t mask) {
  return charactersWhere(UCHAR_GENERAL_CATEGORY_MASK, int32_t(mask),
                         unicodeOfOniguruma);
}

static Set binary(UProperty property) {
  return charactersWhere(property, 1, unicodeOfOniguruma);
}

static Set without(Set set, const Set &others) {
  set.removeAll(others);
  return set;
}

static Set together(Set set, const Set &others) {
  set.addAll(others);
  return set;
}

/// Names are compared as Oniguruma does: without case, spaces, - and _.
static std::string simplified(const std::string &name) {
  std::string result;
  for (char letter : name)
    if (letter != ' ' && letter != '-' && letter != '_')
      result +=
          letter >= 'A' && letter <= 'Z' ? char(letter - 'A' + 'a') : letter;
  return result;
}

std::optional<Set> heddle::text::onigurumaBracket(const std::string &name) {
  if (name == "alnum")
    return together(binary(UCHAR_ALPHABETIC), categories(U_GC_ND_MASK));
  if (name == "alpha")
    return binary(UCHAR_ALPHABETIC);
  if (name == "ascii")
    return Set(0, 0x7F);
  if (name == "blank")
    return together(categories(U_GC_ZS_MASK), Set('\t', '\t'));
  if (name == "cntrl")
    return categories(U_GC_CC_MASK);
  if (name == "digit")
    return categories(U_GC_ND_MASK);
  // All characters but white space and what stands for none.
  constexpr uint32_t invisible = U_GC_CC_MASK | U_GC_CN_MASK | U_GC_CS_MASK;
  if (name == "graph")
    return without(categories(~invisible), binary(UCHAR_WHITE_SPACE));
  if (name == "lower")
    return binary(UCHAR_LOWERCASE);
  if (name == "print")
    return together(without(categories(~invisible), binary(UCHAR_WHITE_SPACE)),
                    categories(U_GC_ZS_MASK));
  if (name == "punct")
    return categories(U_GC_P_MASK | U_GC_S_MASK);
  if (name == "space")
    return binary(UCHAR_WHITE_SPACE);
  if (name == "upper")
    return binary(UCHAR_UPPERCASE);
  if (name == "xdigit")
    return together(Set('0', '9'), together(Set('A', 'F'), Set('a', 'f')));
  if (name == "word")
    return wordCharacters(unicodeOfOniguruma);
  return std::nullopt;
}

std::optional<Set> heddle::text::onigurumaProperty(const std::string &name,
                                                   bool inClass) {
  std::string simple = simplified(name);
  if (simple == "word" && !inClass) {
    // Oniguruma asks a table of its own about Latin-1 here.
    Set set = wordCharacters(unicodeOfOniguruma);
    for (UChar32 character : {0xB2, 0xB3, 0xB9, 0xBC, 0xBD, 0xBE})
      set.add(character);
    return set;
  }
  if (simple == "any")
    return Set(0, UCHAR_MAX_VALUE);
  if (simple == "assigned")
    return categories(~U_GC_CN_MASK);
  if (simple == "alphabetic")
    return binary(UCHAR_ALPHABETIC);
  if (simple == "lowercase")
    return binary(UCHAR_LOWERCASE);
  if (simple == "uppercase")
    return binary(UCHAR_UPPERCASE);
  if (simple == "whitespace")
    return binary(UCHAR_WHITE_SPACE);
  // The category of this name, which has no symbols.
  if (simple != "punct")
    if (std::optional<Set> set = onigurumaBracket(simple))
      return set;
  auto valueOf = [&](UProperty property) {
    return u_getPropertyValueEnum(property, simple.c_str());
  };
  int32_t mask = valueOf(UCHAR_GENERAL_CATEGORY_MASK);
  // ICU has a second name for LC, which Oniguruma lacks.
  if (mask != UCHAR_INVALID_CODE && simple != "l&")
    return categories(uint32_t(mask));
  int32_t script = valueOf(UCHAR_SCRIPT);
  if (script != UCHAR_INVALID_CODE)
    return charactersWhere(UCHAR_SCRIPT, script, unicodeOfOniguruma);
  return std::nullopt;
}

//===-- writing -----------------------------------------------------------===//

std::string heddle::text::writeLiteral(char32_t character) {
  char digits[8];
  char *end =
      std::to_chars(digits, std::end(digits), uint32_t(character), 16).ptr;
  return "\\x{" + std::string(digits, end) + "}";
}

std::string heddle::text::writeSet(Set set) {
  // No text has any.
  set.remove(0xD800, 0xDFFF);
  std::string written = "[";
  for (int32_t index = 0; index < set.getRangeCount(); ++index) {
    UChar32 first = set.getRangeStart(index), last = set.getRangeEnd(index);
    written += writeLiteral(char32_t(first));
    if (first != last)
      written += "-" + writeLiteral(char32_t(last));
  }
  // ICU refuses a set of nothing.
  return set.getRangeCount() ? written + "]" : "[^\\x{0}-\\x{10ffff}]";
}

/// Calls `visit` for the pairs of an upper and a lower case that ICU lacks.
template <typename Visit> static void forEachNewCase(const Visit &visit) {
  for (const LowerCaseChange &change : lowerCaseChanges)
    for (UChar32 upper = change.first;
         change.since <= unicodeOfOniguruma && upper <= change.last; ++upper)
      visit(upper, upper + change.distance);
}

bool heddle::text::hasNewCase(char32_t character) {
  bool found = false;
  forEachNewCase([&](UChar32 upper, UChar32 lower) {
    found |= UChar32(character) == upper || UChar32(character) == lower;
  });
  return found;
}

std::string heddle::text::writeSetIgnoringCase(Set set, bool negated) {
  forEachNewCase([&](UChar32 upper, UChar32 lower) {
    if (set.contains(upper) || set.contains(lower))
      set.add(upper).add(lower);
  });
  set.closeOver(USET_CASE_INSENSITIVE);
  std::string alternatives;
  icu::UnicodeSetIterator strings(set);
  strings.skipToStrings();
  while (strings.next()) {
    const icu::UnicodeString &string = strings.getString();
    alternatives += "|(?i:";
    for (int32_t unit = 0; unit < string.length();
         unit += U16_LENGTH(string.char32At(unit)))
      alternatives += writeLiteral(char32_t(string.char32At(unit)));
    alternatives += ")";
  }
  set.removeAllStrings();
  if (negated)
    return writeSet(set.complement());
  return alternatives.empty() ? writeSet(set)
                              : "(?:" + writeSet(set) + alternatives + ")";
}
