// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/UnicodeData.h"

#include "runtime/text/Failure.h"

#include <string>

using namespace heddle::text;

icu::UnicodeSet heddle::text::charactersWhere(UProperty property, int32_t value,
                                              UnicodeVersion version) {
  UErrorCode status = U_ZERO_ERROR;
  icu::UnicodeSet set;
  set.applyIntPropertyValue(property, value, status);
  if (U_FAILURE(status))
    throw Failure(std::string("cannot load Unicode data: ") +
                  u_errorName(status));
  bool isMask = property == UCHAR_GENERAL_CATEGORY_MASK;
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
