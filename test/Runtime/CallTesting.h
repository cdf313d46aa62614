// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A model made by hand, whose entry points run functions of this file, and a
// valid call of it.

#ifndef HEDDLE_TEST_RUNTIME_CALLTESTING_H
#define HEDDLE_TEST_RUNTIME_CALLTESTING_H

#include "runtime/heddle.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace call_testing {

// ---- The model "stories"

enum Symbol { kBatch, kLength, kCapacity };
constexpr int64_t of(Symbol symbol) { return -1 - symbol; }

inline const heddle_symbol kSymbols[] = {
    {"batch", 1, 8}, {"length", 1, 512}, {"capacity", 1, 2048}};

inline heddle_argument makeArgument(const char *name, uint32_t kind,
                                    uint32_t type,
                                    const std::vector<int64_t> &extents,
                                    uint32_t rule = HEDDLE_RULE_NONE,
                                    int64_t limit = 0) {
  heddle_argument argument = {name, kind, type, rule, 0, limit, {}, 0};
  for (int64_t extent : extents)
    argument.extent[argument.rank++] = extent;
  return argument;
}

inline heddle_argument i32(const char *name,
                           const std::vector<int64_t> &extents, uint32_t rule,
                           int64_t limit = 0, int64_t tokens = 0) {
  heddle_argument argument = makeArgument(
      name, HEDDLE_ARGUMENT_INPUT, HEDDLE_TYPE_I32, extents, rule, limit);
  argument.tokens = tokens;
  return argument;
}

inline const heddle_argument kPrefillArguments[] = {
    i32("ids", {of(kBatch), of(kLength)}, HEDDLE_RULE_BELOW_LIMIT, 100),
    i32("starts", {of(kBatch)}, HEDDLE_RULE_START, 0, 2),
    i32("lengths", {of(kBatch)}, HEDDLE_RULE_LENGTH, kLength),
    makeArgument("cache", HEDDLE_ARGUMENT_CACHE, HEDDLE_TYPE_BF16,
                 {of(kBatch), of(kCapacity), 96}),
    makeArgument("scale", HEDDLE_ARGUMENT_INPUT, HEDDLE_TYPE_BF16, {5}),
    makeArgument("sums", HEDDLE_ARGUMENT_OUTPUT, HEDDLE_TYPE_F32,
                 {of(kBatch), 3}),
};
inline const heddle_arena kArenas[] = {
    {2, {kBatch, kLength}, 12, 100}, {0, {}, 1, 10}, {1, {kBatch}, 0, 64}};

struct Seen {
  heddle_frame frame;
  heddle_context context;
};
inline thread_local Seen seen;
inline thread_local int runs = 0;
inline thread_local int runResult = 0;

inline int run(const heddle_frame *frame) {
  seen = {*frame, *frame->context};
  ++runs;
  return runResult;
}

// Sums the valid ids of each row, in parallel; one task a row.
inline int runSums(const heddle_frame *frame) {
  auto task = [](void *context, int32_t row, uint8_t *) {
    const auto *frame = static_cast<const heddle_frame *>(context);
    const auto *ids = static_cast<const int32_t *>(frame->buffers[0]);
    const auto *lengths = static_cast<const int32_t *>(frame->buffers[2]);
    auto *sums = static_cast<float *>(frame->buffers[5]);
    sums[row * 3] = frame->weights[0];
    for (int32_t i = 0; i < lengths[row]; ++i)
      sums[row * 3] += ids[row * frame->sizes[kLength] + i];
    return 0;
  };
  return frame->context->parallel_for(
      frame->context->parallel_for_data, task,
      const_cast<heddle_frame *>(frame), 0,
      static_cast<int32_t>(frame->sizes[kBatch]), nullptr);
}

inline const heddle_entry kPrefill = {
    "prefill", 3, 6, 3, 1, kSymbols, kPrefillArguments, kArenas, run};
inline const heddle_entry kSums = {
    "sums", 3, 6, 3, 1, kSymbols, kPrefillArguments, kArenas, runSums};

// All tokens count, and there are 33 positions.
inline const heddle_argument kDecodeArguments[] = {
    i32("ids", {of(kBatch)}, HEDDLE_RULE_BELOW_LIMIT, 100),
    i32("starts", {of(kBatch)}, HEDDLE_RULE_POSITION, 33, of(kLength)),
    i32("counts", {of(kBatch)}, HEDDLE_RULE_NONE),
    makeArgument("cache", HEDDLE_ARGUMENT_CACHE, HEDDLE_TYPE_BF16,
                 {of(kBatch), of(kCapacity), 96}),
};
inline const heddle_entry kDecode = {
    "decode", 3, 4, 0, 1, kSymbols, kDecodeArguments, nullptr, run};

// Ids without lengths: all are checked.
inline const heddle_entry kFull = {
    "full", 3, 1, 0, 1, kSymbols, kPrefillArguments, nullptr, run};

