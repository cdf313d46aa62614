// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/Vocabulary.h"

#include <cstdio>

using namespace heddle::text;

Vocabulary Vocabulary::fromJson(const Json &model, const std::string &where) {
  const Json *object = findObject(model, "vocab");
  if (!object)
    Fields(model, where)
        .fail("vocab", "an object with a number for each token");
  Fields entries(*object, where + ".vocab");
  Vocabulary vocabulary;
  vocabulary.ids.reserve(object->size());
  for (const auto &entry : object->items()) {
    const std::string &token = entry.key();
    auto id = int32_t(entries.integer(token, tokenIdLimit - 1));
    if (const std::string *other = vocabulary.tokenOf(id))
      entries.fail(token, "an id of its own",
                   std::to_string(id) + ", the id of '" + *other + "' as well");
    vocabulary.add(token, id);
  }
  return vocabulary;
}

void Vocabulary::add(std::string token, int32_t id) {
  if (size_t(id) >= tokens.size())
    tokens.resize(id + 1);
  tokens[id] = &texts.emplace_back(std::move(token));
  ids[*tokens[id]] = id;
}

std::optional<int32_t> Vocabulary::idOf(std::string_view token) const {
  auto found = ids.find(token);
  return found == ids.end() ? std::nullopt
                            : std::optional<int32_t>(found->second);
}

const std::string *Vocabulary::tokenOf(int32_t id) const {
  return id < 0 || size_t(id) >= tokens.size() ? nullptr : tokens[id];
}

std::vector<int32_t> Vocabulary::byteTokens() const {
  std::vector<int32_t> result;
  for (unsigned byte = 0; byte < 256; ++byte) {
    char token[8];
    snprintf(token, sizeof(token), "<0x%02X>", byte);
    result.push_back(idOf(token).value_or(-1));
  }
  return result;
}
