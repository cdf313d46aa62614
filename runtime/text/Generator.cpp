// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/Generator.h"

#include "runtime/text/Failure.h"
#include "runtime/text/Stopwatch.h"

#include <algorithm>
#include <cstdlib>

using namespace heddle::text;

/// Prompts are read in parts of at most so many ids where nobody asks for
/// others: workspaces grow with them.
static constexpr int64_t kDefaultPrefill = 512;

/// Ids that may follow those that the answers to a recording begin with: a
/// language, a task, and that there are no times.
static constexpr int64_t kInstruction = 3;

//===-- options -----------------------------------------------------------===//

heddle_generator_options
heddle::text::defaultOptions(const heddle_model &model) {
  heddle_generator_options options = HEDDLE_GENERATOR_OPTIONS;
  heddle_error error = {};
  check(heddle_default_sampling(&model, &options.sampling, &error), error);
  const heddle_generation_defaults *defaults = model.generation;
  if (!defaults)
    return options;
  options.beams = defaults->beams;
  options.length_penalty = defaults->length_penalty;
  options.early_stopping = int32_t(defaults->early_stopping);
  options.maximum_length = defaults->maximum_length;
  if (defaults->limit || defaults->maximum_length)
    options.limit =
        defaults->limit ? defaults->limit : defaults->maximum_length;
  options.end_ids = defaults->end_ids;
  options.end_count = defaults->end_count;
  options.start_ids = defaults->start_ids;
  options.start_count = defaults->start_count;
  options.rules = defaults->rules;
  return options;
}

void Generator::checkOptions(const heddle_decoder &decoder) {
  heddle_error error = {};
  check(heddle_check_sampling(&options.sampling, &error), error);
  auto fail = [](const std::string &name, auto value,
                 const std::string &expected) {
    throw Failure(name + " is " + std::to_string(value) + ", expected " +
                  expected);
  };
  if (options.limit < 1)
    fail("limit", options.limit, "at least 1");
  if (options.beams < 0)
    fail("beams", options.beams, "at least 0");
  if (options.maximum_length < 0)
    fail("maximum_length", options.maximum_length, "at least 0");
  if (options.beams && !(options.sampling.temperature == 0))
    throw Failure("beams and a temperature are given, expected one of them");
  const heddle_sampling &sampling = options.sampling;
  if (options.beams &&
      (sampling.top_k != 0 || sampling.top_p != 1 || sampling.min_p != 0 ||
       sampling.repetition_penalty != 1))
    throw Failure("a search draws no ids, expected beams without top_k, top_p, "
                  "min_p and a repetition penalty");
  const std::pair<const char *, bool> lists[] = {
      {"end_ids", options.end_count && !options.end_ids},
      {"stops", options.stop_count && !options.stops},
      {"start_ids", options.start_count && !options.start_ids}};
  for (auto [name, isMissing] : lists)
    if (isMissing)
      throw Failure(std::string(name) + " is null");
  if (options.sampling.answer)
    throw Failure("sampling.answer is given, expected the rules of options");
  heddle_answer rules = {};
  rules.rules = &options.rules;
  heddle_sampling sampled = HEDDLE_GREEDY;
  sampled.answer = &rules;
  check(heddle_check_sampling(&sampled, &error), error);
  if (options.stop_count && !tokenizer)
    throw Failure("stop strings need a tokenizer");
  const heddle_step &prefill = decoder.prefill;
  const heddle_source_step &encode = decoder.encode;
  isEncoderDecoder = encode.entry;
  hasTextSources = isEncoderDecoder && encode.lengths != HEDDLE_NO_ARGUMENT;
  if (hasTextSources)
    maximumSource = encode.entry->symbols[encode.length].maximum;
  if (isEncoderDecoder && !options.start_count)
    throw Failure("start_ids is empty, expected what answers begin with");
  for (size_t i = 0; isEncoderDecoder && i < options.start_count; ++i)
    if (options.start_ids[i] < 0 || options.start_ids[i] >= prefill.vocabulary)
      throw Failure("start_ids[" + std::to_string(i) + "] is " +
                    std::to_string(options.start_ids[i]) + ", expected 0 to " +
                    std::to_string(prefill.vocabulary - 1));
  const heddle_argument &taken = hasTextSources
                                     ? encode.entry->arguments[encode.input]
                                     : prefill.entry->arguments[prefill.ids];
  char *end = nullptr;
  int64_t largest = taken.maximum ? strtoll(taken.maximum, &end, 10) : 0;
  if (end && end != taken.maximum && !*end) { // a number, and no size's name
    leastId = taken.minimum;
    largestId = largest;
  }
  int64_t positions = prefill.entry->symbols[prefill.capacity].maximum;
  if (options.capacity == 0 && isEncoderDecoder)
    options.capacity =
        std::min(positions, int64_t(options.start_count) + kInstruction +
                                std::min(options.limit, positions));
  if (options.capacity == 0)
    options.capacity = positions;
  if (options.capacity < 1 || options.capacity > positions)
    fail("capacity", options.capacity,
         "1 to the model's " + std::to_string(positions) + " positions");
  if (options.prefill_length == 0)
    options.prefill_length = std::min(options.capacity, kDefaultPrefill);
}

