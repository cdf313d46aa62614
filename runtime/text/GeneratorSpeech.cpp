// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Answers to recordings: which language and task they are told, and windows
// that follow each other.

#include "runtime/text/Failure.h"
#include "runtime/text/Generator.h"
#include "runtime/text/Stopwatch.h"

#include <algorithm>
#include <cmath>

using namespace heddle::text;

/// The largest sample, that of 16-bit integers as they are: spectrograms are
/// relative to the loudest sample, and alike for them. Squares of larger
/// samples could exceed f32.
static constexpr float kLoudest = 32768;

int32_t Generator::detectLanguage(const Speech &speech) {
  if (speech.languages.empty())
    throw Failure("language is not given, and the tokenizer's folder names "
                  "none (lang_to_id of generation_config.json)");
  append(starts, /*isPrompt=*/true);
  const float *row = logits(/*isPrompt=*/true);
  std::optional<int32_t> best;
  for (const auto &[name, id] : speech.languages)
    if (id < heddle_session_vocabulary(session.get()) &&
        (!best || row[id] > row[*best]))
      best = id;
  heddle_session_restart(session.get());
  if (!best)
    throw Failure("the model has no id of a language");
  return *best;
}

void Generator::listenOn() {
  {
    Stopwatch stopwatch(measured.prefill_seconds);
    size_t count = std::min(listener->window(), recording.size() - heard);
    const float *features = listener->run(recording.data() + heard, count);
    heard += count;
    std::vector<float> all;
    for (int64_t b = 0; b < std::max<int64_t>(options.beams, 1); ++b)
      all.insert(all.end(), features, features + listener->size());
    heddle_error error = {};
    check(heddle_session_encode_tensor(session.get(), all.data(), &error),
          error);
  }
  ids.clear();
  unread.clear();
  if (!instruction.empty())
    begin(instruction);
}

bool Generator::goesOn() const {
  return (finish == HEDDLE_FINISH_END || finish == HEDDLE_FINISH_LIMIT ||
          finish == HEDDLE_FINISH_FULL) &&
         heard < recording.size();
}

std::vector<int32_t> Generator::hear(const Speech &speech,
                                     const std::string &language,
                                     const std::string &task) {
  std::vector<int32_t> told = starts;
  if (!speech.isMultilingual) {
    listenOn();
    return told;
  }
  // Before the recording is read, which takes long.
  int32_t taskId = speech.taskId(task.empty() ? "transcribe" : task);
  if (!language.empty())
    told.push_back(speech.languageId(language));
  listenOn();
  if (language.empty())
    told.push_back(detectLanguage(speech));
  told.push_back(taskId);
  return told;
}

std::vector<int32_t> Generator::hearForced(const Speech &speech) {
  std::vector<int32_t> told = starts;
  listenOn();
  for (std::optional<int32_t> id : speech.forced)
    told.push_back(id ? *id : detectLanguage(speech));
  return told;
}

void Generator::listen(const float *samples, size_t count, const Speech &speech,
                       const heddle_speech_options &asked) {
  if (!listener)
    throw Failure("the model answers texts, and no recordings");
  if (count == 0)
    throw Failure("the recording has no sample");
  for (size_t k = 0; k < count; ++k)
    if (!(std::abs(samples[k]) <= kLoudest)) // of NaN, too
      throw Failure("samples[" + std::to_string(k) + "] is " +
                    std::to_string(samples[k]) + ", expected -1 to 1");
  if (!speech.isMultilingual && (asked.language || asked.task))
    throw Failure(std::string(asked.language ? "language" : "task") +
                  " is given, and the model has but one");
  bool isAsked = asked.language || asked.task || !speech.language.empty() ||
                 !speech.task.empty();
  recording.assign(samples, samples + count);
  heard = 0;
  instruction.clear();
  std::vector<int32_t> told =
      !isAsked && !speech.forced.empty()
          ? hearForced(speech)
          : hear(speech, asked.language ? asked.language : speech.language,
                 asked.task ? asked.task : speech.task);
  if (speech.noTimestamps && told.back() != *speech.noTimestamps)
    told.push_back(*speech.noTimestamps);
  const int64_t last = heddle_session_vocabulary(session.get()) - 1;
  for (int32_t id : told)
    if (id > last)
      throw Failure("generation_config.json of the tokenizer's folder has "
                    "answers begin with id " +
                    std::to_string(id) + ", expected 0 to " +
                    std::to_string(last));
  instruction = told;
  begin(instruction);
}
