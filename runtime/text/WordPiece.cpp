// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/WordPiece.h"

#include "runtime/text/Failure.h"
#include "runtime/text/Utf8.h"

using namespace heddle::text;

WordPiece::WordPiece(const Json &model, const std::string &where)
    : TokenModel(Vocabulary::fromJson(model, where)), where(where) {
  Fields fields(model, where);
  fields.rejectOthers({"type", "unk_token", "continuing_subword_prefix",
                       "max_input_chars_per_word", "vocab"});
  unknownToken = fields.text("unk_token");
  longestWord = fields.integer("max_input_chars_per_word", INT32_MAX);
  for (int32_t id = 0; id < vocabulary.idEnd(); ++id)
    if (const std::string *token = vocabulary.tokenOf(id))
      tokens.insert(*token, id);
  for (uint8_t byte : fields.text("continuing_subword_prefix"))
    if (inside != Trie::none)
      inside = tokens.child(inside, byte);
}

bool WordPiece::cover(std::string_view word, std::vector<int32_t> &ids,
                      Budget &budget) const {
  size_t characters = 0;
  for (size_t position = 0; position < word.size(); ++characters)
    nextCharacter(word, position);
  if (characters > longestWord)
    return false;
  for (size_t begin = 0; begin < word.size();) {
    Trie::Node node = begin == 0 ? Trie::root : inside;
    size_t end = begin, position = begin;
    int32_t longest = -1;
    while (node != Trie::none && position < word.size()) {
      node = tokens.child(node, word[position++]);
      if (node != Trie::none && tokens.idAt(node) >= 0) {
        longest = tokens.idAt(node);
        end = position;
      }
    }
    budget.spend(Trie::stepsPerNode * int64_t(position - begin + 1), where);
    if (longest < 0)
      return false;
    ids.push_back(longest);
    begin = end;
  }
  return true;
}

void WordPiece::encode(std::string_view word, std::vector<int32_t> &ids,
                       Budget &budget) const {
  size_t before = ids.size();
  if (cover(word, ids, budget))
    return;
  ids.resize(before);
  std::optional<int32_t> unknown = vocabulary.idOf(unknownToken);
  if (!unknown)
    throw Failure("cannot encode '" + std::string(word) +
                  "': tokens do not cover it, and the unknown token '" +
                  unknownToken + "' is not in the vocabulary");
  ids.push_back(*unknown);
}
