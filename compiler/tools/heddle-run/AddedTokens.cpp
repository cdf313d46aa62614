// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/heddle-run/AddedTokens.h"

#include "compiler/tools/heddle-run/TokenizerJson.h"
#include "compiler/tools/heddle-run/Utf8.h"

#include "llvm/ADT/STLExtras.h"

#include <unicode/uchar.h>
#include <unicode/utf8.h>

using namespace llvm;
using namespace heddle;

//===-- Trie --------------------------------------------------------------===//

bool AddedTokens::Trie::insert(StringRef text, int32_t id) {
  uint32_t node = 0;
  for (uint8_t byte : text.bytes()) {
    auto [child, isNew] =
        children.try_emplace(uint64_t(node) << 8 | byte, ids.size());
    if (isNew)
      ids.push_back(-1);
    node = child->second;
  }
  if (ids[node] >= 0)
    return false;
  ids[node] = id;
  return true;
}

AddedTokens::Part AddedTokens::Trie::find(StringRef text, size_t begin) const {
  Part longest{{begin, begin}, -1};
  uint32_t node = 0;
  for (size_t i = begin; i < text.size(); ++i) {
    auto child = children.find(uint64_t(node) << 8 | uint8_t(text[i]));
    if (child == children.end())
      break;
    node = child->second;
    if (ids[node] >= 0)
      longest = {{begin, i + 1}, ids[node]};
  }
  return longest;
}

//===-- reading -----------------------------------------------------------===//

Expected<AddedTokens> AddedTokens::fromJson(const json::Value *value,
                                            const std::string &where,
                                            const BytePairEncoding &model,
                                            const TextNormalizer &normalizer) {
  AddedTokens result;
  if (!value || value->kind() == json::Value::Null)
    return result;
  const json::Array *list = value->getAsArray();
  if (!list)
    return createStringError(where + ": expected an array, got " +
                             describe(*value));
  // Tokens that the model lacks are numbered behind the model's.
  int32_t nextId = model.size();
  for (const auto &[index, element] : enumerate(*list)) {
    std::string place = (where + "[" + Twine(index) + "]").str();
    const json::Object *object = element.getAsObject();
    if (!object)
      return createStringError(place + ": expected an object, got " +
                               describe(element));
    JsonFields fields(*object, place);
    StringRef content = fields.text("content");
    if (!fields.failed() && content.empty())
      fields.fail("content", "some text");
    AddedToken token;
    token.text = content.str();
    token.singleWord = fields.boolean("single_word");
    token.lstrip = fields.boolean("lstrip");
    token.rstrip = fields.boolean("rstrip");
    token.normalized = fields.boolean("normalized");
    token.special = fields.boolean("special");
    int32_t id = fields.integer("id", 0, tokenIdLimit - 1);
    rejectUnknownFields(fields, *object,
                        {"id", "content", "single_word", "lstrip", "rstrip",
                         "normalized", "special"});
    if (Error error = fields.takeError())
      return error;

    // Hugging Face tokenizers number the tokens themselves. A file with other
    // ids was made by something else, for a model that may expect either.
    std::optional<int32_t> modelId = model.idOf(content);
    int32_t expected = modelId ? *modelId : nextId++;
    if (id != expected)
      fields.fail("id", Twine(expected) + " for '" + content + "'");
    else if (!modelId && model.tokenOf(id))
      fields.fail("id", "an id that no token of the model has");
    if (token.normalized) {
      Expected<std::string> normalized = normalizer.run(content);
      if (!normalized)
        return normalized.takeError();
      token.text = std::move(*normalized);
    }
    Trie &trie = token.normalized ? result.asNormalized : result.asGiven;
    if (token.text.empty() || !trie.insert(token.text, id) ||
        !result.tokens.try_emplace(id, token).second)
      fields.fail("content", "a text of its own, also when normalized");
    if (Error error = fields.takeError())
      return error;
  }
  return result;
}

const AddedToken *AddedTokens::find(int32_t id) const {
  auto found = tokens.find(id);
  return found == tokens.end() ? nullptr : &found->second;
}

//===-- finding -----------------------------------------------------------===//

static UChar32 characterBefore(StringRef text, size_t end) {
  UChar32 character;
  StringRef last = text.take_front(end).take_back(U8_MAX_LENGTH);
  int32_t position = last.size();
  U8_PREV_OR_FFFD(last.bytes_begin(), 0, position, character);
  return character;
}

static UChar32 characterAt(StringRef text, size_t begin) {
  return nextCharacter(text, begin);
}

/// \w of Rust's regular expressions.
static bool isWordCharacter(UChar32 character) {
  constexpr uint32_t categories = U_GC_M_MASK | U_GC_ND_MASK | U_GC_PC_MASK;
  return u_isUAlphabetic(character) ||
         (U_MASK(u_charType(character)) & categories) ||
         u_hasBinaryProperty(character, UCHAR_JOIN_CONTROL);
}

std::vector<AddedTokens::Part> AddedTokens::split(StringRef text,
                                                  bool normalized) const {
  const Trie &trie = normalized ? asNormalized : asGiven;
  std::vector<Part> parts;
  size_t done = 0;
  for (size_t begin = 0; begin < text.size();) {
    Part match = trie.find(text, begin);
    if (match.id < 0) {
      ++begin;
      continue;
    }
    // The search goes on here, whatever becomes of this match.
    begin = match.end;
    const AddedToken &token = tokens.at(match.id);
    bool inWord = (match.begin > 0 &&
                   isWordCharacter(characterBefore(text, match.begin))) ||
                  (match.end < text.size() &&
                   isWordCharacter(characterAt(text, match.end)));
    if (token.singleWord && inWord)
      continue;
    while (token.lstrip && match.begin > done) {
      UChar32 character = characterBefore(text, match.begin);
      if (!u_isUWhiteSpace(character))
        break;
      match.begin -= U8_LENGTH(character);
    }
    while (token.rstrip && match.end < text.size()) {
      UChar32 character = characterAt(text, match.end);
      if (!u_isUWhiteSpace(character))
        break;
      match.end += U8_LENGTH(character);
    }
    if (done < match.begin)
      parts.push_back({{done, match.begin}, -1});
    parts.push_back(match);
    done = match.end;
  }
  if (done != text.size())
    parts.push_back({{done, text.size()}, -1});
  return parts;
}
