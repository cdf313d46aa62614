// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// An encoder, made by hand: of each text the number of its tokens, their sum,
// and the sum of their types.

#ifndef HEDDLE_TEST_TEXT_ENCODERTESTING_H
#define HEDDLE_TEST_TEXT_ENCODERTESTING_H

#include "test/Runtime/SessionTesting.h"

namespace encoder_testing {

using namespace call_testing;

constexpr int64_t kLongest = 6, kColumns = 3;

inline const heddle_symbol kTextSymbols[] = {
    {"batch", HEDDLE_COUNT_BATCH, 0, 1, 4},
    {"length", HEDDLE_COUNT_LENGTH, 0, 1, kLongest}};

inline const heddle_argument kTextArguments[] = {
    makeIds("ids", {"batch", "length"}, 1), makeLengths("lengths", "length"),
    makeArgument("types", HEDDLE_ARGUMENT_INPUT, HEDDLE_TYPE_I32,
                 {"batch", "length"}, HEDDLE_ROLE_TYPES),
    makeArgument("embedding", HEDDLE_ARGUMENT_OUTPUT, HEDDLE_TYPE_F32,
                 {"batch", "3"}, HEDDLE_ROLE_EMBEDDING)};

inline thread_local int encodings = 0;

inline int runEncode(const heddle_frame *frame) {
  ++encodings;
  const auto *ids = static_cast<const int32_t *>(frame->buffers[0]);
  const auto *lengths = static_cast<const int32_t *>(frame->buffers[1]);
  const auto *types = static_cast<const int32_t *>(frame->buffers[2]);
  auto *rows = static_cast<float *>(frame->buffers[3]);
  const int64_t length = frame->sizes[1];
  for (int64_t b = 0; b < frame->sizes[0]; ++b) {
    float *row = rows + b * kColumns;
    row[0] = float(lengths[b]);
    row[1] = row[2] = 0;
    for (int64_t i = 0; i < lengths[b]; ++i) {
      row[1] += float(ids[b * length + i]);
      row[2] += float(types[b * length + i]);
    }
  }
  return 0;
}

inline int measureEncode(const int64_t *sizes, uint32_t argument,
                         heddle_measurement *result) {
  const int64_t all[] = {sizes[0], sizes[1], 1};
  if (argument < 4)
    return measureArgument(kTextArguments[argument], all, result);
  result->bytes = sizes[0] * 8;
  return HEDDLE_MEASURED;
}

inline const heddle_entry kEncode = {
    "encode",      2,         4,      1, 0, kTextSymbols, kTextArguments,
    measureEncode, runEncode, nullptr};
inline const heddle_entry *const kEncoders[] = {&kEncode};

// Of each token its id and its number in the text.
inline const heddle_argument kNamerArguments[] = {
    kTextArguments[0], kTextArguments[1],
    makeArgument("logits", HEDDLE_ARGUMENT_OUTPUT, HEDDLE_TYPE_F32,
                 {"batch", "length", "2"}, HEDDLE_ROLE_LOGITS)};
inline int runNames(const heddle_frame *frame) {
  const auto *ids = static_cast<const int32_t *>(frame->buffers[0]);
  auto *rows = static_cast<float *>(frame->buffers[2]);
  const int64_t length = frame->sizes[1];
  for (int64_t i = 0; i < frame->sizes[0] * length; ++i) {
    rows[2 * i] = float(ids[i]);
    rows[2 * i + 1] = float(i % length);
  }
  return 0;
}
inline int measureNames(const int64_t *sizes, uint32_t argument,
                        heddle_measurement *result) {
  const int64_t all[] = {sizes[0], sizes[1], 1};
  if (argument < 3)
    return measureArgument(kNamerArguments[argument], all, result);
  result->bytes = 8;
  return HEDDLE_MEASURED;
}
inline const heddle_entry kName = {
    "encode",     2,        3,      1, 0, kTextSymbols, kNamerArguments,
    measureNames, runNames, nullptr};
inline const heddle_entry *const kNamers[] = {&kName};

inline heddle_model makeEncoder() {
  heddle_model model = makeModel("sentences");
  model.entry_count = 1;
  model.entries = kEncoders;
  return model;
}

} // namespace encoder_testing

#endif // HEDDLE_TEST_TEXT_ENCODERTESTING_H
