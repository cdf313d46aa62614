// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/EndIds.h"

#include "runtime/text/Files.h"
#include "runtime/text/Json.h"
#include "runtime/text/TokenizerConfig.h"

using namespace heddle::text;

/// Nothing where the file has no such field.
static std::optional<std::vector<int32_t>> readIds(const FileSet &files,
                                                   const char *file) {
  constexpr const char *name = "eos_token_id";
  if (!files.has(file))
    return std::nullopt;
  Json config = readJsonFile(files, file);
  Fields fields(config, files.pathOf(file));
  if (!fields.has(name))
    return std::nullopt;
  if (findArray(config, name))
    return fields.integers(name, INT32_MAX);
  return std::vector{int32_t(fields.integer(name, INT32_MAX))};
}

static std::vector<int32_t> readToken(const FileSet &files,
                                      const Tokenizer &tokenizer) {
  constexpr const char *file = "tokenizer_config.json", *name = "eos_token";
  Json config = readTokenizerConfig(files);
  const Json *token = findField(config, name);
  if (!token || token->is_null())
    return {};
  const std::string *text = specialTokenText(*token);
  if (!text)
    Fields(config, files.pathOf(file))
        .fail(name, "a string or an object with 'content'");
  std::optional<int32_t> id = tokenizer.idOf(*text);
  return id ? std::vector{*id} : std::vector<int32_t>();
}

std::vector<int32_t> heddle::text::readEndIds(const FileSet &files,
                                              const Tokenizer &tokenizer) {
  for (const char *file : {"generation_config.json", "config.json"})
    if (std::optional<std::vector<int32_t>> ids = readIds(files, file))
      return *ids;
  return readToken(files, tokenizer);
}
