// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/PreTokenizer.h"

#include "runtime/text/Characters.h"
#include "runtime/text/SplitBehavior.h"
#include "runtime/text/TokenizerJson.h"
#include "runtime/text/UnicodeData.h"
#include "runtime/text/Utf8.h"

using namespace heddle::text;

using Pieces = std::vector<std::string>;

//===-- the kinds of pre-tokenizer ----------------------------------------===//

using Run =
    std::function<Pieces(std::string_view piece, bool atStart, Budget &budget)>;

static Run parseSplit(const TokenizerComponent &component,
                      const Fields &fields) {
  SplitBehavior behavior = parseBehavior(fields);
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
      pieces = cut(text, words.split(text, budget), SplitBehavior::Isolated);
    for (std::string &bytes : pieces)
      bytes = toByteAlphabet(bytes);
    return pieces;
  };
}

/// Cuts at the characters that `matches` tells.
static Pieces cutAt(std::string_view piece, bool (*matches)(char32_t),
                    SplitBehavior behavior) {
  std::vector<SplitRange> ranges;
  for (size_t position = 0; position < piece.size();) {
    size_t begin = position;
    bool isMatch = matches(nextCharacter(piece, position));
    if (isMatch || ranges.empty() || ranges.back().matches)
      ranges.push_back({{begin, position}, isMatch});
    else
      ranges.back().end = position;
  }
  return cut(piece, std::move(ranges), behavior);
}

static Run cutter(bool (*matches)(char32_t), SplitBehavior behavior) {
  return [=](std::string_view piece, bool, Budget &) {
    return cutAt(piece, matches, behavior);
  };
}

static Run parseDigits(const Fields &fields) {
  bool individual = fields.boolean("individual_digits");
  fields.rejectOthers({"type", "individual_digits"});
  return cutter(isNumeric, individual ? SplitBehavior::Isolated
                                      : SplitBehavior::Contiguous);
}

static Run parsePunctuation(const Fields &fields) {
  fields.rejectOthers({"type", "behavior"});
  return cutter(isPunctuation, fields.has("behavior")
                                   ? parseBehavior(fields)
                                   : SplitBehavior::Isolated);
}

static Run parseDelimiter(const TokenizerComponent &component,
                          const Fields &fields) {
  fields.rejectOthers({"type", "delimiter"});
  std::string delimiter = fields.text("delimiter");
  if (!isOneCharacter(delimiter))
    fields.fail("delimiter", "one character");
  SplitPattern pattern = SplitPattern::fromText(delimiter, component.where);
  return [pattern](std::string_view piece, bool, Budget &budget) {
    return cut(piece, pattern.split(piece, budget), SplitBehavior::Removed);
  };
}

/// Words, and signs one by one, as BERT cuts them.
static Pieces cutBertWords(std::string_view piece) {
  Pieces pieces;
  for (const std::string &word :
       cutAt(piece, isWhiteSpace, SplitBehavior::Removed))
    for (std::string &part :
         cutAt(word, isPunctuation, SplitBehavior::Isolated))
      pieces.push_back(std::move(part));
  return pieces;
}

/// The matches of \w+|[^\w\s]+.
static Pieces cutWordsAndSigns(std::string_view piece) {
  enum Kind { Space, Word, Signs };
  Pieces pieces;
  Kind previous = Space;
  for (size_t position = 0; position < piece.size();) {
    size_t begin = position;
    char32_t character = nextCharacter(piece, position);
    Kind kind = isWordCharacter(character) ? Word
                : isWhiteSpace(character)  ? Space
                                           : Signs;
    if (kind != Space && kind != previous)
      pieces.emplace_back();
    if (kind != Space)
      pieces.back() += piece.substr(begin, position - begin);
    previous = kind;
  }
  return pieces;
}

static Run withoutFields(const Fields &fields,
                         Pieces (*run)(std::string_view piece)) {
  fields.rejectOthers({"type"});
  return [run](std::string_view piece, bool, Budget &) { return run(piece); };
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
    return cut(text, mark.split(text, budget), SplitBehavior::MergedWithNext);
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
    if (component.type == "Punctuation")
      return parsePunctuation(fields);
    if (component.type == "CharDelimiterSplit")
      return parseDelimiter(component, fields);
    if (component.type == "BertPreTokenizer")
      return withoutFields(fields, cutBertWords);
    if (component.type == "Whitespace")
      return withoutFields(fields, cutWordsAndSigns);
    if (component.type == "WhitespaceSplit")
      return withoutFields(fields, [](std::string_view piece) {
        return cutAt(piece, isWhiteSpace, SplitBehavior::Removed);
      });
    component.unknownType(
        "Split, ByteLevel, Digits, Metaspace, Punctuation, CharDelimiterSplit, "
        "BertPreTokenizer, Whitespace, WhitespaceSplit, Sequence");
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
