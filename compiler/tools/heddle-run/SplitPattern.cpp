// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/heddle-run/SplitPattern.h"

#include "llvm/ADT/Twine.h"

using namespace llvm;
using namespace heddle;

// Memory for backtracking, which long runs of a repeated group need; ICU's own
// limit of 8 MB is too little for texts of a few hundred kilobytes.
static constexpr int32_t backtrackBytes = 256 << 20;

SplitPattern SplitPattern::fromText(StringRef text) {
  SplitPattern pattern;
  pattern.fixedText = text.str();
  return pattern;
}

Expected<SplitPattern> SplitPattern::fromRegex(StringRef expression) {
  Expected<std::string> translated = translateOniguruma(expression);
  if (!translated)
    return translated.takeError();
  UErrorCode status = U_ZERO_ERROR;
  UParseError place;
  SplitPattern pattern;
  pattern.regex.reset(icu::RegexPattern::compile(
      icu::UnicodeString::fromUTF8(icu::StringPiece(*translated)), 0, place,
      status));
  if (U_FAILURE(status))
    return createStringError("expected a regular expression, got '" +
                             expression + "' (" + u_errorName(status) + ")");
  return pattern;
}

static std::vector<TextRange> findText(StringRef text, StringRef fixedText) {
  std::vector<TextRange> found;
  for (size_t begin = text.find(fixedText); begin != StringRef::npos;
       begin = text.find(fixedText, begin + fixedText.size()))
    found.push_back({begin, begin + fixedText.size()});
  return found;
}

namespace {
/// Turns offsets of UTF-16 text, which must ascend, into those of UTF-8.
class ByteOffsets {
public:
  explicit ByteOffsets(const icu::UnicodeString &text) : text(text) {}

  size_t operator()(int32_t offset) {
    while (unit < offset) {
      UChar32 character = text.char32At(unit);
      unit += U16_LENGTH(character);
      byte += U8_LENGTH(character);
    }
    return byte;
  }

private:
  const icu::UnicodeString &text;
  int32_t unit = 0;
  size_t byte = 0;
};
} // namespace

static Error cannotMatch(UErrorCode status) {
  return createStringError(
      Twine("cannot match the pattern that splits text: ") +
      u_errorName(status));
}

Expected<std::vector<TextRange>> SplitPattern::find(StringRef text) const {
  if (text.empty())
    return std::vector<TextRange>();
  if (!regex)
    return findText(text, fixedText);
  if (text.size() > INT32_MAX)
    return createStringError("expected a text below 2 GiB, got " +
                             Twine(text.size()) + " bytes");
  UErrorCode status = U_ZERO_ERROR;
  icu::UnicodeString units =
      icu::UnicodeString::fromUTF8(icu::StringPiece(text.data(), text.size()));
  std::unique_ptr<icu::RegexMatcher> matcher(regex->matcher(units, status));
  if (U_FAILURE(status))
    return cannotMatch(status);
  matcher->setStackLimit(backtrackBytes, status);
  std::vector<TextRange> found;
  ByteOffsets byteOf(units);
  while (matcher->find(status)) {
    size_t begin = byteOf(matcher->start(status));
    size_t end = byteOf(matcher->end(status));
    // Oniguruma's iteration drops an empty match right behind another one.
    if (begin == end && !found.empty() && found.back().end == end)
      continue;
    found.push_back({begin, end});
  }
  if (U_FAILURE(status))
    return cannotMatch(status);
  return found;
}

Expected<std::vector<SplitRange>> SplitPattern::split(StringRef text) const {
  Expected<std::vector<TextRange>> found = find(text);
  if (!found)
    return found.takeError();
  std::vector<SplitRange> ranges;
  size_t end = 0;
  for (TextRange match : *found) {
    if (end != match.begin)
      ranges.push_back({{end, match.begin}, false});
    ranges.push_back({match, true});
    end = match.end;
  }
  if (end != text.size())
    ranges.push_back({{end, text.size()}, false});
  return ranges;
}

Expected<std::string> SplitPattern::replace(StringRef text,
                                            StringRef replacement) const {
  Expected<std::vector<SplitRange>> ranges = split(text);
  if (!ranges)
    return ranges.takeError();
  std::string result;
  for (const SplitRange &range : *ranges)
    result += range.matches ? replacement : range.of(text);
  return result;
}
