// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A model that continues sequences, made by hand: its cache keeps the ids, and
// its logits say what is in it; one of them is NaN where that is 13.

#ifndef HEDDLE_TEST_RUNTIME_SESSIONTESTING_H
#define HEDDLE_TEST_RUNTIME_SESSIONTESTING_H

#include "test/Runtime/CallTesting.h"

namespace session_testing {

using namespace call_testing;

constexpr int64_t kVocabulary = 100;
constexpr int64_t kPositions = 64;

inline const heddle_symbol kSessionSymbols[] = {
    {"batch", HEDDLE_COUNT_BATCH, 0, 1, 8},
    {"length", HEDDLE_COUNT_LENGTH, 0, 1, kPositions},
    {"capacity", HEDDLE_COUNT_CAPACITY, 0, 1, kPositions}};

inline const heddle_argument kStepArguments[] = {
    makeIds("ids", {"batch", "length"}, 2), makeStarts("starts", 2),
    makeLengths("lengths", "length"), makeCache("cache", "capacity"),
    makeArgument("logits", HEDDLE_ARGUMENT_OUTPUT, HEDDLE_TYPE_F32,
                 {"batch", "100"}, HEDDLE_ROLE_LOGITS)};
// Of a call of decode, whose sizes are batch and capacity.
inline const heddle_argument kOneStepArguments[] = {
    wide(makeIds("ids", {"batch", "1"}, 2)), wide(makeStarts("starts", 2)),
    wide(makeLengths("lengths", "1")), makeCache("cache", "capacity"),
    makeArgument("logits", HEDDLE_ARGUMENT_OUTPUT, HEDDLE_TYPE_F32,
                 {"batch", "100"}, HEDDLE_ROLE_LOGITS)};
inline const heddle_symbol kOneStepSymbols[] = {kSessionSymbols[0],
                                                kSessionSymbols[2]};

inline thread_local int calls = 0;
inline thread_local int failAt = 0; ///< the number of the call that fails

// Sequence b of the cache is its ids, a byte each; its logits are 1 at the sum
// of all of them, and 0 elsewhere.
template <typename Integer>
int append(const heddle_frame *frame, int64_t length, int64_t capacity) {
  if (++calls == failAt)
    return 5;
  const auto *ids = static_cast<const Integer *>(frame->buffers[0]);
  const auto *starts = static_cast<const Integer *>(frame->buffers[1]);
  const auto *lengths = static_cast<const Integer *>(frame->buffers[2]);
  auto *cache = static_cast<uint8_t *>(frame->buffers[3]);
  auto *logits = static_cast<float *>(frame->buffers[4]);
  (void)capacity;
  for (int64_t b = 0; b < frame->sizes[0]; ++b) {
    // Two sequences to a part; the first part's bytes suffice.
    uint8_t *sequence = cache + b * 16 * HEDDLE_CACHE_BLOCK;
    for (int64_t i = 0; i < lengths[b]; ++i)
      sequence[starts[b] + i] = uint8_t(ids[b * length + i]);
    int64_t sum = 0;
    for (int64_t i = 0; i < starts[b] + lengths[b]; ++i)
      sum += sequence[i];
    std::fill_n(logits + b * kVocabulary, kVocabulary, 0.0f);
    logits[b * kVocabulary + sum % kVocabulary] = 1;
    if (sum % kVocabulary == 13)
      logits[b * kVocabulary + 5] = NAN;
  }
  return 0;
}
inline int runPrefill(const heddle_frame *frame) {
  return append<int32_t>(frame, frame->sizes[1], frame->sizes[2]);
}
inline int runDecode(const heddle_frame *frame) {
  return append<int64_t>(frame, 1, frame->sizes[1]);
}

inline int measurePrefill(const int64_t *sizes, uint32_t argument,
                          heddle_measurement *result) {
  if (argument < 5)
    return measureArgument(kStepArguments[argument], sizes, result);
  result->bytes = sizes[0] * sizes[1] * 8;
  return HEDDLE_MEASURED;
}
inline int measureDecode(const int64_t *sizes, uint32_t argument,
                         heddle_measurement *result) {
  const int64_t all[] = {sizes[0], 1, sizes[1]};
  if (argument < 5)
    return measureArgument(kOneStepArguments[argument], all, result);
  result->bytes = sizes[0] * 8;
  return HEDDLE_MEASURED;
}

// What heddlec adds for devices. At a temperature the id is the number, in
// hundredths, and where a logit is NaN there is none.
inline const heddle_argument kSampleArguments[] = {
    makeArgument("logits", HEDDLE_ARGUMENT_INPUT, HEDDLE_TYPE_F32,
                 {"batch", "100"}),
    makeArgument("temperature", HEDDLE_ARGUMENT_INPUT, HEDDLE_TYPE_F32,
                 {"batch"}),
    makeArgument("min_p", HEDDLE_ARGUMENT_INPUT, HEDDLE_TYPE_F32, {"batch"}),
    makeArgument("uniform", HEDDLE_ARGUMENT_INPUT, HEDDLE_TYPE_F32, {"batch"}),
    makeArgument("ids", HEDDLE_ARGUMENT_OUTPUT, HEDDLE_TYPE_I32, {"batch"})};
inline thread_local int samplings = 0;
inline thread_local float sampledMinP = -1; ///< of the last one
inline thread_local int32_t wrongId = 0;    ///< what it chooses, if not 0

inline int runSample(const heddle_frame *frame) {
  ++samplings;
  const auto *logits = static_cast<const float *>(frame->buffers[0]);
  const auto *temperature = static_cast<const float *>(frame->buffers[1]);
  const auto *uniform = static_cast<const float *>(frame->buffers[3]);
  auto *ids = static_cast<int32_t *>(frame->buffers[4]);
  sampledMinP = *static_cast<const float *>(frame->buffers[2]);
  for (int64_t b = 0; b < frame->sizes[0]; ++b) {
    const float *row = logits + b * kVocabulary;
    ids[b] = int32_t(std::max_element(row, row + kVocabulary) - row);
    if (temperature[b] > 0)
      ids[b] = int32_t(uniform[b] * kVocabulary);
    if (std::any_of(row, row + kVocabulary, [](float x) { return x != x; }))
      ids[b] = -1;
    if (wrongId != 0)
      ids[b] = wrongId;
  }
  return 0;
}
inline int measureSample(const int64_t *sizes, uint32_t argument,
                         heddle_measurement *result) {
  if (argument < 5)
    return measureArgument(kSampleArguments[argument], sizes, result);
  result->bytes = sizes[0] * 8;
  return HEDDLE_MEASURED;
}

// The same with top_k and top_p, which choose the id: 10 times the one and the
// tenths of the other.
inline const heddle_argument kLikelyArguments[] = {
    kSampleArguments[0],
    kSampleArguments[1],
    makeArgument("top_k", HEDDLE_ARGUMENT_INPUT, HEDDLE_TYPE_I32, {"batch"}),
    makeArgument("top_p", HEDDLE_ARGUMENT_INPUT, HEDDLE_TYPE_F32, {"batch"}),
    kSampleArguments[2],
    kSampleArguments[3],
    kSampleArguments[4]};
inline int runLikely(const heddle_frame *frame) {
  ++samplings;
  const auto *topK = static_cast<const int32_t *>(frame->buffers[2]);
  const auto *topP = static_cast<const float *>(frame->buffers[3]);
  auto *ids = static_cast<int32_t *>(frame->buffers[6]);
  sampledMinP = *static_cast<const float *>(frame->buffers[4]);
  for (int64_t b = 0; b < frame->sizes[0]; ++b)
    ids[b] = (topK[b] == INT32_MAX ? 7 : topK[b]) * 10 + int32_t(topP[b] * 10);
  return 0;
}
inline int measureLikely(const int64_t *sizes, uint32_t argument,
                         heddle_measurement *result) {
  if (argument < 7)
    return measureArgument(kLikelyArguments[argument], sizes, result);
  result->bytes = sizes[0] * 800; // more than any other call
  return HEDDLE_MEASURED;
}

inline const heddle_entry kLikelyStep = {
    "sample_likely", 1,         7,      1, 0, kSessionSymbols, kLikelyArguments,
    measureLikely,   runLikely, nullptr};
inline const heddle_entry kSampleStep = {
    "sample",      1,         5,      1, 0, kSessionSymbols, kSampleArguments,
    measureSample, runSample, nullptr};
inline const heddle_entry kPrefillStep = {
    "prefill",      3,          5,      1, 0, kSessionSymbols, kStepArguments,
    measurePrefill, runPrefill, nullptr};
inline const heddle_entry kDecodeStep = {
    "decode",      2,         5,      1, 0, kOneStepSymbols, kOneStepArguments,
    measureDecode, runDecode, nullptr};
inline const heddle_entry *const kSteps[] = {&kPrefillStep, &kDecodeStep,
                                             &kSampleStep, &kLikelyStep};

inline heddle_model makeDecoder() {
  heddle_model model = makeModel("stories");
  model.entry_count = 2;
  model.entries = kSteps;
  return model;
}

/// A test of that model, with its weights open.
class DecoderTest : public testing::Test {
protected:
  heddle_model model = makeDecoder();
  File file;
  heddle_weights *weights = nullptr;
  heddle_error error = {};

  void SetUp() override {
    calls = failAt = samplings = 0;
    ASSERT_EQ(heddle_weights_bind(&model, file.bytes, sizeof(file.bytes), 0,
                                  nullptr, &weights, &error),
              HEDDLE_OK);
  }
  void TearDown() override { heddle_weights_close(weights); }
};

} // namespace session_testing

#endif // HEDDLE_TEST_RUNTIME_SESSIONTESTING_H
