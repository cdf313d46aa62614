// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/UnicodeData.h"

#include "runtime/text/Failure.h"

#include <string>

using namespace heddle::text;

static void check(UErrorCode status) {
  if (U_FAILURE(status))
    throw Failure(std::string("cannot load Unicode data: ") +
                  u_errorName(status));
}

icu::UnicodeSet heddle::text::charactersOf(UnicodeVersion version) {
  UErrorCode status = U_ZERO_ERROR;
  icu::UnicodeSet set;
  set.applyPropertyAlias(u"Age", icu::UnicodeString(u'0' + int(version)),
                         status);
  check(status);
  return set;
}

namespace {
/// A category that characters had up to a version.
struct OlderCategory {
  UChar32 first, last;
  UCharCategory category;
  uint8_t until;
};
} // namespace

// Of marks and punctuation, after Unicode 8.
static constexpr OlderCategory olderCategories[] = {
    {0x166D, 0x166D, U_OTHER_PUNCTUATION, 11},
    {0x1734, 0x1734, U_NON_SPACING_MARK, 13},
    {0x1885, 0x1886, U_OTHER_LETTER, 8},
    {0x1CF2, 0x1CF3, U_COMBINING_SPACING_MARK, 11},
    {0xA9BD, 0xA9BD, U_COMBINING_SPACING_MARK, 10},
    {0x111C9, 0x111C9, U_OTHER_PUNCTUATION, 10},
};

/// Categories of a version that is older than ICU's.
static void makeOlder(icu::UnicodeSet &set, int32_t mask,
                      UnicodeVersion version) {
  for (const OlderCategory &older : olderCategories) {
    if (version > older.until)
      continue;
    if (U_MASK(older.category) & uint32_t(mask))
      set.add(older.first, older.last);
    else
      set.remove(older.first, older.last);
  }
  set.retainAll(charactersOf(version));
}

icu::UnicodeSet heddle::text::charactersWhere(UProperty property, int32_t value,
                                              UnicodeVersion version) {
  UErrorCode status = U_ZERO_ERROR;
  icu::UnicodeSet set;
  set.applyIntPropertyValue(property, value, status);
  check(status);
  bool isMask = property == UCHAR_GENERAL_CATEGORY_MASK;
  if (isMask && version <= unicodeOfNormalForms)
    makeOlder(set, value, version);
  for (const UnicodeChange &change : unicodeChanges) {
    if (change.property != (isMask ? UCHAR_GENERAL_CATEGORY : property) ||
        change.since > version)
      continue;
    if (isMask ? bool(U_MASK(change.value) & uint32_t(value))
               : change.value == value)
      set.add(change.first, change.last);
    else
      set.remove(change.first, change.last);
  }
  return set;
}

icu::UnicodeSet heddle::text::wordCharacters(UnicodeVersion version) {
  icu::UnicodeSet set = charactersWhere(UCHAR_ALPHABETIC, 1, version);
  set.addAll(charactersWhere(UCHAR_GENERAL_CATEGORY_MASK,
                             U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK,
                             version));
  return set;
}

bool heddle::text::isNumeric(char32_t character) {
  static const icu::UnicodeSet numbers = [] {
    icu::UnicodeSet set = charactersWhere(UCHAR_GENERAL_CATEGORY_MASK,
                                          U_GC_N_MASK, unicodeOfRust);
    set.freeze();
    return set;
  }();
  return numbers.contains(UChar32(character));
}

char32_t heddle::text::toLowerCase(char32_t character) {
  auto code = UChar32(character);
  for (const LowerCaseChange &change : lowerCaseChanges)
    if (code >= change.first && code <= change.last &&
        change.since <= unicodeOfRust)
      return char32_t(code + change.distance);
  return char32_t(u_tolower(code));
}
