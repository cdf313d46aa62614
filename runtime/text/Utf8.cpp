// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/Utf8.h"

#include "runtime/text/Failure.h"

#include <algorithm>
#include <array>
#include <unicode/utf8.h>

using namespace heddle::text;

// Unicode's normal forms make a text at most 11 times as long.
static constexpr size_t longestText = 128 << 20;

void heddle::text::checkText(std::string_view text) {
  if (text.size() > longestText)
    throw Failure("expected a text of at most " + std::to_string(longestText) +
                  " bytes, got " + std::to_string(text.size()));
  if (std::optional<size_t> invalid = firstInvalid(text))
    throw Failure("expected UTF-8 text, got another byte at offset " +
                  std::to_string(*invalid));
}

std::optional<size_t> heddle::text::firstInvalid(std::string_view text) {
  const auto *bytes = reinterpret_cast<const uint8_t *>(text.data());
  for (size_t position = 0; position < text.size();) {
    size_t begin = position;
    UChar32 character;
    // The conditions are ICU's.
    // NOLINTNEXTLINE(bugprone-inc-dec-in-conditions)
    U8_NEXT(bytes, position, text.size(), character);
    if (character < 0)
      return begin;
  }
  return std::nullopt;
}

std::string_view heddle::text::cutAtCharacter(std::string_view text,
                                              size_t longest) {
  if (text.size() <= longest)
    return text;
  while (longest > 0 && U8_IS_TRAIL(text[longest]))
    --longest;
  return text.substr(0, longest);
}

char32_t heddle::text::nextCharacter(std::string_view text, size_t &position) {
  UChar32 character;
  // The conditions are ICU's.
  // NOLINTNEXTLINE(bugprone-inc-dec-in-conditions)
  U8_NEXT_OR_FFFD(reinterpret_cast<const uint8_t *>(text.data()), position,
                  text.size(), character);
  return character;
}

char32_t heddle::text::characterBefore(std::string_view text, size_t end) {
  UChar32 character;
  const auto *bytes = reinterpret_cast<const uint8_t *>(text.data());
  // In a long text, ICU's 32 bits do not hold the place.
  size_t begin = end - std::min<size_t>(end, U8_MAX_LENGTH);
  auto position = int32_t(end - begin);
  U8_PREV_OR_FFFD(bytes + begin, 0, position, character);
  return char32_t(character);
}

void heddle::text::appendCharacter(std::string &text, char32_t character) {
  char bytes[U8_MAX_LENGTH];
  size_t length = 0;
  U8_APPEND_UNSAFE(bytes, length, character);
  text.append(bytes, length);
}

std::string heddle::text::toUtf8(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (size_t position = 0; position < bytes.size();)
    appendCharacter(text, nextCharacter(bytes, position));
  return text;
}

bool heddle::text::isOneCharacter(std::string_view text) {
  if (text.empty())
    return false;
  size_t position = 0;
  nextCharacter(text, position);
  return position == text.size();
}

namespace {
struct ByteAlphabet {
  std::array<char32_t, 256> characters;
  // The 68 bytes that are not printable have the characters from U+0100 on.
  std::array<std::optional<uint8_t>, 256 + 68> bytes;

  ByteAlphabet() {
    char32_t next = 256;
    for (unsigned byte = 0; byte < 256; ++byte) {
      bool printable =
          (byte >= '!' && byte <= '~') || (byte >= 0xA1 && byte != 0xAD);
      characters[byte] = printable ? byte : next++;
      bytes[characters[byte]] = byte;
    }
  }
};
} // namespace

static const ByteAlphabet &byteAlphabet() {
  static const ByteAlphabet alphabet;
  return alphabet;
}

char32_t heddle::text::characterOfByte(uint8_t byte) {
  return byteAlphabet().characters[byte];
}

std::string heddle::text::toByteAlphabet(std::string_view text) {
  std::string characters;
  for (char byte : text)
    appendCharacter(characters, characterOfByte(byte));
  return characters;
}

std::optional<uint8_t> heddle::text::byteOfCharacter(char32_t character) {
  const ByteAlphabet &alphabet = byteAlphabet();
  return character < alphabet.bytes.size() ? alphabet.bytes[character]
                                           : std::nullopt;
}
