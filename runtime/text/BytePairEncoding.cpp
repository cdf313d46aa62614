// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/BytePairEncoding.h"

#include "runtime/text/Failure.h"
#include "runtime/text/Utf8.h"

#include <algorithm>
#include <queue>

using namespace heddle::text;

//===-- reading -----------------------------------------------------------===//

/// The two tokens of a merge, which is "left right" or ["left", "right"].
static std::optional<std::pair<std::string, std::string>>
mergedPair(const Json &merge) {
  if (const std::string *text = textOf(merge)) {
    size_t space = text->find(' ');
    if (space == std::string::npos || text->rfind(' ') != space)
      return std::nullopt;
    return std::pair(text->substr(0, space), text->substr(space + 1));
  }
  if (!merge.is_array() || merge.size() != 2 || !merge[0].is_string() ||
      !merge[1].is_string())
    return std::nullopt;
  return std::pair(*textOf(merge[0]), *textOf(merge[1]));
}

static uint64_t keyOf(int32_t left, int32_t right) {
  return uint64_t(left) << 32 | uint32_t(right);
}

void BytePairEncoding::readMerges(const Json &model, const std::string &where) {
  const Json *list = findArray(model, "merges");
  Fields fields(model, where);
  if (!list)
    fields.fail("merges", "an array");
  merges.reserve(list->size());
  int32_t rank = 0;
  for (size_t index = 0; index < list->size(); ++index) {
    const Json &merge = (*list)[index];
    const std::string *line = textOf(merge);
    if (line && line->compare(0, 8, "#version") == 0)
      continue;
    std::string name = "merges[" + std::to_string(index) + "]";
    auto pair = mergedPair(merge);
    if (!pair)
      fields.fail(name, "\"left right\" or [\"left\", \"right\"]",
                  describe(merge));
    auto id = [&](const std::string &token) {
      std::optional<int32_t> found = vocabulary.idOf(token);
      if (!found)
        fields.fail(name, "tokens of the vocabulary", "'" + token + "'");
      return *found;
    };
    int32_t left = id(pair->first);
    int32_t right = id(pair->second);
    // As there, whether or not the right token begins with the prefix.
    if (pair->second.size() < continuingPrefix.size())
      fields.fail(name,
                  "a second token that begins with '" + continuingPrefix + "'",
                  describe(merge));
    int32_t merged =
        id(pair->first + pair->second.substr(continuingPrefix.size()));
    // Of a repeated pair the last rank counts.
    merges[keyOf(left, right)] = {rank++, merged};
  }
}

BytePairEncoding::BytePairEncoding(const Json &model, const std::string &where)
    : TokenModel(Vocabulary::fromJson(model, where)) {
  Fields fields(model, where);
  fields.rejectOthers({"type", "dropout", "unk_token",
                       "continuing_subword_prefix", "end_of_word_suffix",
                       "fuse_unk", "byte_fallback", "ignore_merges", "vocab",
                       "merges"});
  if (fields.has("dropout") && fields.nonNegative("dropout") != 0)
    fields.fail("dropout", "null or 0, as it makes ids random");
  auto affix = [&](const char *name) {
    return fields.has(name) ? fields.text(name) : std::string();
  };
  continuingPrefix = affix("continuing_subword_prefix");
  endSuffix = affix("end_of_word_suffix");
  auto flag = [&](const char *name) {
    return fields.has(name) && fields.boolean(name);
  };
  fuseUnknown = flag("fuse_unk");
  ignoreMerges = flag("ignore_merges");
  if (fields.has("unk_token"))
    unknownToken = fields.text("unk_token");
  readMerges(model, where);
  if (flag("byte_fallback"))
    byteTokens = vocabulary.byteTokens();
}

//===-- encoding ----------------------------------------------------------===//

const BytePairEncoding::Merge *BytePairEncoding::mergeOf(int32_t left,
                                                         int32_t right) const {
  auto found = merges.find(keyOf(left, right));
  return found == merges.end() ? nullptr : &found->second;
}

