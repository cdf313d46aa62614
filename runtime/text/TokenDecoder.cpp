// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/TokenDecoder.h"

#include "runtime/text/TokenizerJson.h"
#include "runtime/text/Utf8.h"

#include <charconv>

using namespace heddle::text;

using Tokens = std::vector<std::string>;
using Step = std::function<Tokens(Tokens tokens, Budget &budget)>;

static std::string join(const Tokens &tokens, const std::string &separator) {
  std::string text;
  for (size_t index = 0; index < tokens.size(); ++index) {
    if (index > 0)
      text += separator;
    text += tokens[index];
  }
  return text;
}

static bool startsWith(std::string_view text, std::string_view start) {
  return text.substr(0, start.size()) == start;
}

static bool endsWith(std::string_view text, std::string_view end) {
  return text.size() >= end.size() &&
         text.substr(text.size() - end.size()) == end;
}

/// Characters of the byte alphabet back to bytes. A token with others, such as
/// an added one, stands for itself.
static Tokens decodeByteLevel(const Tokens &tokens) {
  std::string text;
  for (const std::string &token : tokens) {
    std::string bytes;
    bool allBytes = true;
    for (size_t position = 0; allBytes && position < token.size();) {
      std::optional<uint8_t> byte =
          byteOfCharacter(nextCharacter(token, position));
      allBytes = byte.has_value();
      bytes += char(byte.value_or(0));
    }
    text += allBytes ? bytes : token;
  }
  return {toUtf8(text)};
}

/// The byte that a token such as <0xE2> stands for.
static std::optional<char> byteOfToken(std::string_view token) {
  if (token.size() != 6 || !startsWith(token, "<0x") || token.back() != '>')
    return std::nullopt;
  uint8_t byte;
  const char *end = token.data() + 5;
  auto [rest, code] = std::from_chars(token.data() + 3, end, byte, 16);
  if (code != std::errc() || rest != end)
    return std::nullopt;
  return char(byte);
}

/// <0xE2> and the like to bytes. A run of them is one token if it is UTF-8, and
/// else a U+FFFD for each.
static Tokens decodeByteFallback(const Tokens &tokens) {
  Tokens result;
  std::string run;
  auto endRun = [&] {
    if (!run.empty() && !firstInvalid(run))
      result.push_back(run);
    else
      result.insert(result.end(), run.size(), "\xEF\xBF\xBD");
    run.clear();
  };
  for (const std::string &token : tokens) {
    if (std::optional<char> byte = byteOfToken(token)) {
      run += *byte;
      continue;
    }
    endRun();
    result.push_back(token);
  }
  endRun();
  return result;
}

static std::string strip(std::string_view token, const std::string &content,
                         int64_t start, int64_t stop) {
  while (start-- > 0 && startsWith(token, content))
    token.remove_prefix(content.size());
  while (stop-- > 0 && endsWith(token, content))
    token.remove_suffix(content.size());
  return std::string(token);
}

static void replaceAll(std::string &text, std::string_view from,
                       std::string_view to) {
  for (size_t place = text.find(from); place != std::string::npos;
       place = text.find(from, place + to.size()))
    text.replace(place, from.size(), to);
}

