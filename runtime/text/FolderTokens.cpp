// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/FolderTokens.h"

#include "runtime/text/Files.h"
#include "runtime/text/TokenizerConfig.h"

#include <charconv>

using namespace heddle::text;

static Json makeToken(const std::string &content) {
  return {{"content", content}, {"single_word", false}, {"lstrip", false},
          {"rstrip", false},    {"normalized", false},  {"special", true}};
}

/// Of an object, the flags that it has.
static Json makeToken(const Json &object, const std::string &content) {
  Json token = makeToken(content);
  for (const char *flag :
       {"single_word", "lstrip", "rstrip", "normalized", "special"})
    if (const Json *given = findField(object, flag))
      token[flag] = *given;
  return token;
}

FolderTokens::FolderTokens(const FileSet &files, const Vocabulary &vocabulary)
    : vocabulary(vocabulary), configuration(readTokenizerConfig(files)),
      path(files.pathOf("tokenizer_config.json")), nextId(vocabulary.size()) {
  if (fields().has("added_tokens_decoder"))
    readDecoder();
  else
    readAddedTokens(files);
}

void FolderTokens::append(Json token) {
  const std::string &content = *findText(token, "content");
  if (auto found = places.find(content); found != places.end()) {
    Json &before = tokens[found->second.index];
    if (token["special"] == true && before["special"] != true)
      before.update({{"special", true}, {"normalized", false}});
    return;
  }
  std::optional<int32_t> known = vocabulary.idOf(content);
  int32_t id = known ? *known : nextId++;
  // A file may give another, which is an error where it is read.
  if (!findField(token, "id"))
    token["id"] = id;
  places.emplace(content, Place{id, tokens.size()});
  tokens.push_back(std::move(token));
}

/// Objects by the numbers of their ids.
void FolderTokens::readDecoder() {
  constexpr const char *name = "added_tokens_decoder";
  const Json *objects = findObject(configuration, name);
  std::map<int32_t, Json> sorted;
  if (!objects)
    fields().fail(name, "an object");
  for (const auto &entry : objects->items()) {
    const Json &object = entry.value();
    const std::string *content =
        object.is_object() ? findText(object, "content") : nullptr;
    const std::string &key = entry.key();
    int32_t id = -1;
    auto [rest, code] =
        std::from_chars(key.data(), key.data() + key.size(), id);
    if (!content || code != std::errc() || rest != key.data() + key.size() ||
        id < 0)
      fields().fail(name, "objects with 'content' by id");
    Json token = makeToken(object, *content);
    token["id"] = id;
    sorted.emplace(id, std::move(token));
  }
  for (auto &[id, token] : sorted)
    append(std::move(token));
}

/// Ids by token.
void FolderTokens::readAddedTokens(const FileSet &files) {
  constexpr const char *name = "added_tokens.json";
  if (!files.has(name))
    return;
  Json object = readJsonFile(files, name);
  Fields entries(object, files.pathOf(name));
  std::map<int32_t, std::string> sorted;
  for (const auto &entry : object.items())
    sorted.emplace(int32_t(entries.integer(entry.key(), tokenIdLimit - 1)),
                   entry.key());
  for (const auto &[id, content] : sorted) {
    Json token = makeToken(content);
    // Until it turns out to be special.
    token.update({{"id", id}, {"special", false}, {"normalized", true}});
    append(std::move(token));
  }
}

void FolderTokens::add(const std::string &content, bool lstrip, bool rstrip) {
  Json token = makeToken(content);
  token["lstrip"] = lstrip;
  token["rstrip"] = rstrip;
  append(std::move(token));
}

void FolderTokens::addSpecial(
    const std::vector<SpecialTokenDefault> &defaults) {
  auto addGiven = [&](const std::string &field, const Json &given,
                      bool lstrip) {
    const std::string *content = specialTokenText(given);
    if (!content || content->empty())
      fields().fail(field, "a token, or objects with 'content'");
    Json token =
        makeToken(given.is_object() ? given : Json::object(), *content);
    if (!given.is_object())
      token["lstrip"] = lstrip;
    // Some files lack it, and it is what these fields are.
    token["special"] = true;
    append(std::move(token));
    return *content;
  };
  for (const SpecialTokenDefault &token : defaults) {
    const Json *given = findField(configuration, token.field);
    if (given && given->is_null())
      continue;
    special[token.field] = addGiven(
        token.field, given ? *given : Json(token.content), token.lstrip);
  }
  constexpr const char *more = "additional_special_tokens";
  if (!fields().has(more))
    return;
  const Json *list = findArray(configuration, more);
  if (!list)
    fields().fail(more, "an array");
  for (const Json &given : *list)
    addGiven(more, given, false);
}

const std::string &FolderTokens::contentOf(const std::string &field) const {
  auto found = special.find(field);
  if (found == special.end())
    fields().fail(field, "a token");
  return found->second;
}

int32_t FolderTokens::idOf(const std::string &field) const {
  return places.at(contentOf(field)).id;
}

int32_t FolderTokens::idOfToken(const std::string &content) const {
  if (auto found = places.find(content); found != places.end())
    return found->second.id;
  std::optional<int32_t> id = vocabulary.idOf(content);
  if (!id)
    throw Failure(path + ": expected the token '" + content +
                  "' in the vocabulary or among added tokens, found neither");
  return *id;
}
