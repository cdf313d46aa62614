// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The sets of characters that Oniguruma has names for, and how sets are written
// in the syntax of ICU's regular expressions.

#ifndef HEDDLE_TEXT_ONIGURUMASETS_H
#define HEDDLE_TEXT_ONIGURUMASETS_H

#include <optional>
#include <string>
#include <unicode/uniset.h>

namespace heddle::text {

/// \p{name}: a general category, a script, a POSIX name or one of a few others.
/// None for names that are not supported. Outside of [...] "word", which \w and
/// \b mean as well, has the superscripts and fractions of Latin-1, too.
std::optional<icu::UnicodeSet> onigurumaProperty(const std::string &name,
                                                 bool inClass);

/// [:name:]
std::optional<icu::UnicodeSet> onigurumaBracket(const std::string &name);

/// `character` in ICU's syntax.
std::string writeLiteral(char32_t character);

/// `set` without its strings in ICU's syntax.
std::string writeSet(icu::UnicodeSet set);

/// The same where case is ignored, or the characters that are left where it is
/// `negated`. A member such as ß stands for "ss" as well, so that the result
/// can be a group.
std::string writeSetIgnoringCase(icu::UnicodeSet set, bool negated);

/// Whether a newer Unicode than ICU's says what the case of `character` is.
bool hasNewCase(char32_t character);

} // namespace heddle::text

#endif // HEDDLE_TEXT_ONIGURUMASETS_H
