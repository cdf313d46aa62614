// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/Unigram.h"

#include "runtime/text/Failure.h"
#include "runtime/text/SplitPattern.h"
#include "runtime/text/Utf8.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <limits>

using namespace heddle::text;

// From the lowest score to that of an unknown character, as in sentencepiece's
// unigram_model.cc.
static constexpr double unknownPenalty = 10;

//===-- reading -----------------------------------------------------------===//

/// "vocab": [token, score] for each id.
static const Json &entriesOf(const Json &model, const std::string &where) {
  const Json *entries = findArray(model, "vocab");
  Fields fields(model, where);
  if (!entries)
    fields.fail("vocab", "an array of [token, score]");
  if (entries->size() > size_t(tokenIdLimit))
    fields.fail("vocab", "at most " + std::to_string(tokenIdLimit) + " tokens",
                std::to_string(entries->size()));
  for (size_t id = 0; id < entries->size(); ++id) {
    const Json &entry = (*entries)[id];
    if (!entry.is_array() || entry.size() != 2 || !entry[0].is_string() ||
        !entry[1].is_number())
      fields.fail("vocab[" + std::to_string(id) + "]", "[token, score]",
                  describe(entry));
  }
  return *entries;
}

static Vocabulary readVocabulary(const Json &entries) {
  Vocabulary vocabulary;
  for (size_t id = 0; id < entries.size(); ++id)
    vocabulary.add(*textOf(entries[id][0]), int32_t(id));
  return vocabulary;
}

/// The number as serde_json reads its decimal digits, which Hugging Face's
/// engine uses: rounded twice, and so at times not the nearest double. Paths of
/// the same tokens in another order differ by as little.
static double asSerdeReads(double number) {
  char text[32];
  // Digits as few as the number needs, as writers of JSON have them.
  auto [end, code] = std::to_chars(text, std::end(text), std::abs(number),
                                   std::chars_format::scientific);
  uint64_t digits = 0;
  int exponent = 0;
  const char *place = text;
  for (; place < end && *place != 'e'; ++place) {
    if (*place == '.')
      continue;
    digits = digits * 10 + uint64_t(*place - '0');
    exponent -= place > text;
  }
  int written = 0;
  // from_chars takes no plus sign.
  place += place + 1 < end && place[1] == '+' ? 2 : 1;
  std::from_chars(place, end, written);
  exponent += written;
  auto result = double(digits);
  if (exponent < -308) {
    result /= 1e308;
    exponent += 308;
  }
  double power = std::pow(10.0L, std::abs(exponent));
  result = exponent < 0 ? result / power : result * power;
  return std::signbit(number) ? -result : result;
}

Unigram::Unigram(const Json &model, const std::string &where)
    : TokenModel(readVocabulary(entriesOf(model, where))), where(where) {
  Fields fields(model, where);
  fields.rejectOthers({"type", "vocab", "unk_id", "byte_fallback"});
  if (fields.has("unk_id"))
    unknownId =
        int32_t(fields.integer("unk_id", std::max(vocabulary.size() - 1, 0)));
  if (unknownId && vocabulary.size() == 0)
    fields.fail("vocab", "the token with the id 'unk_id'");
  double lowest = std::numeric_limits<double>::infinity();
  for (const Json &entry : model["vocab"]) {
    auto id = int32_t(scores.size());
    scores.push_back(asSerdeReads(entry[1].get<double>()));
    lowest = std::min(lowest, scores.back());
    // Of a token that is there twice, the last id counts.
    tokens.insert(*textOf(entry[0]), id) = id;
  }
  unknownScore = lowest - unknownPenalty;
  if (fields.boolean("byte_fallback", false))
    byteTokens = vocabulary.byteTokens();
}

//===-- encoding ----------------------------------------------------------===//

/// Viterbi's algorithm. Of paths that are as good, the one that is found first
/// counts: the one with the longest last token.
std::vector<Unigram::Step> Unigram::bestPaths(std::string_view piece,
                                              Budget &budget) const {
  std::vector<Step> steps(piece.size() + 1);
  for (size_t end = 0; end < steps.size(); ++end)
    steps[end].begin = end;
  for (size_t begin = 0; begin < piece.size();) {
    double before = steps[begin].score;
    auto consider = [&](size_t end, int32_t id, double score) {
      Step &step = steps[end];
      if (step.begin == end || before + score > step.score)
        step = {before + score, begin, id};
    };
    size_t next = begin;
    nextCharacter(piece, next);
    bool isKnown = false;
    size_t position = begin;
    for (Trie::Node node = Trie::root; position < piece.size();) {
      node = tokens.child(node, piece[position++]);
      if (node == Trie::none)
        break;
      int32_t id = tokens.idAt(node);
      if (id < 0)
        continue;
      consider(position, id, scores[id]);
      isKnown |= position == next;
    }
    budget.spend(Trie::stepsPerNode * int64_t(position - begin), where);
    if (!isKnown) {
      if (!unknownId)
        throw Failure("cannot encode '" +
                      std::string(piece.substr(begin, next - begin)) +
                      "': it is not in the vocabulary, and there is no unknown "
                      "token");
      consider(next, *unknownId, unknownScore);
    }
    begin = next;
  }
  return steps;
}

void Unigram::append(std::string_view token, std::vector<int32_t> &ids) const {
  // Unknown characters together may be a token, of a low score.
  if (std::optional<int32_t> id = vocabulary.idOf(token)) {
    ids.push_back(*id);
    return;
  }
  auto idOfByte = [&](uint8_t byte) { return byteTokens[byte]; };
  if (!byteTokens.empty() &&
      std::all_of(token.begin(), token.end(),
                  [&](uint8_t byte) { return idOfByte(byte) >= 0; }))
    std::transform(token.begin(), token.end(), std::back_inserter(ids),
                   idOfByte);
  else
    ids.push_back(*unknownId);
}

void Unigram::encode(std::string_view piece, std::vector<int32_t> &ids,
                     Budget &budget) const {
  std::vector<Step> steps = bestPaths(piece, budget);
  // From the end to the begin.
  std::vector<TextRange> ranges;
  bool isUnknown = false;
  for (size_t end = piece.size(); end > 0; end = steps[end].begin) {
    bool wasUnknown = isUnknown;
    isUnknown = steps[end].id == unknownId;
    if (wasUnknown && isUnknown)
      ranges.back().begin = steps[end].begin;
    else
      ranges.push_back({steps[end].begin, end});
  }
  for (auto range = ranges.rbegin(); range != ranges.rend(); ++range)
    append(range->of(piece), ids);
}
