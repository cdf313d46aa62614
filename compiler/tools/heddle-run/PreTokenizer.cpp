// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/heddle-run/PreTokenizer.h"

#include "compiler/tools/heddle-run/TokenizerJson.h"
#include "compiler/tools/heddle-run/Utf8.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <unicode/uchar.h>

using namespace llvm;
using namespace heddle;

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
static std::vector<TextRange> mergeMatches(ArrayRef<SplitRange> ranges) {
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
    return result;
  }
  case Behavior::Removed:
  case Behavior::Isolated:
    for (const SplitRange &range : ranges)
      if (!range.matches || behavior == Behavior::Isolated)
        result.push_back(range);
    return result;
  }
  llvm_unreachable("every behavior returns");
}

static Pieces cut(StringRef text, std::vector<SplitRange> ranges,
                  Behavior behavior) {
  Pieces pieces;
  for (TextRange range : applyBehavior(std::move(ranges), behavior))
    pieces.push_back(range.of(text).str());
  return pieces;
}

static Expected<Pieces> cut(StringRef text, const SplitPattern &pattern,
                            Behavior behavior, bool invert = false) {
  Expected<std::vector<SplitRange>> ranges = pattern.split(text);
  if (!ranges)
    return ranges.takeError();
  if (invert)
    for (SplitRange &range : *ranges)
      range.matches = !range.matches;
  return cut(text, std::move(*ranges), behavior);
}

//===-- the kinds of pre-tokenizer ----------------------------------------===//

using Step = std::function<Expected<Pieces>(StringRef piece, bool atStart)>;

static Expected<Step> parseSplit(const TokenizerComponent &component,
                                 JsonFields &fields) {
  StringRef name = fields.text("behavior");
  std::optional<Behavior> behavior =
      StringSwitch<std::optional<Behavior>>(name)
          .Case("Removed", Behavior::Removed)
          .Case("Isolated", Behavior::Isolated)
          .Case("MergedWithPrevious", Behavior::MergedWithPrevious)
          .Case("MergedWithNext", Behavior::MergedWithNext)
          .Case("Contiguous", Behavior::Contiguous)
          .Default(std::nullopt);
  if (!behavior)
    fields.fail("behavior", "Removed, Isolated, MergedWithPrevious, "
                            "MergedWithNext or Contiguous");
  bool invert = fields.boolean("invert");
  rejectUnknownFields(fields, component.object,
                      {"type", "pattern", "behavior", "invert"});
  if (Error error = fields.takeError())
    return error;
  Expected<SplitPattern> pattern = parsePattern(component);
  if (!pattern)
    return pattern.takeError();
  return [pattern = *pattern, behavior = *behavior, invert](StringRef piece,
                                                            bool) {
    return cut(piece, pattern, behavior, invert);
  };
}

/// Cuts words as GPT-2 does, then writes every byte as a character.
static Expected<Step> parseByteLevel(const TokenizerComponent &component,
                                     JsonFields &fields) {
  bool addPrefixSpace = fields.boolean("add_prefix_space");
  bool useRegex = fields.boolean("use_regex", true);
  // Only moves offsets into the text, which nothing here reports.
  fields.boolean("trim_offsets");
  rejectUnknownFields(
      fields, component.object,
      {"type", "add_prefix_space", "use_regex", "trim_offsets"});
  if (Error error = fields.takeError())
    return error;
  Expected<SplitPattern> words = SplitPattern::fromRegex(
      "'s|'t|'re|'ve|'m|'ll|'d| ?\\p{L}+| ?\\p{N}+| ?[^\\s\\p{L}\\p{N}]+"
      "|\\s+(?!\\S)|\\s+");
  if (!words)
    return words.takeError();
  return [addPrefixSpace, useRegex, words = *words](StringRef piece,
                                                    bool) -> Expected<Pieces> {
    std::string text = piece.str();
    if (addPrefixSpace && !piece.starts_with(" "))
      text.insert(0, " ");
    Expected<Pieces> pieces =
        useRegex ? cut(text, words, Behavior::Isolated) : Pieces{text};
    if (!pieces)
      return pieces.takeError();
    for (std::string &bytes : *pieces) {
      std::string characters;
      for (char byte : bytes)
        appendCharacter(characters, characterOfByte(byte));
      bytes = std::move(characters);
    }
    return pieces;
  };
}

