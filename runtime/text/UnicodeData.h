// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Properties of characters by the versions of Unicode that parts of Hugging
// Face tokenizers have, some newer and some older than that of ICU 72.

#ifndef HEDDLE_TEXT_UNICODEDATA_H
#define HEDDLE_TEXT_UNICODEDATA_H

#include <cstdint>
#include <unicode/uchar.h>
#include <unicode/uniset.h>
#include <vector>

namespace heddle::text {

/// The versions of Unicode that parts of tokenizers 0.22.2 have.
enum UnicodeVersion : uint8_t {
  /// unicode_categories 0.1, by which BERT's steps know punctuation, accents
  /// and control characters.
  unicodeOfCategories = 8,
  /// unicode-normalization-alignments 0.1: normal forms and combining marks.
  unicodeOfNormalForms = 9,
  /// Oniguruma, at the commit that onig 6.5 builds.
  unicodeOfOniguruma = 16,
  /// unicode-segmentation 1.12: graphemes.
  unicodeOfSegmentation = 16,
  /// regex-syntax 0.8.10, by which added tokens know words.
  unicodeOfRegex = 16,
  /// The standard library of Rust 1.9x: digits and lower case.
  unicodeOfRust = 17,
};

/// Characters whose property has a new value since a version.
struct UnicodeChange {
  UChar32 first, last;
  UProperty property;
  int32_t value;
  uint8_t since;
};

/// Characters that have a lower case since a version.
struct LowerCaseChange {
  UChar32 first, last;
  /// From a character to its lower case.
  int32_t distance;
  uint8_t since;
};

/// The characters that a version has.
icu::UnicodeSet charactersOf(UnicodeVersion version);

/// What has changed after Unicode 15.0, older versions first.
extern const std::vector<UnicodeChange> unicodeChanges;
extern const std::vector<LowerCaseChange> lowerCaseChanges;

/// The characters whose `property` has `value`: a mask of categories for
/// UCHAR_GENERAL_CATEGORY_MASK, 1 for a property that is true or false.
/// Properties that unicodeChanges lacks are as in ICU. Of versions older than
/// ICU's only categories are as they were.
icu::UnicodeSet charactersWhere(UProperty property, int32_t value,
                                UnicodeVersion version);

/// \w by UTS #18: letters, marks, decimal digits and connectors.
icu::UnicodeSet wordCharacters(UnicodeVersion version);

/// Whether Rust's char::is_numeric holds.
bool isNumeric(char32_t character);

/// The lower case of one character, as Rust has it, where that is one character
/// as well.
char32_t toLowerCase(char32_t character);

} // namespace heddle::text

#endif // HEDDLE_TEXT_UNICODEDATA_H
