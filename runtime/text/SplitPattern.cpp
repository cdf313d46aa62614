// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/SplitPattern.h"

#include "runtime/text/Failure.h"

using namespace heddle::text;

// Memory for backtracking, which long runs of a repeated group need; ICU's own
// limit of 8 MB is too little for texts of a few hundred kilobytes.
static constexpr int32_t backtrackBytes = 256 << 20;

// Of a pattern, in bytes. Known ones have less than 2000. Comparing a text with
// a longer one would take long without being counted as steps.
static constexpr size_t longestPattern = 8192;

// ICU counts its steps by so many.
static constexpr int64_t stepsPerTick = 10'000;

// What it takes to begin with a text: without it, many short texts would cost
// nothing.
static constexpr int64_t stepsPerText = 200;

static void checkLength(std::string_view pattern, const std::string &where) {
  if (pattern.size() > longestPattern)
    throw Failure(where + ": expected at most " +
                  std::to_string(longestPattern) + " bytes, got " +
                  std::to_string(pattern.size()));
}

SplitPattern SplitPattern::fromText(std::string_view text, std::string where) {
  checkLength(text, where);
  SplitPattern pattern;
  pattern.fixedText = text;
  pattern.where = std::move(where);
  return pattern;
}

SplitPattern SplitPattern::fromRegex(std::string_view expression,
                                     std::string where) {
  checkLength(expression, where);
  std::string translated = translateOniguruma(expression, where);
  UErrorCode status = U_ZERO_ERROR;
  UParseError place;
  SplitPattern pattern;
  pattern.where = std::move(where);
  pattern.regex.reset(icu::RegexPattern::compile(
      icu::UnicodeString::fromUTF8(translated), 0, place, status));
  if (U_FAILURE(status))
    throw Failure(pattern.where + ": expected a regular expression, got '" +
                  std::string(expression) + "' (" + u_errorName(status) + ")");
  return pattern;
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

/// What ICU calls after each tick; false ends the matching.
static UBool spendTick(const void *budget, int32_t) {
  return static_cast<Budget *>(const_cast<void *>(budget))
      ->trySpend(stepsPerTick);
}

void SplitPattern::forEachRegexMatch(std::string_view text, Budget &budget,
                                     const Visit &visit) const {
  budget.spend(stepsPerText, where);
  UErrorCode status = U_ZERO_ERROR;
  icu::UnicodeString units = icu::UnicodeString::fromUTF8(
      icu::StringPiece(text.data(), int32_t(text.size())));
  std::unique_ptr<icu::RegexMatcher> matcher(regex->matcher(units, status));
  if (U_SUCCESS(status)) {
    matcher->setStackLimit(backtrackBytes, status);
    matcher->setMatchCallback(spendTick, &budget, status);
  }
  ByteOffsets byteOf(units);
  size_t previousEnd = std::string_view::npos;
  while (U_SUCCESS(status) && matcher->find(status)) {
    size_t begin = byteOf(matcher->start(status));
    size_t end = byteOf(matcher->end(status));
    // Oniguruma's iteration drops an empty match right behind another one.
    if (begin == end && previousEnd == end)
      continue;
    visit({begin, end});
    previousEnd = end;
  }
  if (status == U_REGEX_STOPPED_BY_CALLER)
    budget.spend(0, where);
  if (U_FAILURE(status))
    throw Failure(where + ": cannot match this text: " + u_errorName(status));
}

void SplitPattern::forEachMatch(std::string_view text, Budget &budget,
                                const Visit &visit) const {
  if (text.empty())
    return;
  budget.checkSize(text.size(), where);
  if (regex)
    return forEachRegexMatch(text, budget, visit);
  // At each place most of the pattern may be compared, 128 bytes in a step.
  budget.spend(1 + int64_t(text.size()) * int64_t(fixedText.size()) / 128,
               where);
  for (size_t begin = text.find(fixedText); begin != std::string_view::npos;
       begin = text.find(fixedText, begin + fixedText.size()))
    visit({begin, begin + fixedText.size()});
}

std::vector<SplitRange> SplitPattern::split(std::string_view text,
                                            Budget &budget) const {
  std::vector<SplitRange> ranges;
  size_t end = 0;
  forEachMatch(text, budget, [&](TextRange match) {
    if (end != match.begin)
      ranges.push_back({{end, match.begin}, false});
    ranges.push_back({match, true});
    end = match.end;
  });
  if (end != text.size())
    ranges.push_back({{end, text.size()}, false});
  return ranges;
}

std::string SplitPattern::replace(std::string_view text,
                                  std::string_view replacement, Budget &budget,
                                  GrowingText &grown) const {
  std::string result;
  auto append = [&](std::string_view part) {
    grown.add(part.size());
    result += part;
  };
  size_t end = 0;
  forEachMatch(text, budget, [&](TextRange match) {
    append(text.substr(end, match.begin - end));
    append(replacement);
    end = match.end;
  });
  append(text.substr(end));
  return result;
}
