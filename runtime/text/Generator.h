// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Continues prompts with a model, id by id or by a search.

#ifndef HEDDLE_TEXT_GENERATOR_H
#define HEDDLE_TEXT_GENERATOR_H

#include "runtime/text/Listener.h"
#include "runtime/text/Speech.h"
#include "runtime/text/StopStrings.h"
#include "runtime/text/Tokenizer.h"
#include "runtime/text/heddle_text.h"

#include <memory>
#include <optional>
#include <vector>

namespace heddle::text {

/// heddle_generator_default_options without a tokenizer.
heddle_generator_options defaultOptions(const heddle_model &model);

/// The class behind heddle_generator; the C API says what each function does.
class Generator {
public:
  /// `tokenizer` may be null.
  Generator(const heddle_model &model, const heddle_weights *weights,
            const heddle_context *context, const Tokenizer *tokenizer,
            const heddle_generator_options &options);

  void prompt(const int32_t *ids, size_t count);
  /// Answers with the text of a recording, whose windows are sources, one after
  /// the other.
  void listen(const float *samples, size_t count, const Speech &speech,
              const heddle_speech_options &options);
  /// Valid until the next call.
  heddle_piece next();
  heddle_generator_stats stats() const { return measured; }

private:
  struct DestroySession {
    void operator()(heddle_session *session) const {
      heddle_session_destroy(session);
    }
  };
  struct DestroySearch {
    void operator()(heddle_beam_search *search) const {
      heddle_beam_search_destroy(search);
    }
  };

  void checkOptions(const heddle_decoder &decoder);
  void checkRoom(size_t count) const;
  /// Fails where one of `ids` is outside the vocabulary.
  void checkIds(const int32_t *ids, size_t count) const;
  void readSource(const int32_t *ids, size_t count);
  /// Goes on with the next window of the recording.
  void listenOn();
  int32_t detectLanguage(const Speech &speech);
  /// Reads the first window. The result is what answers begin with.
  std::vector<int32_t> hear(const Speech &speech, const std::string &language,
                            const std::string &task);
  std::vector<int32_t> hearForced(const Speech &speech);
  /// Begins an answer behind `added`, the ids of a prompt.
  void begin(const std::vector<int32_t> &added);
  /// Whether, at the end of an answer, there is more of the recording.
  bool goesOn() const;
  /// Appends `ids` to each sequence, and measures how long that takes.
  void append(const std::vector<int32_t> &ids, bool isPrompt);
  int32_t chooseId();
  /// Those that follow what was appended last, a prompt or not.
  const float *logits(bool isPrompt);
  /// What time counts for.
  double &secondsOf(bool isPrompt);
  /// Runs the whole search; `found` has its best hypothesis.
  void search();
  /// The next id, or none where an end is reached.
  std::optional<int32_t> nextId();
  bool isEnd(int32_t id) const;

  const Tokenizer *tokenizer;
  heddle_generator_options options;
  int64_t leastId = INT32_MIN, largestId = INT32_MAX; ///< that the model takes
  /// Whether prompts are sources of an encoder; and the longest that one may
  /// be.
  bool isEncoderDecoder = false, hasTextSources = false;
  int64_t maximumSource = 0;
  std::vector<int32_t> starts; ///< of an answer, where that is so
  std::vector<int32_t> ends;
  /// Of the rules; the last two have an id, or none.
  std::vector<int32_t> suppressed, suppressedFirst, forcedFirst, forcedLast;
  heddle_answer answer = {};
  std::vector<std::string> stops;
  std::unique_ptr<heddle_session, DestroySession> session;

  std::vector<int32_t> ids; ///< of the sequence so far
  std::vector<int32_t>
      unread;            ///< the last of them, which the model has not seen
  int64_t generated = 0; ///< since the prompt
  heddle_random random = {};
  std::optional<std::vector<int32_t>> found; ///< by a search, in reverse
  bool foundEnd = false;

  std::optional<Listener> listener; ///< where sources are recordings
  std::vector<float> recording;
  size_t heard = 0;                 ///< samples of it that sources have had
  std::vector<int32_t> instruction; ///< what its answers begin with

  std::optional<TokenStream> stream;
  StopStrings pending;
  std::string shown; ///< what the last piece points to
  heddle_finish finish = HEDDLE_FINISH_NONE;
  bool hasPrompt = false;
  heddle_generator_stats measured = {};
};

} // namespace heddle::text

#endif // HEDDLE_TEXT_GENERATOR_H
