// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Encoder-decoders made by hand, of texts and of recordings: their cross cache
// keeps a sum of the source, and their logits say what is in it.

#ifndef HEDDLE_TEST_RUNTIME_SOURCETESTING_H
#define HEDDLE_TEST_RUNTIME_SOURCETESTING_H

#include "test/Runtime/SessionTesting.h"

#include <numeric>

namespace source_testing {

using namespace session_testing;

inline constexpr int64_t kLongest = 40;
inline constexpr int64_t kPositionsOfSpeech = 5;

// Sizes are batch, length, capacity and source, as far as a call has them.
inline const heddle_symbol kSource = {"source", HEDDLE_COUNT_OTHER, 0, 1,
                                      kLongest};
inline const heddle_symbol kPrefillSymbols[] = {
    kSessionSymbols[0], kSessionSymbols[1], kSessionSymbols[2], kSource};
inline const heddle_symbol kDecodeSymbols[] = {kSource, kSessionSymbols[0],
                                               kSessionSymbols[2]};
inline const heddle_symbol kEncodeSymbols[] = {
    kSessionSymbols[0],
    {"length", HEDDLE_COUNT_LENGTH, 0, 1, kLongest},
    kSource};

inline heddle_argument makeCross(const char *extent) {
  heddle_argument cross = makeCache("cross", extent);
  cross.role = HEDDLE_ROLE_CROSS;
  return cross;
}

inline const heddle_argument kCrossLengths = [] {
  heddle_argument lengths = makeLengths("cross_lengths", "source");
  lengths.role = HEDDLE_ROLE_CROSS_LENGTHS;
  return lengths;
}();

inline const heddle_argument kPrefillOf[] = {
    kStepArguments[0], kStepArguments[1],   kStepArguments[2],
    kStepArguments[3], makeCross("source"), kCrossLengths,
    kStepArguments[4]};
inline const heddle_argument kDecodeOf[] = {
    kOneStepArguments[0], kOneStepArguments[1], kOneStepArguments[2],
    kOneStepArguments[3], makeCross("source"),  wide(kCrossLengths),
    kOneStepArguments[4]};
inline const heddle_argument kEncodeOf[] = {
    makeIds("ids", {"batch", "length"}, 1), makeLengths("lengths", "length"),
    makeCross("source"),
    makeArgument("hidden", HEDDLE_ARGUMENT_OUTPUT, HEDDLE_TYPE_F32,
                 {"batch", "length", "3"}, HEDDLE_ROLE_HIDDEN)};

/// The values of sizes, by name.
struct Sizes {
  const heddle_symbol *symbols;
  size_t count;
  const int64_t *values;

