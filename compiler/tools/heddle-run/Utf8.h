// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Characters of UTF-8 text, and the alphabet that byte-level tokenizers write
// bytes in.

#ifndef HEDDLE_TOOLS_UTF8_H
#define HEDDLE_TOOLS_UTF8_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <optional>
#include <string>

namespace heddle {

/// An error unless `text` is UTF-8 and short enough for a library that counts
/// with 32 bits, normalized forms included.
llvm::Error checkText(llvm::StringRef text);

/// The character at `text[position]`, which must lie inside; moves `position`
/// behind it. U+FFFD stands for each ill-formed sequence (Unicode 15, section
/// 3.9, "maximal subpart").
char32_t nextCharacter(llvm::StringRef text, size_t &position);

void appendCharacter(std::string &text, char32_t character);

/// `bytes` with ill-formed sequences replaced as in nextCharacter.
std::string toUtf8(llvm::StringRef bytes);

/// Whether `text` is exactly one character.
bool isOneCharacter(llvm::StringRef text);

/// The printable character that stands for `byte` in the vocabulary of a
/// byte-level tokenizer: itself for the printable ones of Latin-1, U+0100 and
/// up for the rest. From `bytes_to_unicode` of GPT-2's encoder.py.
char32_t characterOfByte(uint8_t byte);

/// The inverse; none for characters outside the alphabet.
std::optional<uint8_t> byteOfCharacter(char32_t character);

} // namespace heddle

#endif // HEDDLE_TOOLS_UTF8_H
