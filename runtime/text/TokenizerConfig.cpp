// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/TokenizerConfig.h"

#include "runtime/text/Failure.h"
#include "runtime/text/Files.h"

#include <algorithm>

using namespace heddle::text;

const std::string *heddle::text::specialTokenText(const Json &token) {
  return token.is_object() ? findText(token, "content") : textOf(token);
}

namespace {
/// A class of transformers 4 with an update_post_processor().
struct TokenizerClass {
  const char *name;
  const char *start, *end;
};
} // namespace

static constexpr TokenizerClass classes[] = {
    {"LlamaTokenizer", "<s>", "</s>"},
    {"CodeLlamaTokenizer", "<s>", "</s>"},
    {"GemmaTokenizer", "<bos>", "<eos>"},
    {"CohereTokenizer", "<BOS_TOKEN>", "<|END_OF_TURN_TOKEN|>"},
};

static const TokenizerClass *classOf(const std::string &name) {
  const auto *found = std::find_if(
      std::begin(classes), std::end(classes), [&](const TokenizerClass &entry) {
        return name == entry.name || name == entry.name + std::string("Fast");
      });
  return found == std::end(classes) ? nullptr : found;
}

static constexpr const char *configName = "tokenizer_config.json";

Json heddle::text::readTokenizerConfig(const FileSet &files) {
  Json config =
      files.has(configName) ? readJsonFile(files, configName) : Json::object();
  constexpr const char *map = "special_tokens_map.json";
  if (findField(config, "added_tokens_decoder") || !files.has(map))
    return config;
  Json tokens = readJsonFile(files, map);
  for (const char *field : {"bos_token", "eos_token"})
    if (const Json *token = findField(tokens, field))
      config[field] = *token;
  return config;
}

void heddle::text::readTruncation(const FileSet &files,
                                  TruncationConfig &result) {
  Json config = readTokenizerConfig(files);
  Fields fields(config, files.pathOf(configName));
  if (fields.has("truncation_side")) {
    std::string side = fields.text("truncation_side");
    if (side != "left" && side != "right")
      fields.fail("truncation_side", "left or right");
    result.atBegin = side == "left";
  }
  constexpr const char *name = "model_max_length";
  if (fields.has(name)) {
    // Models without a limit have 1e30 here, written with all digits.
    double length = fields.nonNegative(name);
    if (length <= INT32_MAX)
      result.maximumLength = int64_t(length);
  }
}

std::optional<ClassTemplate> heddle::text::classTemplate(const FileSet &files) {
  Json config = readTokenizerConfig(files);
  Fields fields(config, files.pathOf(configName));
  const std::string *className = findText(config, "tokenizer_class");
  const TokenizerClass *known = className ? classOf(*className) : nullptr;
  if (!known)
    return std::nullopt;
  auto token = [&](const std::string &field, bool byDefault,
                   const char *usual) -> std::optional<std::string> {
    std::string add = "add_" + field;
    // Null is false.
    bool wanted = findField(config, add)
                      ? fields.has(add) && fields.boolean(add)
                      : byDefault;
    if (!wanted)
      return std::nullopt;
    const Json *given = findField(config, field);
    if (!given)
      return usual;
    const std::string *text = specialTokenText(*given);
    if (!text || text->empty())
      fields.fail(field, "a token, as " + add + " is true");
    return *text;
  };
  return ClassTemplate{token("bos_token", true, known->start),
                       token("eos_token", false, known->end)};
}
