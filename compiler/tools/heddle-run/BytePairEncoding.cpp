// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/heddle-run/BytePairEncoding.h"

#include "compiler/tools/heddle-run/TokenizerJson.h"
#include "compiler/tools/heddle-run/Utf8.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"

#include <queue>

using namespace llvm;
using namespace heddle;

//===-- reading -----------------------------------------------------------===//

Error BytePairEncoding::readVocabulary(const json::Object &model,
                                       const std::string &where) {
  const json::Object *vocabulary = model.getObject("vocab");
  JsonFields fields(model, where);
  if (!vocabulary)
    fields.fail("vocab", "an object with a number for each token");
  if (Error error = fields.takeError())
    return error;
  JsonFields entries(*vocabulary, where + ".vocab");
  for (StringRef token : sortedKeys(*vocabulary)) {
    int32_t id = entries.integer(token, 0, tokenIdLimit - 1);
    if (entries.failed())
      return entries.takeError();
    if (size_t(id) >= tokens.size())
      tokens.resize(id + 1);
    if (tokens[id])
      entries.fail(token, Twine("an id of its own"),
                   Twine(id) + ", the id of '" + tokens[id]->getKey() +
                       "' as well");
    tokens[id] = &*ids.try_emplace(token, id).first;
  }
  return entries.takeError();
}

/// The two tokens of a merge, which is "left right" or ["left", "right"].
static std::optional<std::pair<StringRef, StringRef>>
mergedPair(const json::Value &merge) {
  if (std::optional<StringRef> text = merge.getAsString())
    return text->count(' ') == 1 ? std::optional(text->split(' '))
                                 : std::nullopt;
  const json::Array *pair = merge.getAsArray();
  if (!pair || pair->size() != 2 || !(*pair)[0].getAsString() ||
      !(*pair)[1].getAsString())
    return std::nullopt;
  return std::pair(*(*pair)[0].getAsString(), *(*pair)[1].getAsString());
}

Error BytePairEncoding::readMerges(const json::Object &model,
                                   const std::string &where) {
  const json::Array *list = model.getArray("merges");
  JsonFields fields(model, where);
  if (!list)
    fields.fail("merges", "an array");
  if (Error error = fields.takeError())
    return error;
  int32_t rank = 0;
  for (const auto &[index, merge] : enumerate(*list)) {
    std::optional<StringRef> line = merge.getAsString();
    if (line && line->starts_with("#version"))
      continue;
    std::string name = ("merges[" + Twine(index) + "]").str();
    auto pair = mergedPair(merge);
    if (!pair) {
      fields.fail(name, "\"left right\" or [\"left\", \"right\"]",
                  describe(merge));
      return fields.takeError();
    }
    std::string joined = (pair->first + pair->second).str();
    for (StringRef token : {pair->first, pair->second, StringRef(joined)})
      if (!ids.contains(token))
        fields.fail(name, "tokens of the vocabulary", "'" + token + "'");
    if (fields.failed())
      return fields.takeError();
    // Of a repeated pair the last rank counts.
    merges[{ids.lookup(pair->first), ids.lookup(pair->second)}] = {
        rank++, ids.lookup(joined)};
  }
  return Error::success();
}

