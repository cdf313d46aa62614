// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/GenerationRules.h"

using namespace llvm;
using namespace heddle;

static constexpr StringLiteral names[] = {
    "bad_words_ids",        "begin_suppress_tokens",
    "forced_bos_token_id",  "forced_eos_token_id",
    "min_length",           "min_new_tokens",
    "no_repeat_ngram_size", "renormalize_logits",
    "suppress_tokens",
};

ArrayRef<StringLiteral> heddle::generationRuleFields() { return names; }

/// Ids of a list. Those outside the vocabulary are left out, as they change
/// nothing.
static void readIds(JsonFields &fields, StringRef name, int64_t vocabularySize,
                    SmallVector<int64_t> &ids) {
  if (!fields.has(name))
    return;
  for (int64_t id : fields.integers(name, 0, INT32_MAX))
    if (id < vocabularySize)
      ids.push_back(id);
}

/// Words of one id each. A longer word forbids its last id behind the others,
/// which heddle_rules cannot say.
static void readBadWords(JsonFields &fields, const json::Object &object,
                         int64_t vocabularySize, SmallVector<int64_t> &ids) {
  constexpr StringLiteral name = "bad_words_ids";
  if (!fields.has(name))
    return;
  const json::Array *words = object.getArray(name);
  auto idOf = [](const json::Value &word) -> std::optional<int64_t> {
    const json::Array *parts = word.getAsArray();
    std::optional<int64_t> id;
    if (parts && parts->size() == 1)
      id = parts->front().getAsInteger();
    return id && *id >= 0 && *id <= INT32_MAX ? id : std::nullopt;
  };
  if (!words || !all_of(*words, idOf))
    return fields.fail(name, "a list of lists of one id each");
  for (const json::Value &word : *words)
    if (*idOf(word) < vocabularySize)
      ids.push_back(*idOf(word));
}

static std::optional<int64_t> readId(JsonFields &fields, StringRef name,
                                     int64_t vocabularySize) {
  return fields.has(name)
             ? std::optional(fields.integer(name, 0, vocabularySize - 1))
             : std::nullopt;
}

void heddle::readGenerationRules(JsonFields &fields, const json::Object &object,
                                 int64_t vocabularySize, bool isEncoderDecoder,
                                 GenerationDefaults &defaults,
                                 SmallVector<int64_t> &badWords) {
  auto count = [&](StringRef name) {
    return fields.has(name) ? fields.integer(name, 0, INT32_MAX) : 0;
  };
  readIds(fields, "suppress_tokens", vocabularySize, defaults.suppressedIds);
  readBadWords(fields, object, vocabularySize, badWords);
  defaults.renormalizes =
      fields.has("renormalize_logits") && fields.boolean("renormalize_logits");
  readIds(fields, "begin_suppress_tokens", vocabularySize,
          defaults.suppressedFirst);
  defaults.minimumLength = count("min_length");
  defaults.minimumNew = count("min_new_tokens");
  // transformers, too, takes the second where both are there.
  if (fields.has("min_new_tokens"))
    defaults.minimumLength = 0;
  defaults.uniqueRun = count("no_repeat_ngram_size");
  defaults.forcedLast = readId(fields, "forced_eos_token_id", vocabularySize);
  if (isEncoderDecoder)
    defaults.forcedFirst =
        readId(fields, "forced_bos_token_id", vocabularySize);
  else if (fields.has("forced_bos_token_id"))
    fields.fail("forced_bos_token_id", "null (nothing else is supported)");
}