/// The spaces in front of punctuation and contractions away.
static void cleanUp(std::string &token) {
  constexpr std::pair<std::string_view, std::string_view> replacements[] = {
      {" .", "."},   {" ?", "?"},     {" !", "!"},     {" ,", ","},
      {" ' ", "'"},  {" n't", "n't"}, {" 'm", "'m"},   {" do not", " don't"},
      {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"},
  };
  for (auto [from, to] : replacements)
    replaceAll(token, from, to);
}

//===-- reading -----------------------------------------------------------===//

static Step parseMetaspace(const TokenizerComponent &component,
                           const Fields &fields) {
  std::string replacement = fields.text("replacement");
  if (!isOneCharacter(replacement))
    fields.fail("replacement", "one character");
  std::string scheme = fields.text("prepend_scheme", "always");
  if (scheme != "first" && scheme != "never" && scheme != "always")
    fields.fail("prepend_scheme", "first, never or always");
  if (fields.has("add_prefix_space") && !fields.boolean("add_prefix_space") &&
      scheme != "never")
    fields.fail("prepend_scheme", "never, as add_prefix_space is false");
  // How text is cut when encoding.
  if (fields.has("split"))
    fields.boolean("split");
  fields.rejectOthers({"type", "replacement", "prepend_scheme",
                       "add_prefix_space", "split", "str_rep"});
  SplitPattern mark = SplitPattern::fromText(replacement, component.where);
  bool prepended = scheme != "never";
  return [mark, prepended, where = component.where](Tokens tokens,
                                                    Budget &budget) {
    GrowingText grown(budget, where);
    for (size_t index = 0; index < tokens.size(); ++index)
      tokens[index] = mark.replace(
          tokens[index], prepended && index == 0 ? "" : " ", budget, grown);
    return tokens;
  };
}

static Step parseReplace(const TokenizerComponent &component,
                         const Fields &fields) {
  std::string content = fields.text("content");
  fields.rejectOthers({"type", "pattern", "content"});
  return [pattern = parsePattern(component), content,
          where = component.where](Tokens tokens, Budget &budget) {
    GrowingText grown(budget, where);
    for (std::string &token : tokens)
      token = pattern.replace(token, content, budget, grown);
    return tokens;
  };
}

static Step parseStrip(const Fields &fields) {
  std::string content = fields.text("content");
  if (!isOneCharacter(content))
    fields.fail("content", "one character");
  int64_t start = fields.integer("start", INT32_MAX);
  int64_t stop = fields.integer("stop", INT32_MAX);
  fields.rejectOthers({"type", "content", "start", "stop"});
  return [=](Tokens tokens, Budget &) {
    for (std::string &token : tokens)
      token = strip(token, content, start, stop);
    return tokens;
  };
}

/// Joins tokens with spaces, but for those that continue a word.
static Step parseWordPiece(const TokenizerComponent &component,
                           const Fields &fields) {
  fields.rejectOthers({"type", "prefix", "cleanup"});
  std::string prefix = fields.text("prefix");
  bool cleanup = fields.boolean("cleanup");
  return [=, where = component.where](Tokens tokens, Budget &budget) {
    GrowingText grown(budget, where);
    for (size_t index = 0; index < tokens.size(); ++index) {
      std::string &token = tokens[index];
      if (index > 0 && startsWith(token, prefix))
        token.erase(0, prefix.size());
      else if (index > 0)
        token.insert(0, " ");
      if (cleanup)
        cleanUp(token);
      grown.add(token.size());
    }
    return tokens;
  };
}

/// A space for the mark at the end of each word, but none behind the last.
static Step parseSuffix(const TokenizerComponent &component,
                        const Fields &fields) {
  fields.rejectOthers({"type", "suffix"});
  std::string suffix = fields.text("suffix");
  if (suffix.empty())
    fields.fail("suffix", "some text");
  SplitPattern mark = SplitPattern::fromText(suffix, component.where);
  return [mark, where = component.where](Tokens tokens, Budget &budget) {
    GrowingText grown(budget, where);
    for (size_t index = 0; index < tokens.size(); ++index)
      tokens[index] = mark.replace(
          tokens[index], index + 1 == tokens.size() ? "" : " ", budget, grown);
    return tokens;
  };
}

static Step parseStep(const TokenizerComponent &component) {
  Fields fields(component.object, component.where);
  if (component.type == "Metaspace")
    return parseMetaspace(component, fields);
  if (component.type == "Replace")
    return parseReplace(component, fields);
  if (component.type == "Strip")
    return parseStrip(fields);
  if (component.type == "WordPiece")
    return parseWordPiece(component, fields);
  if (component.type == "BPEDecoder")
    return parseSuffix(component, fields);
  if (component.type == "ByteLevel") {
    // The fields are those of the pre-tokenizer; none changes the text.
    fields.rejectOthers(
        {"type", "add_prefix_space", "trim_offsets", "use_regex"});
    return
        [](const Tokens &tokens, Budget &) { return decodeByteLevel(tokens); };
  }
  if (component.type != "ByteFallback" && component.type != "Fuse")
    component.unknownType(
        "ByteLevel, Metaspace, Replace, ByteFallback, Fuse, Strip, WordPiece, "
        "BPEDecoder, Sequence");
  fields.rejectOthers({"type"});
  if (component.type == "Fuse")
    return
        [](const Tokens &tokens, Budget &) { return Tokens{join(tokens, "")}; };
  return
      [](const Tokens &tokens, Budget &) { return decodeByteFallback(tokens); };
}

TokenDecoder TokenDecoder::fromJson(const Json *value,
                                    const std::string &where) {
  TokenDecoder decoder;
  // Without a decoder the text is the tokens with spaces between.
  if (!value || value->is_null())
    decoder.separator = " ";
  forEachComponent(value, where, "decoders",
                   [&](const TokenizerComponent &component) {
                     decoder.steps.push_back(parseStep(component));
                   });
  return decoder;
}

std::string TokenDecoder::run(Tokens tokens) const {
  // A token may be empty, and yet costs something.
  size_t size = tokens.size();
  for (const std::string &token : tokens)
    size += token.size();
  Budget budget(size);
  for (const Step &step : steps)
    tokens = step(std::move(tokens), budget);
  return join(tokens, separator);
}