Expected<BytePairEncoding>
BytePairEncoding::fromJson(const json::Object &model,
                           const std::string &where) {
  BytePairEncoding encoding;
  JsonFields fields(model, where);
  // The first tokenizer.json files had no type.
  if (StringRef type = fields.text("type", "BPE"); type != "BPE")
    fields.fail("type", "BPE");
  rejectUnknownFields(fields, model,
                      {"type", "dropout", "unk_token",
                       "continuing_subword_prefix", "end_of_word_suffix",
                       "fuse_unk", "byte_fallback", "ignore_merges", "vocab",
                       "merges"});
  if (fields.has("dropout") &&
      fields.positive("dropout", std::nullopt, /*zeroAllowed=*/true) != 0)
    fields.fail("dropout", "null or 0, as it makes ids random");
  for (StringRef name : {"continuing_subword_prefix", "end_of_word_suffix"})
    if (fields.has(name) && !fields.text(name).empty())
      fields.fail(name, "null or an empty string");
  auto flag = [&](StringRef name) {
    return fields.has(name) && fields.boolean(name);
  };
  encoding.fuseUnknown = flag("fuse_unk");
  encoding.ignoreMerges = flag("ignore_merges");
  bool byteFallback = flag("byte_fallback");
  if (fields.has("unk_token"))
    encoding.unknownToken = fields.text("unk_token").str();
  if (Error error = fields.takeError())
    return error;
  if (Error error = encoding.readVocabulary(model, where))
    return error;
  if (Error error = encoding.readMerges(model, where))
    return error;
  for (unsigned byte = 0; byteFallback && byte < 256; ++byte) {
    std::string token;
    raw_string_ostream(token) << format("<0x%02X>", byte);
    encoding.byteTokens.push_back(encoding.idOf(token).value_or(-1));
  }
  return encoding;
}

//===-- encoding ----------------------------------------------------------===//

std::optional<int32_t> BytePairEncoding::idOf(StringRef token) const {
  auto found = ids.find(token);
  return found == ids.end() ? std::nullopt
                            : std::optional<int32_t>(found->second);
}

std::optional<StringRef> BytePairEncoding::tokenOf(int32_t id) const {
  if (id < 0 || size_t(id) >= tokens.size() || !tokens[id])
    return std::nullopt;
  return tokens[id]->getKey();
}

/// Appends an id for each character of `piece`. As in Hugging Face tokenizers
/// an unknown token is held back until the next known character, so that bytes
/// get in front of it, and without an unknown token the character is lost.
Error BytePairEncoding::split(StringRef piece,
                              std::vector<int32_t> &symbols) const {
  std::optional<int32_t> unknown;
  for (size_t position = 0; position < piece.size();) {
    size_t begin = position;
    nextCharacter(piece, position);
    StringRef character = piece.slice(begin, position);
    if (std::optional<int32_t> id = idOf(character)) {
      if (unknown)
        symbols.push_back(*unknown);
      unknown = std::nullopt;
      symbols.push_back(*id);
      continue;
    }
    auto idOfByte = [&](uint8_t byte) { return byteTokens[byte]; };
    if (!byteTokens.empty() && all_of(character.bytes(), [&](uint8_t byte) {
          return idOfByte(byte) >= 0;
        })) {
      append_range(symbols, map_range(character.bytes(), idOfByte));
      continue;
    }
    if (!unknownToken)
      continue;
    if (unknown && !fuseUnknown)
      symbols.push_back(*unknown);
    unknown = idOf(*unknownToken);
    if (!unknown)
      return createStringError("cannot encode '" + character +
                               "': neither it nor the unknown token '" +
                               *unknownToken + "' is in the vocabulary");
  }
  if (unknown)
    symbols.push_back(*unknown);
  return Error::success();
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
    auto found = merges.find({symbols[left], symbols[next[left]]});
    if (found != merges.end())
      candidates.push({found->second, left});
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
    auto found = merges.find({symbols[left], symbols[right]});
    if (found == merges.end() || found->second.id != merge.id)
      continue;
    symbols[left] = merge.id;
    symbols[right] = none;
    next[left] = next[right];
    if (next[left] != none)
      previous[next[left]] = left;
    consider(previous[left]);
    consider(left);
  }
  erase(symbols, none);
}

Error BytePairEncoding::encode(StringRef piece,
                               std::vector<int32_t> &ids) const {
  std::optional<int32_t> whole = ignoreMerges ? idOf(piece) : std::nullopt;
  if (whole) {
    ids.push_back(*whole);
    return Error::success();
  }
  std::vector<int32_t> symbols;
  if (Error error = split(piece, symbols))
    return error;
  merge(symbols);
  append_range(ids, symbols);
  return Error::success();
}