Generator::Generator(const heddle_model &model, const heddle_weights *weights,
                     const heddle_context *context, const Tokenizer *tokenizer,
                     const heddle_generator_options &given)
    : tokenizer(tokenizer), options(given), random{given.seed, 0} {
  heddle_error error = {};
  heddle_decoder decoder = {};
  check(heddle_find_decoder(&model, &decoder, &error), error);
  checkOptions(decoder);
  ends.assign(given.end_ids, given.end_ids + given.end_count);
  starts.assign(given.start_ids, given.start_ids + given.start_count);
  heddle_rules &rules = options.rules;
  suppressed.assign(rules.suppressed_ids,
                    rules.suppressed_ids + rules.suppressed_count);
  suppressedFirst.assign(rules.suppressed_first,
                         rules.suppressed_first + rules.suppressed_first_count);
  rules.suppressed_ids = suppressed.data();
  rules.suppressed_first = suppressedFirst.data();
  auto copy = [](const int32_t *&id, std::vector<int32_t> &to) {
    if (id)
      id = &to.emplace_back(*id);
  };
  copy(rules.forced_first, forcedFirst);
  copy(rules.forced_last, forcedLast);
  for (size_t i = 0; i < given.stop_count; ++i) {
    if (!given.stops[i] || !*given.stops[i])
      throw Failure("stops[" + std::to_string(i) +
                    "] is empty, expected some text");
    stops.emplace_back(given.stops[i]);
  }
  heddle_session *created = nullptr;
  check(heddle_session_create(&model, weights, context,
                              std::max<int64_t>(options.beams, 1),
                              options.prefill_length, options.capacity,
                              /*allocator=*/nullptr, &created, &error),
        error);
  session.reset(created);
  if (isEncoderDecoder && !hasTextSources)
    listener.emplace(model, decoder.encode, weights, context);
}

//===-- ids ---------------------------------------------------------------===//

bool Generator::isEnd(int32_t id) const {
  return std::find(ends.begin(), ends.end(), id) != ends.end();
}

double &Generator::secondsOf(bool isPrompt) {
  return isPrompt ? measured.prefill_seconds : measured.decode_seconds;
}

void Generator::append(const std::vector<int32_t> &appended, bool isPrompt) {
  Stopwatch stopwatch(secondsOf(isPrompt));
  int64_t batch = std::max<int64_t>(options.beams, 1);
  // Each sequence of a search begins with the prompt.
  std::vector<int32_t> all;
  for (int64_t b = 0; b < (isPrompt ? batch : 1); ++b)
    all.insert(all.end(), appended.begin(), appended.end());
  int64_t length = isPrompt ? int64_t(appended.size()) : 1;
  heddle_error error = {};
  check(heddle_session_append(session.get(), all.data(), length, &error),
        error);
  (isPrompt ? measured.prefill_ids : measured.decode_ids) += batch * length;
}

