// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Kinds of characters, and texts that are rewritten one character at a time.

#ifndef HEDDLE_TEXT_CHARACTERS_H
#define HEDDLE_TEXT_CHARACTERS_H

#include <string>
#include <string_view>

namespace heddle::text {

/// Lower case character by character, as Rust's char::to_lowercase: no final
/// sigma and no locale.
std::string toLowerCase(std::string_view text);

/// BERT's clean_text: no control characters, and a space for each kind of white
/// space.
std::string cleanText(std::string_view text);
/// Whether cleanText leaves the character out.
bool isCleanedAway(char32_t character);

/// Spaces around each ideograph, so that it becomes a word.
std::string spaceIdeographs(std::string_view text);

/// Without the characters that `isLeftOut` tells.
std::string without(bool (*isLeftOut)(char32_t), std::string_view text);

/// What BERT takes off a text in NFD.
bool isNonspacingMark(char32_t character);
/// A mark of any kind.
bool isCombiningMark(char32_t character);

/// What SentencePiece's rules named "nmt" do beside a normal form.
std::string nmtText(std::string_view text);
/// Whether nmtText leaves the character out.
bool isNmtControl(char32_t character);

/// Without white space at the begin, or the end.
std::string_view withoutSpaceAtBegin(std::string_view text);
std::string_view withoutSpaceAtEnd(std::string_view text);

/// White_Space of Unicode.
bool isWhiteSpace(char32_t character);
/// Punctuation, and all signs of ASCII.
bool isPunctuation(char32_t character);
/// \w of Rust's regular expressions: letters, marks, decimal digits, connectors
/// and joiners.
bool isWordCharacter(char32_t character);

} // namespace heddle::text

#endif // HEDDLE_TEXT_CHARACTERS_H
