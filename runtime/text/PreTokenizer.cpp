// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/PreTokenizer.h"

#include "runtime/text/TokenizerJson.h"
#include "runtime/text/UnicodeData.h"
#include "runtime/text/Utf8.h"

#include <algorithm>

using namespace heddle::text;

using Pieces = std::vector<std::string>;

//===-- what becomes of the matches ---------------------------------------===//

namespace {
/// For the text "a--b" and the pattern "-":
enum class Behavior {
  Removed,            // "a" "b"
  Isolated,           // "a" "-" "-" "b"
  MergedWithPrevious, // "a-" "-" "b"
  MergedWithNext,     // "a" "-" "-b"
  Contiguous          // "a" "--" "b"
};
} // namespace

/// Joins each match to the neighbour behind which (in the order of `ranges`) it
/// comes, unless that is a match as well.
static std::vector<TextRange>
mergeMatches(const std::vector<SplitRange> &ranges) {
  std::vector<TextRange> merged;
  bool previousMatches = false;
  for (const SplitRange &range : ranges) {
    if (range.matches && !previousMatches && !merged.empty())
      merged.back() = {std::min(merged.back().begin, range.begin),
                       std::max(merged.back().end, range.end)};
    else
      merged.push_back(range);
    previousMatches = range.matches;
  }
  return merged;
}

static std::vector<TextRange> applyBehavior(std::vector<SplitRange> ranges,
                                            Behavior behavior) {
  std::vector<TextRange> result;
  switch (behavior) {
  case Behavior::MergedWithPrevious:
    return mergeMatches(ranges);
  case Behavior::MergedWithNext:
    std::reverse(ranges.begin(), ranges.end());
    result = mergeMatches(ranges);
    std::reverse(result.begin(), result.end());
    return result;
  case Behavior::Contiguous: {
    bool previousMatches = false;
    for (const SplitRange &range : ranges) {
      if (range.matches == previousMatches && !result.empty())
        result.back().end = range.end;
      else
        result.push_back(range);
      previousMatches = range.matches;
    }
    break;
  }
  case Behavior::Removed:
  case Behavior::Isolated:
    for (const SplitRange &range : ranges)
      if (!range.matches || behavior == Behavior::Isolated)
        result.push_back(range);
    break;
  }
  return result;
}

static Pieces cut(std::string_view text, std::vector<SplitRange> ranges,
                  Behavior behavior) {
  Pieces pieces;
  for (TextRange range : applyBehavior(std::move(ranges), behavior))
    pieces.emplace_back(range.of(text));
  return pieces;
}

//===-- the kinds of pre-tokenizer ----------------------------------------===//

using Run =
    std::function<Pieces(std::string_view piece, bool atStart, Budget &budget)>;

static Behavior behaviorOf(const Fields &fields) {
  std::string name = fields.text("behavior");
  if (name == "Removed")
    return Behavior::Removed;
  if (name == "Isolated")
    return Behavior::Isolated;
  if (name == "MergedWithPrevious")
    return Behavior::MergedWithPrevious;
  if (name == "MergedWithNext")
    return Behavior::MergedWithNext;
  if (name == "Contiguous")
    return Behavior::Contiguous;
  fields.fail("behavior", "Removed, Isolated, MergedWithPrevious, "
                          "MergedWithNext or Contiguous");
}

static Run parseSplit(const TokenizerComponent &component,
                      const Fields &fields) {
  Behavior behavior = behaviorOf(fields);
  bool invert = fields.boolean("invert");
  fields.rejectOthers({"type", "pattern", "behavior", "invert"});
  return [pattern = parsePattern(component), behavior,
          invert](std::string_view piece, bool, Budget &budget) {
    std::vector<SplitRange> ranges = pattern.split(piece, budget);
    for (SplitRange &range : ranges)
      range.matches ^= invert;
    return cut(piece, std::move(ranges), behavior);
  };
}