static Expected<Step> parseDigits(const TokenizerComponent &component,
                                  JsonFields &fields) {
  bool individual = fields.boolean("individual_digits");
  rejectUnknownFields(fields, component.object, {"type", "individual_digits"});
  if (Error error = fields.takeError())
    return error;
  return [individual](StringRef piece, bool) -> Expected<Pieces> {
    std::vector<SplitRange> ranges;
    for (size_t position = 0; position < piece.size();) {
      size_t begin = position;
      char32_t character = nextCharacter(piece, position);
      bool numeric = U_MASK(u_charType(character)) & U_GC_N_MASK;
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
static Expected<Step> parseMetaspace(const TokenizerComponent &component,
                                     JsonFields &fields, bool isFirstStep) {
  std::string replacement = fields.text("replacement").str();
  if (!isOneCharacter(replacement))
    fields.fail("replacement", "one character");
  StringRef scheme = fields.text("prepend_scheme", "always");
  if (!is_contained({"first", "never", "always"}, scheme))
    fields.fail("prepend_scheme", "first, never or always");
  // Behind steps that insert text, several pieces can begin at the text's
  // start.
  if (scheme == "first" && !isFirstStep)
    fields.fail("prepend_scheme", "never or always behind another step");
  // What older versions wrote instead of the scheme.
  if (fields.has("add_prefix_space") && !fields.boolean("add_prefix_space") &&
      scheme != "never")
    fields.fail("prepend_scheme", "never, as add_prefix_space is false");
  bool split = !fields.has("split") || fields.boolean("split");
  rejectUnknownFields(fields, component.object,
                      {"type", "replacement", "prepend_scheme",
                       "add_prefix_space", "split", "str_rep"});
  if (Error error = fields.takeError())
    return error;
  SplitPattern space = SplitPattern::fromText(" ");
  SplitPattern mark = SplitPattern::fromText(replacement);
  bool always = scheme == "always", first = scheme == "first";
  return [=](StringRef piece, bool atStart) -> Expected<Pieces> {
    Expected<std::string> text = space.replace(piece, replacement);
    if (!text)
      return text.takeError();
    if ((always || (first && atStart)) &&
        !StringRef(*text).starts_with(replacement))
      text->insert(0, replacement);
    if (!split)
      return Pieces{*text};
    return cut(*text, mark, Behavior::MergedWithNext);
  };
}

Expected<PreTokenizer> PreTokenizer::fromJson(const json::Value *value,
                                              const std::string &where) {
  PreTokenizer preTokenizer;
  auto parse = [&](const TokenizerComponent &component) -> Expected<Step> {
    JsonFields fields(component.object, component.where);
    if (component.type == "Split")
      return parseSplit(component, fields);
    if (component.type == "ByteLevel")
      return parseByteLevel(component, fields);
    if (component.type == "Digits")
      return parseDigits(component, fields);
    if (component.type == "Metaspace")
      return parseMetaspace(component, fields, preTokenizer.steps.empty());
    return component.unknownType(
        "Split, ByteLevel, Digits, Metaspace, Sequence");
  };
  if (Error error =
          parseSteps(value, where, "pretokenizers", preTokenizer.steps, parse))
    return error;
  return preTokenizer;
}

Expected<Pieces> PreTokenizer::run(StringRef text, bool atStart) const {
  Pieces pieces = {text.str()};
  for (const Step &step : steps) {
    Pieces next;
    for (const std::string &piece : pieces) {
      Expected<Pieces> parts = step(piece, atStart);
      if (!parts)
        return parts.takeError();
      for (std::string &part : *parts)
        if (!part.empty())
          next.push_back(std::move(part));
    }
    pieces = std::move(next);
  }
  return pieces;
}