/// Appends an id for each character of `piece`. As in Hugging Face tokenizers
/// an unknown token is held back until the next known character, so that bytes
/// get in front of it, and without an unknown token the character is lost.
void BytePairEncoding::split(std::string_view piece,
                             std::vector<int32_t> &symbols) const {
  std::optional<int32_t> unknown;
  bool hasAffixes = !continuingPrefix.empty() || !endSuffix.empty();
  std::string affixed;
  for (size_t position = 0; position < piece.size();) {
    size_t begin = position;
    nextCharacter(piece, position);
    std::string_view character = piece.substr(begin, position - begin);
    if (hasAffixes) {
      affixed = begin > 0 ? continuingPrefix : "";
      affixed += character;
      affixed += position == piece.size() ? endSuffix : "";
      character = affixed;
    }
    if (std::optional<int32_t> id = vocabulary.idOf(character)) {
      if (unknown)
        symbols.push_back(*unknown);
      unknown = std::nullopt;
      symbols.push_back(*id);
      continue;
    }
    auto idOfByte = [&](uint8_t byte) { return byteTokens[byte]; };
    if (!byteTokens.empty() &&
        std::all_of(character.begin(), character.end(),
                    [&](uint8_t byte) { return idOfByte(byte) >= 0; })) {
      std::transform(character.begin(), character.end(),
                     std::back_inserter(symbols), idOfByte);
      continue;
    }
    if (!unknownToken)
      continue;
    if (unknown && !fuseUnknown)
      symbols.push_back(*unknown);
    unknown = vocabulary.idOf(*unknownToken);
    if (!unknown)
      throw Failure("cannot encode '" + std::string(character) +
                    "': neither it nor the unknown token '" + *unknownToken +
                    "' is in the vocabulary");
  }
  if (unknown)
    symbols.push_back(*unknown);
}

/// Merges, as long as one can be, the pair of the lowest rank, of equal ones
/// the leftmost.
void BytePairEncoding::merge(std::vector<int32_t> &symbols) const {
  constexpr int32_t none = -1;
  struct Candidate {
    Merge merge;
    int32_t left;
    bool operator<(const Candidate &other) const {
      // priority_queue gives the largest one first.
      return std::pair(merge.rank, left) >
             std::pair(other.merge.rank, other.left);
    }
  };
  int32_t count = symbols.size();
  std::vector<int32_t> next(count), previous(count);
  std::priority_queue<Candidate> candidates;
  auto consider = [&](int32_t left) {
    if (left == none || next[left] == none)
      return;
    if (const Merge *merge = mergeOf(symbols[left], symbols[next[left]]))
      candidates.push({*merge, left});
  };
  for (int32_t i = 0; i < count; ++i) {
    previous[i] = i - 1;
    next[i] = i + 1 < count ? i + 1 : none;
  }
  for (int32_t i = 0; i < count; ++i)
    consider(i);

  while (!candidates.empty()) {
    auto [merge, left] = candidates.top();
    candidates.pop();
    int32_t right = next[left];
    if (symbols[left] == none || right == none)
      continue;
    // The pair may have changed since it was put into the queue.
    const Merge *current = mergeOf(symbols[left], symbols[right]);
    if (!current || current->id != merge.id)
      continue;
    symbols[left] = merge.id;
    symbols[right] = none;
    next[left] = next[right];
    if (next[left] != none)
      previous[next[left]] = left;
    consider(previous[left]);
    consider(left);
  }
  symbols.erase(std::remove(symbols.begin(), symbols.end(), none),
                symbols.end());
}

void BytePairEncoding::encode(std::string_view piece, std::vector<int32_t> &ids,
                              Budget &) const {
  if (std::optional<int32_t> whole =
          ignoreMerges ? vocabulary.idOf(piece) : std::nullopt) {
    ids.push_back(*whole);
    return;
  }
  std::vector<int32_t> symbols;
  split(piece, symbols);
  merge(symbols);
  ids.insert(ids.end(), symbols.begin(), symbols.end());
}