/// Cuts words as GPT-2 does, then writes every byte as a character.
static Run parseByteLevel(const TokenizerComponent &component,
                          const Fields &fields) {
  bool addPrefixSpace = fields.boolean("add_prefix_space");
  bool useRegex = fields.boolean("use_regex", true);
  // Only moves offsets into the text, which nothing here reports.
  fields.boolean("trim_offsets");
  fields.rejectOthers(
      {"type", "add_prefix_space", "use_regex", "trim_offsets"});
  SplitPattern words = SplitPattern::fromRegex(
      "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+"
      "|\\s+(?!\\S)|\\s+",
      component.where);
  return [addPrefixSpace, useRegex, words](std::string_view piece, bool,
                                           Budget &budget) {
    std::string text(piece);
    if (addPrefixSpace && text.substr(0, 1) != " ")
      text.insert(0, " ");
    Pieces pieces = {text};
    if (useRegex)
      pieces = cut(text, words.split(text, budget), Behavior::Isolated);
    for (std::string &bytes : pieces) {
      std::string characters;
      for (char byte : bytes)
        appendCharacter(characters, characterOfByte(byte));
      bytes = std::move(characters);
    }
    return pieces;
  };
}

static Run parseDigits(const Fields &fields) {
  bool individual = fields.boolean("individual_digits");
  fields.rejectOthers({"type", "individual_digits"});
  return [individual](std::string_view piece, bool, Budget &) {
    std::vector<SplitRange> ranges;
    for (size_t position = 0; position < piece.size();) {
      size_t begin = position;
      char32_t character = nextCharacter(piece, position);
      bool numeric = isNumeric(character);
      if (numeric || ranges.empty() || ranges.back().matches)
        ranges.push_back({{begin, position}, numeric});
      else
        ranges.back().end = position;
    }
    return cut(piece, std::move(ranges),
               individual ? Behavior::Isolated : Behavior::Contiguous);
  };
}

/// Writes spaces as a visible character, puts one in front, cuts before each.
static Run parseMetaspace(const TokenizerComponent &component,
                          const Fields &fields, bool isFirstStep) {
  std::string replacement = fields.text("replacement");
  if (!isOneCharacter(replacement))
    fields.fail("replacement", "one character");
  std::string scheme = fields.text("prepend_scheme", "always");
  bool always = scheme == "always", first = scheme == "first";
  if (!always && !first && scheme != "never")
    fields.fail("prepend_scheme", "first, never or always");
  // Behind steps that insert text, several pieces can begin at the text's
  // start.
  if (first && !isFirstStep)
    fields.fail("prepend_scheme", "never or always behind another step");
  // What older versions wrote instead of the scheme.
  if (fields.has("add_prefix_space") && !fields.boolean("add_prefix_space") &&
      scheme != "never")
    fields.fail("prepend_scheme", "never, as add_prefix_space is false");
  bool split = !fields.has("split") || fields.boolean("split");
  fields.rejectOthers({"type", "replacement", "prepend_scheme",
                       "add_prefix_space", "split", "str_rep"});
  SplitPattern space = SplitPattern::fromText(" ", component.where);
  SplitPattern mark = SplitPattern::fromText(replacement, component.where);
  return [=, where = component.where](std::string_view piece, bool atStart,
                                      Budget &budget) {
    GrowingText grown(budget, where);
    std::string text = space.replace(piece, replacement, budget, grown);
    if ((always || (first && atStart)) &&
        text.compare(0, replacement.size(), replacement) != 0)
      text.insert(0, replacement);
    if (!split)
      return Pieces{text};
    return cut(text, mark.split(text, budget), Behavior::MergedWithNext);
  };
}

PreTokenizer PreTokenizer::fromJson(const Json *value,
                                    const std::string &where) {
  PreTokenizer preTokenizer;
  std::vector<Step> &steps = preTokenizer.steps;
  auto parse = [&](const TokenizerComponent &component) {
    Fields fields(component.object, component.where);
    if (component.type == "Split")
      return parseSplit(component, fields);
    if (component.type == "ByteLevel")
      return parseByteLevel(component, fields);
    if (component.type == "Digits")
      return parseDigits(fields);
    if (component.type == "Metaspace")
      return parseMetaspace(component, fields, steps.empty());
    component.unknownType("Split, ByteLevel, Digits, Metaspace, Sequence");
  };
  forEachComponent(value, where, "pretokenizers",
                   [&](const TokenizerComponent &component) {
                     steps.push_back({parse(component), component.where});
                   });
  return preTokenizer;
}

Pieces PreTokenizer::run(std::string_view text, bool atStart,
                         Budget &budget) const {
  Pieces pieces = {std::string(text)};
  for (const Step &step : steps) {
    GrowingText grown(budget, step.where);
    Pieces next;
    for (const std::string &piece : pieces)
      for (std::string &part : step.run(piece, atStart, budget)) {
        if (part.empty())
          continue;
        grown.add(part.size());
        next.push_back(std::move(part));
      }
    pieces = std::move(next);
  }
  return pieces;
}
