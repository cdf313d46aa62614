// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/heddle-run/Continuation.h"

#include "compiler/tools/heddle-run/Session.h"

#include "llvm/ADT/STLExtras.h"

using namespace heddle;
using namespace llvm;

/// Every sequence of the batch begins with the prompt.
static Error prefill(LanguageModel &model, const ContinuationTask &task,
                     ContinuationResult &result) {
  std::vector<int32_t> ids;
  for (int64_t b = 0; b < model.batch(); ++b)
    append_range(ids, task.prompt);
  Stopwatch stopwatch;
  Error error = model.prefill(ids);
  result.prefillSeconds = stopwatch.seconds();
  return error;
}

Expected<ContinuationResult>
heddle::drawContinuation(LanguageModel &model, const ContinuationTask &task,
                         const heddle_sampling &sampling, uint64_t seed,
                         ShowId show) {
  ContinuationResult result;
  if (Error error = prefill(model, task, result))
    return error;
  std::vector<int32_t> ids = task.prompt;
  std::vector<heddle_candidate> scratch(model.vocabularySize());
  heddle_random random = {seed, 0};
  Stopwatch stopwatch;
  while (true) {
    int32_t id = 0;
    heddle_error error = {};
    if (Error failure = toError(
            heddle_choose_id(&sampling, model.logits().data(),
                             model.vocabularySize(), ids.data(), ids.size(),
                             &random, scratch.data(), &id, &error),
            error))
      return failure;
    result.hasEnd = is_contained(task.ends, id);
    if (result.hasEnd)
      break;
    if (Error failure = show(id))
      return failure;
    ids.push_back(id);
    if (++result.length == task.limit)
      break;
    if (Error failure = model.decode(id))
      return failure;
    ++result.steps;
  }
  result.decodeSeconds = stopwatch.seconds();
  return result;
}

namespace {

struct DestroySearch {
  void operator()(heddle_beam_search *search) const {
    heddle_beam_search_destroy(search);
  }
};
using Search = std::unique_ptr<heddle_beam_search, DestroySearch>;

} // namespace

static Expected<Search> createSearch(const LanguageModel &model,
                                     const ContinuationTask &task,
                                     float lengthPenalty) {
  // An id that the model cannot give ends nothing.
  std::vector<int32_t> ends;
  copy_if(task.ends, std::back_inserter(ends),
          [&](int32_t id) { return id >= 0 && id < model.vocabularySize(); });
  heddle_beam_options options = {};
  options.width = model.batch();
  options.vocabulary = model.vocabularySize();
  options.maximum_length = task.limit;
  options.end_ids = ends.data();
  options.end_count = static_cast<int64_t>(ends.size());
  options.length_penalty = lengthPenalty;
  heddle_beam_search *search = nullptr;
  heddle_error error = {};
  if (Error failure = toError(
          heddle_beam_search_create(&options, nullptr, &search, &error), error))
    return failure;
  return Search(search);
}

static Error showBest(const heddle_beam_search &search, int64_t limit,
                      ContinuationResult &result, ShowId show) {
  std::vector<int32_t> ids(limit);
  heddle_hypothesis best = {};
  heddle_error error = {};
  if (Error failure = toError(
          heddle_beam_search_get(&search, 0, &best, ids.data(), &error), error))
    return failure;
  result.hasEnd = best.has_end;
  result.length = best.length - best.has_end;
  for (int32_t id : ArrayRef<int32_t>(ids).take_front(result.length))
    if (Error failure = show(id))
      return failure;
  return Error::success();
}

Expected<ContinuationResult>
heddle::searchContinuation(LanguageModel &model, const ContinuationTask &task,
                           float lengthPenalty, ShowId show) {
  ContinuationResult result;
  if (Error error = prefill(model, task, result))
    return error;
  Expected<Search> search = createSearch(model, task, lengthPenalty);
  if (!search)
    return search.takeError();
  std::vector<int32_t> parents(model.batch()), ids(model.batch());
  Stopwatch stopwatch;
  while (true) {
    heddle_error error = {};
    if (Error failure = toError(
            heddle_beam_search_step(search->get(), model.logits().data(),
                                    parents.data(), ids.data(), &error),
            error))
      return failure;
    if (heddle_beam_search_is_finished(search->get()))
      break;
    if (Error failure = model.reorder(parents))
      return failure;
    if (Error failure = model.decode(ids))
      return failure;
    ++result.steps;
  }
  result.decodeSeconds = stopwatch.seconds();
  if (Error failure = showBest(**search, task.limit, result, show))
    return failure;
  return result;
}
