// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/TokenizerEnd.h"

#include "compiler/Import/JsonFields.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace heddle;

/// Empty where there is no such file.
static Expected<json::Object> readIfThere(StringRef folder, StringRef name) {
  SmallString<128> path(folder);
  sys::path::append(path, name);
  return sys::fs::exists(path) ? readJsonFile(path) : json::Object();
}

/// The content of a token, which is a text or an object that has it.
static std::optional<StringRef> contentOf(const json::Value *token) {
  if (!token)
    return std::nullopt;
  if (const json::Object *object = token->getAsObject())
    return object->getString("content");
  return token->getAsString();
}

static std::optional<int64_t> findDecoded(const json::Object &config,
                                          StringRef token) {
  if (const json::Object *tokens = config.getObject("added_tokens_decoder"))
    for (const auto &[key, value] : *tokens) {
      int64_t id;
      if (contentOf(&value) == token && !StringRef(key).getAsInteger(10, id))
        return id;
    }
  return std::nullopt;
}

static std::optional<int64_t> findInTokenizer(const json::Object &tokenizer,
                                              StringRef token) {
  if (const json::Array *tokens = tokenizer.getArray("added_tokens"))
    for (const json::Value &each : *tokens)
      if (each.getAsObject() && contentOf(&each) == token)
        return each.getAsObject()->getInteger("id");
  const json::Object *model = tokenizer.getObject("model");
  const json::Object *vocabulary = model ? model->getObject("vocab") : nullptr;
  return vocabulary ? vocabulary->getInteger(token) : std::nullopt;
}

Expected<std::optional<int64_t>>
heddle::readTokenizerEnd(StringRef folder, int64_t vocabularySize) {
  Expected<json::Object> config = readIfThere(folder, "tokenizer_config.json");
  if (!config)
    return config.takeError();
  std::optional<StringRef> token = contentOf(config->get("eos_token"));
  if (!token)
    return std::nullopt;
  std::optional<int64_t> id = findDecoded(*config, *token);
  if (!id) {
    auto tokenizer = readIfThere(folder, "tokenizer.json");
    if (!tokenizer)
      return tokenizer.takeError();
    id = findInTokenizer(*tokenizer, *token);
  }
  return id && *id >= 0 && *id < vocabularySize ? id : std::nullopt;
}
