// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/heddle-run/TokenDecoder.h"

#include "compiler/tools/heddle-run/TokenizerJson.h"
#include "compiler/tools/heddle-run/Utf8.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;
using namespace heddle;

using Tokens = std::vector<std::string>;
using Step = std::function<Expected<Tokens>(Tokens tokens)>;

/// Characters of the byte alphabet back to bytes. A token with others, such as
/// an added one, stands for itself.
static Tokens decodeByteLevel(const Tokens &tokens) {
  std::string text;
  for (StringRef token : tokens) {
    std::string bytes;
    bool allBytes = true;
    for (size_t position = 0; allBytes && position < token.size();) {
      std::optional<uint8_t> byte =
          byteOfCharacter(nextCharacter(token, position));
      allBytes = byte.has_value();
      bytes += char(byte.value_or(0));
    }
    text += allBytes ? StringRef(bytes) : token;
  }
  return {toUtf8(text)};
}

/// <0xE2> and the like to bytes. A run of them is one token if it is UTF-8, and
/// else a U+FFFD for each.
static Tokens decodeByteFallback(const Tokens &tokens) {
  Tokens result;
  std::string run;
  auto endRun = [&] {
    if (!run.empty() && json::isUTF8(run))
      result.push_back(run);
    else
      result.insert(result.end(), run.size(), "\xEF\xBF\xBD");
    run.clear();
  };
  for (StringRef token : tokens) {
    StringRef digits = token;
    unsigned byte;
    if (token.size() == 6 && digits.consume_front("<0x") &&
        digits.consume_back(">") && !digits.getAsInteger(16, byte)) {
      run += char(byte);
      continue;
    }
    endRun();
    result.push_back(token.str());
  }
  endRun();
  return result;
}

static std::string strip(StringRef token, StringRef content, int64_t start,
                         int64_t stop) {
  while (start-- > 0 && token.consume_front(content))
    ;
  while (stop-- > 0 && token.consume_back(content))
    ;
  return token.str();
}

//===-- reading -----------------------------------------------------------===//

static Expected<Step> parseMetaspace(const TokenizerComponent &component,
                                     JsonFields &fields) {
  std::string replacement = fields.text("replacement").str();
  if (!isOneCharacter(replacement))
    fields.fail("replacement", "one character");
  StringRef scheme = fields.text("prepend_scheme", "always");
  if (!is_contained({"first", "never", "always"}, scheme))
    fields.fail("prepend_scheme", "first, never or always");
  if (fields.has("add_prefix_space") && !fields.boolean("add_prefix_space") &&
      scheme != "never")
    fields.fail("prepend_scheme", "never, as add_prefix_space is false");
  // How text is cut when encoding.
  if (fields.has("split"))
    fields.boolean("split");
  rejectUnknownFields(fields, component.object,
                      {"type", "replacement", "prepend_scheme",
                       "add_prefix_space", "split", "str_rep"});
  if (Error error = fields.takeError())
    return error;
  SplitPattern mark = SplitPattern::fromText(replacement);
  bool prepended = scheme != "never";
  return [mark, prepended](Tokens tokens) -> Expected<Tokens> {
    for (auto [index, token] : enumerate(tokens)) {
      Expected<std::string> text =
          mark.replace(token, prepended && index == 0 ? "" : " ");
      if (!text)
        return text.takeError();
      token = std::move(*text);
    }
    return tokens;
  };
}

static Expected<Step> parseReplace(const TokenizerComponent &component,
                                   JsonFields &fields) {
  std::string content = fields.text("content").str();
  rejectUnknownFields(fields, component.object, {"type", "pattern", "content"});
  if (Error error = fields.takeError())
    return error;
  Expected<SplitPattern> pattern = parsePattern(component);
  if (!pattern)
    return pattern.takeError();
  return [pattern = *pattern, content](Tokens tokens) -> Expected<Tokens> {
    for (std::string &token : tokens) {
      Expected<std::string> text = pattern.replace(token, content);
      if (!text)
        return text.takeError();
      token = std::move(*text);
    }
    return tokens;
  };
}

static Expected<Step> parseStrip(const TokenizerComponent &component,
                                 JsonFields &fields) {
  std::string content = fields.text("content").str();
  if (!isOneCharacter(content))
    fields.fail("content", "one character");
  int64_t start = fields.integer("start", 0, INT32_MAX);
  int64_t stop = fields.integer("stop", 0, INT32_MAX);
  rejectUnknownFields(fields, component.object,
                      {"type", "content", "start", "stop"});
  if (Error error = fields.takeError())
    return error;
  return [=](Tokens tokens) -> Expected<Tokens> {
    for (std::string &token : tokens)
      token = strip(token, content, start, stop);
    return tokens;
  };
}

static Expected<Step> parseStep(const TokenizerComponent &component) {
  JsonFields fields(component.object, component.where);
  if (component.type == "Metaspace")
    return parseMetaspace(component, fields);
  if (component.type == "Replace")
    return parseReplace(component, fields);
  if (component.type == "Strip")
    return parseStrip(component, fields);
  if (component.type == "ByteLevel") {
    // The fields are those of the pre-tokenizer; none changes the text.
    rejectUnknownFields(
        fields, component.object,
        {"type", "add_prefix_space", "trim_offsets", "use_regex"});
    if (Error error = fields.takeError())
      return error;
    return [](const Tokens &tokens) { return decodeByteLevel(tokens); };
  }
  if (component.type != "ByteFallback" && component.type != "Fuse")
    return component.unknownType(
        "ByteLevel, Metaspace, Replace, ByteFallback, Fuse, Strip, Sequence");
  rejectUnknownFields(fields, component.object, {"type"});
  if (Error error = fields.takeError())
    return error;
  if (component.type == "Fuse")
    return [](const Tokens &tokens) { return Tokens{join(tokens, "")}; };
  return [](const Tokens &tokens) { return decodeByteFallback(tokens); };
}

Expected<TokenDecoder> TokenDecoder::fromJson(const json::Value *value,
                                              const std::string &where) {
  TokenDecoder decoder;
  // Without a decoder the text is the tokens with spaces between.
  if (!value || value->kind() == json::Value::Null)
    decoder.separator = " ";
  if (Error error =
          parseSteps(value, where, "decoders", decoder.steps, parseStep))
    return error;
  return decoder;
}

Expected<std::string> TokenDecoder::run(Tokens tokens) const {
  for (const Step &step : steps) {
    Expected<Tokens> next = step(std::move(tokens));
    if (!next)
      return next.takeError();
    tokens = std::move(*next);
  }
  return join(tokens, separator);
}
