// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/AddedTokens.h"

#include "runtime/text/Characters.h"
#include "runtime/text/Failure.h"
#include "runtime/text/Utf8.h"

#include <algorithm>
#include <unicode/utf8.h>

using namespace heddle::text;

//===-- reading -----------------------------------------------------------===//

static AddedToken parseToken(const Fields &fields) {
  AddedToken token;
  token.content = fields.text("content");
  if (token.content.empty())
    fields.fail("content", "some text");
  token.singleWord = fields.boolean("single_word");
  token.lstrip = fields.boolean("lstrip");
  token.rstrip = fields.boolean("rstrip");
  token.normalized = fields.boolean("normalized");
  token.special = fields.boolean("special");
  return token;
}

AddedTokens AddedTokens::fromJson(const Json *value, const std::string &where,
                                  const Vocabulary &vocabulary,
                                  const TextNormalizer &normalizer) {
  AddedTokens result;
  result.where = where;
  if (!value || value->is_null())
    return result;
  if (!value->is_array())
    throw Failure(where + ": expected an array, got " + describe(*value));
  // All tokens together are as one text, so that many do not cost more.
  size_t size = 0;
  for (const Json &element : *value)
    if (const std::string *content =
            element.is_object() ? findText(element, "content") : nullptr)
      size += content->size();
  Budget budget(size);
  GrowingText grown(budget, where);
  // Tokens that the model lacks are numbered behind the model's.
  int32_t nextId = vocabulary.size();
  for (size_t index = 0; index < value->size(); ++index) {
    const Json &element = (*value)[index];
    std::string place = where + "[" + std::to_string(index) + "]";
    if (!element.is_object())
      throw Failure(place + ": expected an object, got " + describe(element));
    Fields fields(element, place);
    AddedToken token = parseToken(fields);
    auto id = int32_t(fields.integer("id", tokenIdLimit - 1));
    fields.rejectOthers({"id", "content", "single_word", "lstrip", "rstrip",
                         "normalized", "special"});

    // Hugging Face tokenizers number the tokens themselves. A file with other
    // ids was made by something else, for a model that may expect either.
    std::optional<int32_t> modelId = vocabulary.idOf(token.content);
    int32_t expected = modelId ? *modelId : nextId++;
    if (id != expected)
      fields.fail("id",
                  std::to_string(expected) + " for '" + token.content + "'");
    if (!modelId && vocabulary.tokenOf(id))
      fields.fail("id", "an id that no token of the model has");
    if (!result.tokens.try_emplace(id, token).second)
      fields.fail("content", "a text of its own");
    std::string text = token.normalized ? normalizer.run(token.content, budget)
                                        : token.content;
    grown.add(text.size());
    if (text.empty())
      fields.fail("content", "some text, also when normalized");
    Trie &trie = token.normalized ? result.asNormalized : result.asGiven;
    // Of tokens that are alike when normalized, the first special one is found,
    // and else the first one.
    int32_t &found = trie.insert(text, id);
    if (token.special && !result.tokens.at(found).special)
      found = id;
  }
  return result;
}

const AddedToken *AddedTokens::find(int32_t id) const {
  auto found = tokens.find(id);
  return found == tokens.end() ? nullptr : &found->second;
}

std::optional<int32_t> AddedTokens::idOf(std::string_view content) const {
  for (const auto &[id, token] : tokens)
    if (token.content == content)
      return id;
  return std::nullopt;
}

//===-- finding -----------------------------------------------------------===//

static char32_t characterAt(std::string_view text, size_t begin) {
  return nextCharacter(text, begin);
}

/// The longest text of `trie` that begins at `begin`. `depth` is how many bytes
/// were looked at for that.
static AddedTokens::Part findLongest(const Trie &trie, std::string_view text,
                                     size_t begin, size_t &depth) {
  AddedTokens::Part longest{{begin, begin}, -1};
  Trie::Node node = Trie::root;
  for (depth = 0; begin + depth < text.size();) {
    node = trie.child(node, text[begin + depth++]);
    if (node == Trie::none)
      break;
    if (trie.idAt(node) >= 0)
      longest = {{begin, begin + depth}, trie.idAt(node)};
  }
  return longest;
}

std::vector<AddedTokens::Part> AddedTokens::split(std::string_view text,
                                                  bool normalized,
                                                  Budget &budget) const {
  const Trie &trie = normalized ? asNormalized : asGiven;
  std::vector<Part> parts;
  size_t done = 0;
  for (size_t begin = 0; begin < text.size();) {
    size_t depth;
    Part match = findLongest(trie, text, begin, depth);
    budget.spend(Trie::stepsPerNode * int64_t(depth), where);
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
      char32_t character = characterBefore(text, match.begin);
      if (!isWhiteSpace(character))
        break;
      match.begin -= U8_LENGTH(character);
    }
    if (token.lstrip)
      match.begin = std::max(match.begin, done);
    while (token.rstrip && match.end < text.size()) {
      char32_t character = characterAt(text, match.end);
      if (!isWhiteSpace(character))
        break;
      match.end += U8_LENGTH(character);
    }
    // The previous token's rstrip has taken this whole token as white space.
    if (match.begin >= match.end)
      continue;
    if (done < match.begin)
      parts.push_back({{done, match.begin}, -1});
    parts.push_back(match);
    done = match.end;
  }
  if (done != text.size())
    parts.push_back({{done, text.size()}, -1});
  return parts;
}