int32_t Generator::chooseId() {
  Stopwatch stopwatch(secondsOf(generated == 0));
  heddle_error error = {};
  int32_t id = 0;
  heddle_sampling sampling = options.sampling;
  sampling.answer = &answer;
  check(heddle_session_sample(session.get(), &sampling, &random, &id, &error),
        error);
  return id;
}

const float *Generator::logits(bool isPrompt) {
  Stopwatch stopwatch(secondsOf(isPrompt));
  heddle_error error = {};
  const float *found = nullptr;
  check(heddle_session_logits(session.get(), &found, &error), error);
  return found;
}

void Generator::search() {
  heddle_error error = {};
  // An id that the model cannot give ends nothing.
  std::vector<int32_t> known;
  for (int32_t id : ends)
    if (id >= 0 && id < heddle_session_vocabulary(session.get()))
      known.push_back(id);
  heddle_beam_options beams = {};
  beams.width = options.beams;
  beams.vocabulary = heddle_session_vocabulary(session.get());
  // What follows the last position is known, though it has none itself.
  beams.maximum_length =
      std::min(options.limit,
               options.capacity - heddle_session_filled(session.get()) + 1);
  if (options.maximum_length)
    beams.maximum_length = std::min(
        beams.maximum_length, options.maximum_length - int64_t(ids.size()));
  beams.end_ids = known.data();
  beams.end_count = int64_t(known.size());
  beams.length_penalty = options.length_penalty;
  beams.early_stopping = options.early_stopping;
  beams.rules = &options.rules;
  beams.prompt_ids = ids.data();
  beams.prompt_count = int64_t(ids.size());
  heddle_beam_search *created = nullptr;
  check(heddle_beam_search_create(&beams, nullptr, &created, &error), error);
  std::unique_ptr<heddle_beam_search, DestroySearch> search(created);
  std::vector<int32_t> parents(beams.width), next(beams.width);
  for (bool isPrompt = true;; isPrompt = false) {
    check(heddle_beam_search_step(created, logits(isPrompt), parents.data(),
                                  next.data(), &error),
          error);
    if (heddle_beam_search_is_finished(created))
      break;
    check(heddle_session_reorder(session.get(), parents.data(), &error), error);
    append(next, /*isPrompt=*/false);
  }
  heddle_hypothesis best = {};
  found.emplace(beams.maximum_length);
  check(heddle_beam_search_get(created, 0, &best, found->data(), &error),
        error);
  foundEnd = best.has_end;
  found->resize(best.length - best.has_end);
  std::reverse(found->begin(), found->end());
}

std::optional<int32_t> Generator::nextId() {
  if (!unread.empty() && (!options.beams || generated == 0)) {
    append(unread, /*isPrompt=*/generated == 0);
    unread.clear();
  }
  if (options.beams) {
    if (!found)
      search();
    if (found->empty())
      return std::nullopt;
    int32_t id = found->back();
    found->pop_back();
    return id;
  }
  int32_t id = chooseId();
  return isEnd(id) ? std::nullopt : std::optional(id);
}

//===-- pieces ------------------------------------------------------------===//

void Generator::checkRoom(size_t count) const {
  auto fail = [&](int64_t room, int64_t all) {
    throw Failure("the prompt has " + std::to_string(count) + " tokens, and " +
                  std::to_string(room) + " of " + std::to_string(all) +
                  " positions are free");
  };
  if (isEncoderDecoder) {
    if (int64_t(count) > maximumSource)
      fail(maximumSource, maximumSource);
    return;
  }
  int64_t taken = heddle_session_filled(session.get()) + int64_t(unread.size());
  int64_t room = std::max<int64_t>(options.capacity - taken, 0);
  if (int64_t(count) > room)
    fail(room, options.capacity);
}

