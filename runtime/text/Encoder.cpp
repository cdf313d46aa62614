// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/Encoder.h"

#include "runtime/text/Failure.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>
#include <numeric>

using namespace heddle::text;

/// Texts of one call: more of them share what padding costs.
static constexpr int64_t kLargestBatch = 32;

//===-- the entry point ---------------------------------------------------===//

static const char *nameOf(heddle_role role) {
  switch (role) {
  case HEDDLE_ROLE_EMBEDDING:
    return "an embedding";
  case HEDDLE_ROLE_POOLED:
    return "a pooled vector";
  case HEDDLE_ROLE_LOGITS:
    return "logits";
  default:
    return nullptr;
  }
}

bool Encoder::isResult(const heddle_argument &argument) {
  bool isOfTokens = argument.rank == 3 && wanted == HEDDLE_ROLE_LOGITS;
  if (argument.role != uint32_t(wanted) || argument.type != HEDDLE_TYPE_F32 ||
      (argument.rank != 2 && !isOfTokens))
    return false;
  char *end = nullptr;
  int64_t count = strtoll(argument.extent[argument.rank - 1], &end, 10);
  if (*end)
    return false;
  columnCount = count;
  hasTokens = isOfTokens;
  return true;
}

bool Encoder::takesTexts(const heddle_entry &candidate) {
  bool hasIds = false, hasLengths = false, hasResult = false;
  types = HEDDLE_NO_ARGUMENT;
  for (uint32_t a = 0; a < candidate.argument_count; ++a) {
    const heddle_argument &argument = candidate.arguments[a];
    if (argument.kind == HEDDLE_ARGUMENT_OUTPUT) {
      // A row of a text comes before rows of its tokens.
      if (!(hasResult && argument.rank == 3) && isResult(argument)) {
        hasResult = true;
        result = a;
      }
      continue;
    }
    bool isOfTokens = argument.rank == 2;
    if (argument.type != HEDDLE_TYPE_I32)
      return false;
    if (argument.role == HEDDLE_ROLE_IDS && isOfTokens) {
      hasIds = true;
      ids = a;
    } else if (argument.role == HEDDLE_ROLE_LENGTHS && argument.rank == 1) {
      hasLengths = true;
      lengths = a;
    } else if (argument.role == HEDDLE_ROLE_TYPES && isOfTokens) {
      types = a;
    } else {
      return false;
    }
  }
  if (!hasIds || !hasLengths || !hasResult)
    return false;
  batchSymbol =
      heddle_find_symbol(&candidate, candidate.arguments[ids].extent[0]);
  lengthSymbol =
      heddle_find_symbol(&candidate, candidate.arguments[ids].extent[1]);
  return candidate.symbol_count == 2 && batchSymbol < 2 && lengthSymbol < 2 &&
         batchSymbol != lengthSymbol;
}

void Encoder::findEntry(const heddle_model &model) {
  for (uint32_t e = 0; e < model.entry_count && !entry; ++e)
    if (takesTexts(*model.entries[e]))
      entry = model.entries[e];
  if (!entry)
    throw Failure(
        std::string(model.name) +
        ": expected an entry point of token ids and lengths that has " +
        nameOf(wanted) + " for each text" +
        (wanted == HEDDLE_ROLE_LOGITS ? " or token" : "") + ", found none");
}

Encoder::Encoder(const heddle_model &model, const heddle_weights *weights,
                 const heddle_context *context, const Tokenizer &tokenizer,
                 heddle_role result)
    : tokenizer(tokenizer), wanted(result) {
  if (!nameOf(result))
    throw Failure("result is " + std::to_string(int(result)) +
                  ", expected HEDDLE_ROLE_EMBEDDING, HEDDLE_ROLE_POOLED or "
                  "HEDDLE_ROLE_LOGITS");
  findEntry(model);
  call = std::make_unique<EntryCall>(model, *entry, weights, context);
}

//===-- calls -------------------------------------------------------------===//

void Encoder::runBatch(const std::vector<const Encoding *> &batch) {
  size_t longest = 0;
  for (const Encoding *text : batch)
    longest = std::max(longest, text->ids.size());
  std::vector<int64_t> sizes(2);
  sizes[batchSymbol] = int64_t(batch.size());
  sizes[lengthSymbol] = int64_t(longest);
  call->reserve(std::move(sizes));
  auto fill = [&](uint32_t argument, size_t row,
                  const std::vector<int32_t> &values) {
    auto *to = call->argument<int32_t>(argument) + row * longest;
    std::fill(std::copy(values.begin(), values.end(), to), to + longest, 0);
  };
  for (size_t row = 0; row < batch.size(); ++row) {
    fill(ids, row, batch[row]->ids);
    if (types != HEDDLE_NO_ARGUMENT)
      fill(types, row, batch[row]->typeIds);
    call->argument<int32_t>(lengths)[row] = int32_t(batch[row]->ids.size());
  }
  call->run();
}

Encoding Encoder::encode(const heddle_text_pair &text, size_t number) const {
  auto fail = [&](const char *what) {
    throw Failure("texts[" + std::to_string(number) + "] " + what);
  };
  if ((!text.first && text.first_size) || (!text.second && text.second_size))
    fail("is null");
  EncodeRequest request{{text.first, text.first_size}};
  if (text.second)
    request.second = {text.second, text.second_size};
  // The model's own limit; what a tokenizer says of it may be older.
  request.truncation.maximumLength = entry->symbols[lengthSymbol].maximum;
  Encoding encoding = tokenizer.encode(request);
  if (encoding.ids.empty())
    fail("has no token");
  return encoding;
}

std::vector<int32_t> Encoder::runTokens(const heddle_text_pair &text,
                                        std::vector<float> &values) {
  if (!hasTokens)
    throw Failure("the model gives a row for each text, expected "
                  "heddle_encoder_run");
  Encoding encoding = encode(text, 0);
  runBatch({&encoding});
  const auto *found = call->argument<float>(result);
  values.assign(found, found + encoding.ids.size() * size_t(columnCount));
  return encoding.ids;
}

void Encoder::run(const heddle_text_pair *texts, size_t count, float *values) {
  if (hasTokens)
    throw Failure("the model gives a row for each token, expected "
                  "heddle_encoder_run_tokens");
  std::vector<Encoding> encoded;
  for (size_t i = 0; i < count; ++i)
    encoded.push_back(encode(texts[i], i));
  // Texts of one call are about as long, so that little is padding.
  std::vector<size_t> order(count);
  std::iota(order.begin(), order.end(), size_t(0));
  std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
    return encoded[a].ids.size() < encoded[b].ids.size();
  });
  size_t batch =
      size_t(std::min(kLargestBatch, entry->symbols[batchSymbol].maximum));
  for (size_t first = 0; first < count; first += batch) {
    size_t rows = std::min(batch, count - first);
    std::vector<const Encoding *> part;
    for (size_t row = 0; row < rows; ++row)
      part.push_back(&encoded[order[first + row]]);
    runBatch(part);
    const auto *found = call->argument<float>(result);
    for (size_t row = 0; row < rows; ++row)
      std::copy_n(found + row * columnCount, columnCount,
                  values + order[first + row] * columnCount);
  }
}
