// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/GgufVocabulary.h"

#include "runtime/text/Failure.h"
#include "runtime/text/Utf8.h"

#include <cmath>

using namespace heddle::text;

void GgufVocabulary::fail(const std::string &name,
                          const std::string &expected) const {
  std::string key = "tokenizer.ggml." + name;
  auto found = header.metadata.find(key);
  throw Failure(path + ": key '" + key + "': expected " + expected + ", got " +
                (found == header.metadata.end()
                     ? "nothing"
                     : gguf::describe(found->second)));
}

GgufVocabulary::GgufVocabulary(const gguf::Header &header, std::string path)
    : header(header), path(std::move(path)) {
  const auto *list = find<std::vector<std::string>>("tokens");
  if (!list || list->empty() || list->size() > INT32_MAX)
    fail("tokens", "an array of strings");
  tokens = *list;
  for (size_t id = 0; id < tokens.size(); ++id)
    if (firstInvalid(tokens[id]))
      throw Failure(this->path +
                    ": key 'tokenizer.ggml.tokens': expected "
                    "tokens of UTF-8, got another one at " +
                    std::to_string(id));
  if (!this->header.has("tokenizer.ggml.token_type"))
    return;
  const auto *types = find<std::vector<int64_t>>("token_type");
  if (!types || types->size() != tokens.size())
    fail("token_type", "a number for each of the " +
                           std::to_string(tokens.size()) + " tokens");
  for (int64_t type : *types) {
    if (type < 0 || type > int64_t(Kind::Byte))
      throw Failure(this->path +
                    ": key 'tokenizer.ggml.token_type': expected numbers from "
                    "0 to 6, got " +
                    std::to_string(type));
    kinds.push_back(type == 0 ? Kind::Normal : Kind(type));
  }
}

Json GgufVocabulary::ids() const {
  Json result = Json::object();
  for (int64_t id = 0; id < size(); ++id)
    if (kind(id) != Kind::Unused)
      result.emplace(token(id), id); // the first of two
  return result;
}

Json GgufVocabulary::addedTokens(bool stripsRight) const {
  Json result = Json::array();
  for (int64_t id = 0; id < size(); ++id) {
    bool isSpecial = kind(id) == Kind::Control || kind(id) == Kind::Unknown;
    const std::string &text = token(id);
    bool isMark = text == "<s>" || text == "<unk>" || text == "<|endoftext|>";
    if (token(id).empty() || (!isSpecial && kind(id) != Kind::UserDefined))
      continue;
    result.push_back({{"id", id},
                      {"content", token(id)},
                      {"single_word", false},
                      {"lstrip", false},
                      {"rstrip", stripsRight && !isMark},
                      {"normalized", false},
                      {"special", isSpecial}});
  }
  return result;
}

bool GgufVocabulary::flag(const std::string &name, bool fallback) const {
  asked.insert(name);
  if (!header.has("tokenizer.ggml." + name))
    return fallback;
  const bool *value = find<bool>(name);
  if (!value)
    fail(name, "a bool");
  return *value;
}

std::string GgufVocabulary::text(const std::string &name) const {
  asked.insert(name);
  if (!header.has("tokenizer.ggml." + name))
    return "";
  const auto *value = find<std::string>(name);
  if (!value)
    fail(name, "a string");
  return *value;
}

const std::vector<double> &GgufVocabulary::scores() const {
  const auto *values = find<std::vector<double>>("scores");
  if (values)
    for (double score : *values)
      if (!std::isfinite(score))
        throw Failure(path +
                      ": key 'tokenizer.ggml.scores': expected finite "
                      "numbers, got " +
                      gguf::describe(score));
  if (!values || values->size() != tokens.size())
    fail("scores", "a number for each of the " + std::to_string(tokens.size()) +
                       " tokens");
  return *values;
}

const std::vector<std::string> &GgufVocabulary::merges() const {
  const auto *values = find<std::vector<std::string>>("merges");
  if (!values)
    fail("merges", "an array of strings");
  return *values;
}

std::optional<int64_t> GgufVocabulary::idOf(const std::string &name) const {
  std::string key = name + "_token_id";
  if (header.has("tokenizer.ggml." + key) && !find<int64_t>(key))
    fail(key, "a number");
  return gguf::specialId(header, name, size());
}

void GgufVocabulary::rejectUnasked() const {
  constexpr std::string_view prefix = "tokenizer.ggml.", end = "_token_id";
  for (const auto &[key, value] : header.metadata) {
    if (key.compare(0, prefix.size(), prefix) != 0)
      continue;
    std::string name = key.substr(prefix.size());
    // Ids of tokens change no text; kinds of tokens are the model's.
    bool isId = name.size() > end.size() &&
                name.compare(name.size() - end.size(), end.size(), end) == 0;
    if (!isId && name != "token_type_count" && !asked.count(name))
      fail(name, "only keys that are known of such a tokenizer");
  }
}

std::optional<std::string>
GgufVocabulary::special(const std::string &name) const {
  auto id = idOf(name);
  return id ? std::optional(token(*id)) : std::nullopt;
}
