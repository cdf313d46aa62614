// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Characters of UTF-8 text, and the alphabet that byte-level tokenizers write
// bytes in.

#ifndef HEDDLE_TEXT_UTF8_H
#define HEDDLE_TEXT_UTF8_H

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace heddle::text {

/// An error unless `text` is UTF-8 and short enough for a library that counts
/// with 32 bits, normalized forms included.
void checkText(std::string_view text);

/// Where the first byte is that is not UTF-8; none if all are.
std::optional<size_t> firstInvalid(std::string_view text);

/// At most `longest` bytes of UTF-8 text, without a part of a character.
std::string_view cutAtCharacter(std::string_view text, size_t longest);

/// The character at `text[position]`, which must lie inside; moves `position`
/// behind it. U+FFFD stands for each ill-formed sequence (Unicode 15, section
/// 3.9, "maximal subpart").
char32_t nextCharacter(std::string_view text, size_t &position);

/// The character that ends at `end`, which must not be 0.
char32_t characterBefore(std::string_view text, size_t end);

void appendCharacter(std::string &text, char32_t character);

/// `bytes` with ill-formed sequences replaced as in nextCharacter.
std::string toUtf8(std::string_view bytes);

/// Whether `text` is exactly one character.
bool isOneCharacter(std::string_view text);

/// The printable character that stands for `byte` in the vocabulary of a
/// byte-level tokenizer: itself for the printable ones of Latin-1, U+0100 and
/// up for the rest. From `bytes_to_unicode` of GPT-2's encoder.py.
char32_t characterOfByte(uint8_t byte);

/// Each byte of `text` as such a character.
std::string toByteAlphabet(std::string_view text);

/// The inverse of characterOfByte; none for characters outside the alphabet.
std::optional<uint8_t> byteOfCharacter(char32_t character);

} // namespace heddle::text

#endif // HEDDLE_TEXT_UTF8_H
