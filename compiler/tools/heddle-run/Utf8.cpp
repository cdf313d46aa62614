// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/heddle-run/Utf8.h"

#include "llvm/Support/JSON.h"

#include <array>
#include <unicode/utf8.h>

using namespace llvm;
using namespace heddle;

// Unicode's normal forms make a text at most 11 times as long.
static constexpr size_t longestText = 128 << 20;

Error heddle::checkText(StringRef text) {
  if (text.size() > longestText)
    return createStringError("expected a text of at most " +
                             Twine(longestText) + " bytes, got " +
                             Twine(text.size()));
  size_t invalid;
  if (!json::isUTF8(text, &invalid))
    return createStringError(
        "expected UTF-8 text, got another byte at offset " + Twine(invalid));
  return Error::success();
}

char32_t heddle::nextCharacter(StringRef text, size_t &position) {
  UChar32 character;
  // The conditions are ICU's.
  // NOLINTNEXTLINE(bugprone-inc-dec-in-conditions)
  U8_NEXT_OR_FFFD(text.bytes_begin(), position, text.size(), character);
  return character;
}

void heddle::appendCharacter(std::string &text, char32_t character) {
  char bytes[U8_MAX_LENGTH];
  size_t length = 0;
  U8_APPEND_UNSAFE(bytes, length, character);
  text.append(bytes, length);
}

std::string heddle::toUtf8(StringRef bytes) {
  std::string text;
  text.reserve(bytes.size());
  for (size_t position = 0; position < bytes.size();)
    appendCharacter(text, nextCharacter(bytes, position));
  return text;
}

bool heddle::isOneCharacter(StringRef text) {
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

char32_t heddle::characterOfByte(uint8_t byte) {
  return byteAlphabet().characters[byte];
}

std::optional<uint8_t> heddle::byteOfCharacter(char32_t character) {
  const ByteAlphabet &alphabet = byteAlphabet();
  return character < alphabet.bytes.size() ? alphabet.bytes[character]
                                           : std::nullopt;
}