void Generator::checkIds(const int32_t *given, size_t count) const {
  for (size_t i = 0; i < count; ++i)
    if (given[i] < leastId || given[i] > largestId)
      throw Failure("id " + std::to_string(i + 1) + " of the prompt is " +
                        std::to_string(given[i]) + ", expected " +
                        std::to_string(leastId) + " to " +
                        std::to_string(largestId),
                    HEDDLE_OUT_OF_RANGE);
}

void Generator::readSource(const int32_t *given, size_t count) {
  Stopwatch stopwatch(measured.prefill_seconds);
  // Each sequence of a search has the same source.
  int64_t batch = std::max<int64_t>(options.beams, 1);
  std::vector<int32_t> all;
  for (int64_t b = 0; b < batch; ++b)
    all.insert(all.end(), given, given + count);
  heddle_error error = {};
  check(heddle_session_encode(session.get(), all.data(), /*lengths=*/nullptr,
                              int64_t(count), &error),
        error);
  measured.prefill_ids += batch * int64_t(count);
}

void Generator::prompt(const int32_t *given, size_t count) {
  if (listener)
    throw Failure("the model answers recordings, and no texts");
  if (count == 0 && (ids.empty() || isEncoderDecoder))
    throw Failure("the prompt has no token");
  checkRoom(count);
  checkIds(given, count);
  std::vector<int32_t> added(given, given + count);
  if (isEncoderDecoder) {
    readSource(given, count);
    ids.clear();
    unread.clear();
    added = starts;
  } else if (options.beams && hasPrompt) {
    throw Failure("a search goes on after one prompt, expected no other");
  }
  begin(added);
}

void Generator::begin(const std::vector<int32_t> &added) {
  if (options.maximum_length &&
      int64_t(ids.size() + added.size()) >= options.maximum_length)
    throw Failure("the sequence has " +
                  std::to_string(ids.size() + added.size()) +
                  " tokens with the prompt, expected fewer than "
                  "maximum_length, " +
                  std::to_string(options.maximum_length));
  ids.insert(ids.end(), added.begin(), added.end());
  unread.insert(unread.end(), added.begin(), added.end());
  generated = 0;
  finish = HEDDLE_FINISH_NONE;
  hasPrompt = true;
  found.reset();
  int64_t maximum;
  if (__builtin_add_overflow(int64_t(ids.size()), options.limit, &maximum))
    maximum = INT64_MAX;
  if (options.maximum_length)
    maximum = std::min(maximum, options.maximum_length);
  answer = {&options.rules, ends.data(), int64_t(ends.size()),
            int64_t(ids.size()), maximum};
  pending = StopStrings(stops);
  if (tokenizer)
    stream.emplace(*tokenizer, ids);
}

//===-- the next piece ----------------------------------------------------===//

heddle_piece Generator::next() {
  if (!hasPrompt)
    throw Failure("there is no prompt yet");
  heddle_piece piece = {"", 0, -1, finish};
  if (finish != HEDDLE_FINISH_NONE)
    return piece;
  shown.clear();
  std::optional<int32_t> id = nextId();
  if (id) {
    piece.id = *id;
    ids.push_back(*id);
    unread.push_back(*id);
    ++generated;
    if (stream)
      shown = pending.push(stream->push(*id));
  }
  int64_t filled = heddle_session_filled(session.get());
  bool isLast = options.beams && found->empty();
  if (!id || (isLast && foundEnd))
    finish = HEDDLE_FINISH_END;
  else if (pending.isStopped())
    finish = HEDDLE_FINISH_STOP;
  else if (generated == options.limit ||
           int64_t(ids.size()) == options.maximum_length)
    finish = HEDDLE_FINISH_LIMIT;
  else if (options.beams ? isLast : filled == options.capacity)
    finish = HEDDLE_FINISH_FULL;
  if (stream && finish != HEDDLE_FINISH_NONE && finish != HEDDLE_FINISH_STOP) {
    shown += pending.push(stream->finish());
    shown += pending.finish();
  }
  if (goesOn())
    listenOn();
  piece.text = shown.c_str();
  piece.size = shown.size();
  piece.finish = finish;
  return piece;
}
