// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Characters and texts as Python's str has them.

#ifndef HEDDLE_TEXT_JINJA_STRINGS_H
#define HEDDLE_TEXT_JINJA_STRINGS_H

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::text::jinja {

// Of characters: str.isspace, the value of str.isdecimal or -1, \w of
// expressions, str.isalpha, str.isprintable, str.isupper, str.islower, and
// str.istitle of one.
bool isSpace(char32_t code);
int decimalValue(char32_t code);
bool isWordCharacter(char32_t code);
bool isLetter(char32_t code);
bool isPrintable(char32_t code);
bool isUpper(char32_t code);
bool isLower(char32_t code);
bool isTitle(char32_t code);
/// str.isdigit: decimals, and superscripts and the like.
bool isDigit(char32_t code);
/// str.isnumeric: fractions and the like, too.
bool isNumeric(char32_t code);
/// str.isidentifier: what names begin with, and what they go on with.
bool beginsName(char32_t code);
bool continuesName(char32_t code);

std::u32string charactersIn(std::string_view text);
std::string toUtf8(std::u32string_view characters);
size_t countCharacters(std::string_view text);
std::string_view firstCharacters(std::string_view text, size_t count);
/// Where the characters of a text begin, and its end.
std::vector<size_t> charactersOf(std::string_view text);
/// Refuses what is no character.
void appendCodePoint(std::string &text, int64_t code);

/// Where `part` first is in `text` from `begin` on; npos for nowhere. Its time
/// is linear, which that of std::string::find is not.
size_t findPart(std::string_view text, std::string_view part, size_t begin = 0);

std::string_view stripSpace(std::string_view text, bool atStart, bool atEnd);
/// Without the characters of `set`.
std::string_view stripSet(std::string_view text, std::string_view set,
                          bool atStart, bool atEnd);

std::string upperOf(std::string_view text);
std::string lowerOf(std::string_view text);
std::string foldOf(std::string_view text);
std::string capitalized(std::string_view text);
/// As str.title: each letter that follows no other is a capital.
std::string titled(std::string_view text);
std::string caseSwapped(std::string_view text);

/// As str.splitlines; `keepsEnds` keeps line ends. Refuses more lines than a
/// list has elements.
std::vector<std::string_view> linesOf(std::string_view text, bool keepsEnds);
/// The words between white space.
std::vector<std::string_view> wordsOf(std::string_view text);

/// As markupsafe.escape.
std::string escapeHtml(std::string_view text);
/// As repr() of a text.
std::string quoted(std::string_view text);

} // namespace heddle::text::jinja

#endif // HEDDLE_TEXT_JINJA_STRINGS_H