// Two lengths, of which the second says how much is appended.
inline const heddle_argument kTwoLengthsArguments[] = {
    i32("counts", {of(kBatch)}, HEDDLE_RULE_LENGTH, kLength),
    i32("starts", {of(kBatch)}, HEDDLE_RULE_START, 0, 2),
    i32("lengths", {of(kBatch)}, HEDDLE_RULE_LENGTH, kLength),
    makeArgument("cache", HEDDLE_ARGUMENT_CACHE, HEDDLE_TYPE_BF16,
                 {of(kBatch), of(kCapacity), 96}),
};
inline const heddle_entry kTwoLengths = {
    "two", 3, 4, 0, 1, kSymbols, kTwoLengthsArguments, nullptr, run};

// What no compiler should emit: starts without a cache, sizes without limit.
inline const heddle_argument kWildArgument =
    i32("starts", {of(kBatch)}, HEDDLE_RULE_START, 0, 1);
inline const heddle_symbol kWildSymbols[] = {{"batch", 1, INT64_MAX}};
inline const heddle_arena kWildArenas[] = {{1, {0}, 64, 3}};
inline const heddle_entry kWild = {
    "wild", 1, 1, 1, 1, kWildSymbols, &kWildArgument, kWildArenas, run};

inline const heddle_entry *const kEntries[] = {
    &kPrefill, &kSums, &kDecode, &kFull, &kTwoLengths, &kWild};

inline heddle_model makeModel(const char *name) {
  heddle_model model = {};
  model.abi_version = HEDDLE_ABI_VERSION;
  model.struct_size = sizeof(heddle_model);
  model.name = name;
  model.target_cpu = "any";
  model.cpu_features = "";
  model.weights_size = 1;
  model.entry_count = 6;
  model.entries = kEntries;
  return model;
}

struct alignas(HEDDLE_ALIGNMENT) File {
  uint8_t bytes[4097] = {};
  File() {
    heddle_weights_header header = {};
    std::memcpy(header.magic, HEDDLE_WEIGHTS_MAGIC, 8);
    header.abi_version = HEDDLE_ABI_VERSION;
    header.header_size = sizeof(header);
    header.data_offset = 4096;
    header.data_size = 1;
    header.header_checksum =
        XXH3_64bits(&header, offsetof(heddle_weights_header, header_checksum));
    std::memcpy(bytes, &header, sizeof(header));
    bytes[4096] = 7;
  }
};

// ---- A valid call of kPrefill: batch 2, length 4, capacity 32

struct alignas(HEDDLE_ALIGNMENT) Memory {
  uint8_t bytes[16384];
};

class Call : public testing::Test {
protected:
  heddle_model model = makeModel("stories");
  File file;
  heddle_weights *weights = nullptr;
  heddle_error error = {};
  heddle_context context = {};
  Memory workspace, cache;
  size_t workspaceSize = sizeof(Memory);
  int32_t ids[8] = {0, 99, -1, 100, 5, 6, 7, 1000}; // two, then three valid
  int32_t starts[2] = {0, 29};
  int32_t lengths[2] = {2, 3};
  uint16_t scale[5] = {};
  float sums[6] = {};
  void *buffers[6] = {ids, starts, lengths, cache.bytes, scale, sums};
  int64_t sizes[3] = {2, 4, 32};
  // What the call gets; tests replace one.
  const heddle_model *callModel = &model;
  const heddle_context *callContext = &context;
  void *const *callBuffers = buffers;
  const int64_t *callSizes = sizes;
  void *callWorkspace = workspace.bytes;

  void SetUp() override {
    context.error = &error;
    runs = 0;
    runResult = 0;
    ASSERT_EQ(heddle_weights_bind(&model, file.bytes, sizeof(file.bytes), 0,
                                  nullptr, &weights, &error),
              HEDDLE_OK)
        << error.message;
  }
  void TearDown() override { heddle_weights_close(weights); }

  heddle_status invoke(const heddle_entry *entry = &kPrefill) {
    return heddle_invoke(callModel, entry, callContext, weights, callBuffers,
                         callSizes, callWorkspace, workspaceSize);
  }
  void expectFailure(heddle_status status, const std::string &message,
                     const heddle_entry *entry = &kPrefill) {
    EXPECT_EQ(invoke(entry), status);
    EXPECT_EQ(error.status, status);
    EXPECT_EQ(error.message, message);
    EXPECT_EQ(runs, 0);
  }
  void expectRefused(heddle_status status, const std::string &message,
                     const heddle_entry *entry = &kPrefill) {
    std::string place = "stories." + std::string(entry->name) + ": ";
    expectFailure(status, place + message, entry);
  }
  void expectInvalid(const std::string &message) {
    expectRefused(HEDDLE_INVALID_ARGUMENT, message);
  }
  void expectOutOfRange(const std::string &message,
                        const heddle_entry *entry = &kPrefill) {
    expectRefused(HEDDLE_OUT_OF_RANGE, message, entry);
  }
};

} // namespace call_testing

#endif // HEDDLE_TEST_RUNTIME_CALLTESTING_H