  int64_t operator[](const char *name) const {
    for (size_t s = 0; s < count; ++s)
      if (strcmp(symbols[s].name, name) == 0)
        return values[s];
    return strtoll(name, nullptr, 10);
  }
};

template <const auto &Symbols, const auto &Arguments>
int measureOf(const int64_t *sizes, uint32_t argument,
              heddle_measurement *result) {
  Sizes values = {Symbols, std::size(Symbols), sizes};
  if (argument == std::size(Arguments)) {
    result->bytes =
        values["batch"] * (values["length"] + values["source"] + 1) * 8;
    return HEDDLE_MEASURED;
  }
  const heddle_argument &described = Arguments[argument];
  bool isCache = described.kind == HEDDLE_ARGUMENT_CACHE;
  result->bytes =
      isCache ? 1 : int64_t(heddle_type_size((heddle_type)described.type));
  for (uint32_t axis = 0; axis < described.rank; ++axis) {
    int64_t extent = values[described.extent[axis]];
    if (isCache && axis == 1)
      extent = (extent + HEDDLE_CACHE_BLOCK - 1) / HEDDLE_CACHE_BLOCK *
               HEDDLE_CACHE_BLOCK;
    result->extent[axis] = extent;
    result->bytes *= extent;
  }
  if (described.maximum)
    result->maximum = values[described.maximum];
  return HEDDLE_MEASURED;
}

inline thread_local int encodings = 0, encodingThatFails = 0;
inline thread_local int64_t encodedSources = 0; ///< of the last one

inline int64_t rowOf(int64_t source) {
  return 16 * ((source + HEDDLE_CACHE_BLOCK - 1) / HEDDLE_CACHE_BLOCK *
               HEDDLE_CACHE_BLOCK);
}

// The cross cache has the sum of a source's ids.
inline int runEncode(const heddle_frame *frame) {
  if (++encodings == encodingThatFails)
    return 7;
  Sizes sizes = {kEncodeSymbols, 3, frame->sizes};
  const auto *ids = static_cast<const int32_t *>(frame->buffers[0]);
  const auto *lengths = static_cast<const int32_t *>(frame->buffers[1]);
  auto *cross = static_cast<uint8_t *>(frame->buffers[2]);
  auto *hidden = static_cast<float *>(frame->buffers[3]);
  int64_t crossRow = rowOf(sizes["source"]);
  encodedSources = sizes["batch"];
  for (int64_t b = 0; b < sizes["batch"]; ++b) {
    int64_t sum = 0;
    for (int64_t i = 0; i < lengths[b]; ++i)
      sum += ids[b * sizes["length"] + i];
    cross[b * crossRow] = uint8_t(sum);
    std::fill_n(hidden + b * sizes["length"] * 3, sizes["length"] * 3, 1.0f);
  }
  return 0;
}

// Logits are 1 at the sum of the sequence's ids, its source's, and ten times
// the source's length.
template <const auto &Symbols, typename Integer, bool HasLengths = true>
int runStep(const heddle_frame *frame) {
  Sizes sizes = {Symbols, std::size(Symbols), frame->sizes};
  int64_t batch = sizes["batch"], length = sizes["length"];
  length = length ? length : 1;
  // The step without a source, on its own buffers.
  void *buffers[5];
  std::copy_n(frame->buffers, 4, buffers);
  constexpr int last = HasLengths ? 6 : 5;
  buffers[4] = frame->buffers[last];
  heddle_frame inner = *frame;
  inner.buffers = buffers;
  const int64_t batches[] = {batch};
  inner.sizes = batches;
  int result = append<Integer>(&inner, length, sizes["capacity"]);
  const auto *cross = static_cast<const uint8_t *>(frame->buffers[4]);
  const auto *lengths = static_cast<const Integer *>(frame->buffers[5]);
  auto *logits = static_cast<float *>(frame->buffers[last]);
  int64_t source = HasLengths ? sizes["source"] : kPositionsOfSpeech;
  for (int64_t b = 0; b < batch; ++b) {
    float *row = logits + b * kVocabulary;
    int64_t sum = std::max_element(row, row + kVocabulary) - row;
    std::fill_n(row, kVocabulary, 0.0f);
    int64_t added = HasLengths ? 10 * lengths[b] : 0;
    row[(sum + cross[b * rowOf(source)] + added) % kVocabulary] = 1;
  }
  return result;
}

inline const heddle_entry kPrefillEntry = {
    "prefill",
    4,
    7,
    1,
    0,
    kPrefillSymbols,
    kPrefillOf,
    measureOf<kPrefillSymbols, kPrefillOf>,
    runStep<kPrefillSymbols, int32_t>,
    nullptr};
inline const heddle_entry kDecodeEntry = {"decode",
                                          3,
                                          7,
                                          1,
                                          0,
                                          kDecodeSymbols,
                                          kDecodeOf,
                                          measureOf<kDecodeSymbols, kDecodeOf>,
                                          runStep<kDecodeSymbols, int64_t>,
                                          nullptr};
inline const heddle_entry kEncodeEntry = {
    "encode",  3,
    4,         1,
    0,         kEncodeSymbols,
    kEncodeOf, measureOf<kEncodeSymbols, kEncodeOf>,
    runEncode, nullptr};
inline const heddle_entry *const kSourceEntries[] = {
    &kPrefillEntry, &kDecodeEntry, &kEncodeEntry};

//===-- a model of recordings ---------------------------------------------===//

// Of a window of 4 samples the features are their sum and 1, and the cross
// cache has the former.
inline constexpr int64_t kWindow = 4;
inline const heddle_argument kFeaturesOf[] = {
    makeArgument("samples", HEDDLE_ARGUMENT_INPUT, HEDDLE_TYPE_F32,
                 {"batch", "4"}),
    makeArgument("features", HEDDLE_ARGUMENT_OUTPUT, HEDDLE_TYPE_F32,
                 {"batch", "2"})};
inline const heddle_argument kSpeechEncodeOf[] = {
    makeArgument("features", HEDDLE_ARGUMENT_INPUT, HEDDLE_TYPE_F32,
                 {"batch", "2"}),
    makeCross("5")};
inline const heddle_argument kSpeechPrefillOf[] = {
    kStepArguments[0], kStepArguments[1], kStepArguments[2],
    kStepArguments[3], makeCross("5"),    kStepArguments[4]};
inline const heddle_argument kSpeechDecodeOf[] = {
    kOneStepArguments[0], kOneStepArguments[1], kOneStepArguments[2],
    kOneStepArguments[3], makeCross("5"),       kOneStepArguments[4]};
inline const heddle_symbol kBatchSymbol[] = {kSessionSymbols[0]};

inline int runFeatures(const heddle_frame *frame) {
  const auto *samples = static_cast<const float *>(frame->buffers[0]);
  auto *features = static_cast<float *>(frame->buffers[1]);
  for (int64_t b = 0; b < frame->sizes[0]; ++b) {
    features[2 * b] = std::accumulate(samples + b * kWindow,
                                      samples + (b + 1) * kWindow, 0.0f);
    features[2 * b + 1] = 1;
  }
  return 0;
}
inline int runSpeechEncode(const heddle_frame *frame) {
  ++encodings;
  const auto *features = static_cast<const float *>(frame->buffers[0]);
  auto *cross = static_cast<uint8_t *>(frame->buffers[1]);
  for (int64_t b = 0; b < frame->sizes[0]; ++b)
    cross[b * rowOf(kPositionsOfSpeech)] = uint8_t(features[2 * b]);
  return 0;
}

inline const heddle_entry kFeaturesEntry = {
    "features",  1,
    2,           1,
    0,           kBatchSymbol,
    kFeaturesOf, measureOf<kBatchSymbol, kFeaturesOf>,
    runFeatures, nullptr};
inline const heddle_entry kSpeechEncodeEntry = {
    "encode",
    1,
    2,
    1,
    0,
    kBatchSymbol,
    kSpeechEncodeOf,
    measureOf<kBatchSymbol, kSpeechEncodeOf>,
    runSpeechEncode,
    nullptr};
inline const heddle_entry kSpeechPrefillEntry = {
    "prefill",
    3,
    6,
    1,
    0,
    kSessionSymbols,
    kSpeechPrefillOf,
    measureOf<kSessionSymbols, kSpeechPrefillOf>,
    runStep<kSessionSymbols, int32_t, false>,
    nullptr};
inline const heddle_entry kSpeechDecodeEntry = {
    "decode",
    2,
    6,
    1,
    0,
    kOneStepSymbols,
    kSpeechDecodeOf,
    measureOf<kOneStepSymbols, kSpeechDecodeOf>,
    runStep<kOneStepSymbols, int64_t, false>,
    nullptr};
inline const heddle_entry *const kSpeechEntries[] = {
    &kFeaturesEntry, &kSpeechEncodeEntry, &kSpeechPrefillEntry,
    &kSpeechDecodeEntry};

} // namespace source_testing

#endif // HEDDLE_TEST_RUNTIME_SOURCETESTING_H
