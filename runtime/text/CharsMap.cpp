// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/CharsMap.h"

#include "runtime/text/Failure.h"
#include "runtime/text/UnicodeData.h"
#include "runtime/text/Utf8.h"

#include <memory>
#include <unicode/brkiter.h>
#include <unicode/utext.h>

using namespace heddle::text;

// A grapheme of as many bytes is replaced character by character.
static constexpr size_t longGrapheme = 6;

//===-- reading -----------------------------------------------------------===//

static uint32_t littleEndian(std::string_view bytes, size_t place) {
  uint32_t value = 0;
  for (size_t i = 0; i < 4; ++i)
    value |= uint32_t(uint8_t(bytes[place + i])) << 8 * i;
  return value;
}

CharsMap::CharsMap(std::string_view bytes, std::string where)
    : where(std::move(where)) {
  size_t size = bytes.size() < 4 ? 0 : littleEndian(bytes, 0);
  if (size < 4 || size > bytes.size() - 4)
    failDamaged();
  // What is left of a size that is no multiple of 4 is text there.
  units.resize(size / 4);
  for (size_t i = 0; i < units.size(); ++i)
    units[i] = littleEndian(bytes, 4 + 4 * i);
  replacements = bytes.substr(4 + 4 * units.size());
  if (firstInvalid(replacements))
    failDamaged();
}

void CharsMap::failDamaged() const {
  throw Failure(where + ": expected the replacements of a SentencePiece model, "
                        "got damaged ones");
}

//===-- finding -----------------------------------------------------------===//

// The parts of a unit, by darts.h of Darts-clone.

static bool hasLeaf(uint32_t unit) { return unit >> 8 & 1; }
static uint32_t valueOf(uint32_t unit) { return unit & 0x7FFFFFFF; }
static uint32_t labelOf(uint32_t unit) { return unit & 0x800000FF; }
static uint32_t offsetOf(uint32_t unit) {
  return unit >> 10 << ((unit & 1u << 9) >> 6);
}

/// What replaces the shortest text of the trie that `text` begins with.
std::optional<std::string_view>
CharsMap::replacementOf(std::string_view text) const {
  uint32_t place = offsetOf(units[0]);
  auto unitAt = [&](uint32_t index) {
    if (index >= units.size())
      failDamaged();
    return units[index];
  };
  for (uint8_t byte : text) {
    if (byte == 0)
      break;
    place ^= byte;
    uint32_t unit = unitAt(place);
    if (labelOf(unit) != byte)
      break;
    place ^= offsetOf(unit);
    if (!hasLeaf(unit))
      continue;
    size_t begin = valueOf(unitAt(place));
    if (begin > replacements.size())
      failDamaged();
    std::string_view found = replacements;
    found = found.substr(begin, found.find('\0', begin) - begin);
    if (firstInvalid(found))
      failDamaged();
    return found;
  }
  return std::nullopt;
}

/// Whether a character begins no grapheme by a Unicode that ICU lacks.
static bool isNewMark(char32_t character) {
  static const icu::UnicodeSet marks = [] {
    icu::UnicodeSet set = charactersWhere(UCHAR_GENERAL_CATEGORY_MASK,
                                          U_GC_M_MASK, unicodeOfSegmentation);
    UErrorCode status = U_ZERO_ERROR;
    icu::UnicodeSet known;
    known.applyIntPropertyValue(UCHAR_GENERAL_CATEGORY_MASK, U_GC_M_MASK,
                                status);
    set.removeAll(known).freeze();
    return set;
  }();
  return marks.contains(UChar32(character));
}

static bool isControl(char32_t character) {
  int32_t value =
      u_getIntPropertyValue(UChar32(character), UCHAR_GRAPHEME_CLUSTER_BREAK);
  return value == U_GCB_CONTROL || value == U_GCB_CR || value == U_GCB_LF;
}

namespace {
/// The ends of a text's graphemes.
class Graphemes {
public:
  explicit Graphemes(std::string_view text) : text(text) {
    // Loading it takes long, copying does not.
    static const std::unique_ptr<const icu::BreakIterator> prototype = [] {
      UErrorCode status = U_ZERO_ERROR;
      std::unique_ptr<const icu::BreakIterator> made(
          icu::BreakIterator::createCharacterInstance(icu::Locale::getRoot(),
                                                      status));
      check(status);
      return made;
    }();
    UErrorCode status = U_ZERO_ERROR;
    iterator.reset(prototype->clone());
    bytes.reset(
        utext_openUTF8(nullptr, text.data(), int64_t(text.size()), &status));
    if (U_SUCCESS(status))
      iterator->setText(bytes.get(), status);
    check(status);
  }

  size_t next() {
    for (;;) {
      auto end = size_t(iterator->next());
      size_t position = end;
      if (end == text.size() || !isNewMark(nextCharacter(text, position)) ||
          isControl(characterBefore(text, end)))
        return end;
    }
  }

private:
  struct Close {
    void operator()(UText *text) const { utext_close(text); }
  };

  static void check(UErrorCode status) {
    if (U_FAILURE(status))
      throw Failure(std::string("cannot find graphemes: ") +
                    u_errorName(status));
  }

  std::string_view text;
  std::unique_ptr<UText, Close> bytes;
  std::unique_ptr<icu::BreakIterator> iterator;
};
} // namespace

std::string CharsMap::run(std::string_view text, GrowingText &grown) const {
  std::string result;
  auto append = [&](std::string_view part) {
    grown.add(part.size());
    result += part;
  };
  Graphemes graphemes(text);
  for (size_t begin = 0, end; begin < text.size(); begin = end) {
    end = graphemes.next();
    std::string_view grapheme = text.substr(begin, end - begin);
    if (grapheme.size() < longGrapheme)
      if (auto replacement = replacementOf(grapheme)) {
        append(*replacement);
        continue;
      }
    for (size_t position = 0; position < grapheme.size();) {
      size_t start = position;
      nextCharacter(grapheme, position);
      std::string_view character = grapheme.substr(start, position - start);
      append(replacementOf(character).value_or(character));
    }
  }
  return result;
}
