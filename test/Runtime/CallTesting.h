// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A model made by hand, whose entry points run functions of this file, and a
// valid call of it.

#ifndef HEDDLE_TEST_RUNTIME_CALLTESTING_H
#define HEDDLE_TEST_RUNTIME_CALLTESTING_H

#include "runtime/heddle.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace call_testing {

// ---- The model "stories"

enum Symbol { kBatch, kLength, kCapacity };

inline const heddle_symbol kSymbols[] = {
    {"batch", HEDDLE_COUNT_BATCH, 0, 1, 8},
    {"length", HEDDLE_COUNT_LENGTH, 0, 1, 512},
    {"capacity", HEDDLE_COUNT_CAPACITY, 0, 1, 2048}};

inline heddle_argument makeArgument(const char *name, uint32_t kind,
                                    uint32_t type,
                                    const std::vector<const char *> &extents,
                                    uint32_t role = HEDDLE_ROLE_OTHER) {
  heddle_argument argument = {};
  argument.name = name;
  argument.kind = kind;
  argument.type = type;
  argument.role = role;
  argument.lengths = argument.padding = HEDDLE_NO_ARGUMENT;
  for (const char *extent : extents)
    argument.extent[argument.rank++] = extent;
  return argument;
}

// Integers of any value.
inline heddle_argument i32(const char *name,
                           const std::vector<const char *> &extents,
                           uint32_t role = HEDDLE_ROLE_OTHER) {
  return makeArgument(name, HEDDLE_ARGUMENT_INPUT, HEDDLE_TYPE_I32, extents,
                      role);
}

inline heddle_argument makeIds(const char *name,
                               const std::vector<const char *> &extents,
                               uint32_t padding = HEDDLE_NO_ARGUMENT) {
  heddle_argument ids = i32(name, extents, HEDDLE_ROLE_IDS);
  ids.maximum = "99";
  ids.padding = padding;
  return ids;
}

inline heddle_argument makeLengths(const char *name, const char *maximum) {
  heddle_argument lengths = i32(name, {"batch"}, HEDDLE_ROLE_LENGTHS);
  lengths.minimum = 1;
  lengths.maximum = maximum;
  return lengths;
}

inline heddle_argument makeStarts(const char *name, uint32_t lengths,
                                  const char *maximum = "capacity") {
  heddle_argument starts = i32(name, {"batch"}, HEDDLE_ROLE_STARTS);
  starts.maximum = maximum;
  starts.lengths = lengths;
  return starts;
}

inline heddle_argument makePositions(const char *name) {
  heddle_argument positions = i32(name, {"batch"}, HEDDLE_ROLE_POSITIONS);
  positions.maximum = "33";
  positions.added = "length";
  return positions;
}

/// Of two layers, whose keys and values differ.
inline constexpr int64_t kPartBytes[] = {16, 32, 16, 32};

inline heddle_argument makeCache(const char *name, const char *capacity) {
  heddle_argument cache = makeArgument(
      name, HEDDLE_ARGUMENT_CACHE, HEDDLE_TYPE_BF16, {"batch", capacity, "96"});
  cache.parts = std::size(kPartBytes);
  cache.part_bytes = kPartBytes;
  return cache;
}

inline const heddle_argument kPrefillArguments[] = {
    makeIds("ids", {"batch", "length"}, 2),
    makeStarts("starts", 2),
    makeLengths("lengths", "length"),
    makeCache("cache", "capacity"),
    makeArgument("scale", HEDDLE_ARGUMENT_INPUT, HEDDLE_TYPE_BF16, {"5"}),
    makeArgument("sums", HEDDLE_ARGUMENT_OUTPUT, HEDDLE_TYPE_F32,
                 {"batch", "3"}),
};

// What `measure` of the entry points below gives for a size: numbers and the
// symbols above.
inline int64_t valueOf(const char *size, const int64_t *sizes) {
  for (int s = kBatch; s <= kCapacity; ++s)
    if (strcmp(size, kSymbols[s].name) == 0)
      return sizes[s];
  return strtoll(size, nullptr, 10);
}

inline int measureArgument(const heddle_argument &argument,
                           const int64_t *sizes, heddle_measurement *result) {
  bool isCache = argument.kind == HEDDLE_ARGUMENT_CACHE;
  result->bytes =
      isCache
          ? 1
          : int64_t(heddle_type_size(static_cast<heddle_type>(argument.type)));
  for (uint32_t axis = 0; axis < argument.rank; ++axis) {
    int64_t extent = valueOf(argument.extent[axis], sizes);
    result->extent[axis] = extent;
    if (isCache && axis == 1)
      extent = (extent + HEDDLE_CACHE_BLOCK - 1) / HEDDLE_CACHE_BLOCK *
               HEDDLE_CACHE_BLOCK;
    if (__builtin_mul_overflow(result->bytes, extent, &result->bytes))
      return HEDDLE_MEASURED_TOO_LARGE;
  }
  if (argument.maximum)
    result->maximum = valueOf(argument.maximum, sizes);
  if (argument.added)
    result->added = valueOf(argument.added, sizes);
  return HEDDLE_MEASURED;
}

/// A `measure` for arguments that start at `arguments`, whose workspace has
/// `bytesOfRow` bytes for each of batch * length rows.
template <const heddle_argument *arguments, uint32_t count, int64_t bytesOfRow>
int measure(const int64_t *sizes, uint32_t argument,
            heddle_measurement *result) {
  if (argument < count)
    return measureArgument(arguments[argument], sizes, result);
  result->bytes = sizes[kBatch] * sizes[kLength] * bytesOfRow;
  return HEDDLE_MEASURED;
}

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

constexpr int64_t kBytesOfRow = 100;
inline const heddle_entry kPrefill = {
    "prefill",
    3,
    6,
    1,
    0,
    kSymbols,
    kPrefillArguments,
    measure<kPrefillArguments, 6, kBytesOfRow>,
    run,
    nullptr};
inline const heddle_entry kSums = {"sums",
                                   3,
                                   6,
                                   1,
                                   0,
                                   kSymbols,
                                   kPrefillArguments,
                                   measure<kPrefillArguments, 6, kBytesOfRow>,
                                   runSums,
                                   nullptr};

// All tokens count, and there are 33 positions.
inline const heddle_argument kDecodeArguments[] = {
    makeIds("ids", {"batch"}),
    makePositions("starts"),
    i32("counts", {"batch"}),
    makeCache("cache", "capacity"),
};
inline const heddle_entry kDecode = {"decode",
                                     3,
                                     4,
                                     1,
                                     0,
                                     kSymbols,
                                     kDecodeArguments,
                                     measure<kDecodeArguments, 4, 0>,
                                     run,
                                     nullptr};

// Ids without lengths: all are checked.
inline const heddle_argument kFullArguments[] = {
    makeIds("ids", {"batch", "length"})};
inline const heddle_entry kFull = {"full",
                                   3,
                                   1,
                                   1,
                                   0,
                                   kSymbols,
                                   kFullArguments,
                                   measure<kFullArguments, 1, 0>,
                                   run,
                                   nullptr};

// One id alone.
inline const heddle_argument kOneArguments[] = {makeIds("id", {})};
inline const heddle_entry kOne = {"one",
                                  3,
                                  1,
                                  1,
                                  0,
                                  kSymbols,
                                  kOneArguments,
                                  measure<kOneArguments, 1, 0>,
                                  run,
                                  nullptr};

// Two lengths, of which the second says how much is appended; and a cache that
// nothing is appended to, which may be smaller than a start.
inline const heddle_argument kTwoLengthsArguments[] = {
    makeLengths("counts", "length"), makeStarts("starts", 2),
    makeLengths("lengths", "length"), makeCache("cache", "capacity"),
    makeCache("other", "length")};
inline const heddle_entry kTwoLengths = {"two",
                                         3,
                                         5,
                                         1,
                                         0,
                                         kSymbols,
                                         kTwoLengthsArguments,
                                         measure<kTwoLengthsArguments, 5, 0>,
                                         run,
                                         nullptr};

// The same in i64, of which the starts come first: their lengths have no rule.
inline heddle_argument wide(heddle_argument argument) {
  argument.type = HEDDLE_TYPE_I64;
  return argument;
}
inline const heddle_argument kWideArguments[] = {
    wide(makeIds("ids", {"batch", "length"}, 2)), wide(makeStarts("starts", 3)),
    wide(makeLengths("lengths", "length")), wide(i32("counts", {"batch"}))};
inline const heddle_entry kWide = {"wide",
                                   3,
                                   4,
                                   1,
                                   0,
                                   kSymbols,
                                   kWideArguments,
                                   measure<kWideArguments, 4, 0>,
                                   run,
                                   nullptr};

// What no compiler should emit: lengths of another shape, and sizes that are
// too large or negative.
inline const heddle_argument kWildArguments[] = {makeStarts("starts", 1),
                                                 i32("lengths", {"7"})};
inline int measureWild(const int64_t *sizes, uint32_t argument,
                       heddle_measurement *result) {
  if (argument == 2) {
    result->extent[0] = 2;
    result->extent[1] = 3;
    return sizes[0] == 2   ? HEDDLE_MEASURED_UNCOUNTABLE
           : sizes[0] == 5 ? HEDDLE_MEASURED_NOT_BROADCAST
                           : HEDDLE_MEASURED_TOO_LARGE;
  }
  if (sizes[0] == 3)
    return HEDDLE_MEASURED_TOO_LARGE;
  int status = measureArgument(kWildArguments[argument], sizes, result);
  result->extent[0] -= sizes[0] == 4 ? 5 : 0;
  return status;
}
inline const heddle_entry kWild = {
    "wild", 3, 2, 1, 0, kSymbols, kWildArguments, measureWild, run, nullptr};
// The same, with a workspace.
inline const heddle_entry kMisshapen = {"misshapen",
                                        3,
                                        2,
                                        1,
                                        0,
                                        kSymbols,
                                        kWildArguments,
                                        measure<kWildArguments, 2, 0>,
                                        run,
                                        nullptr};

inline const heddle_entry *const kEntries[] = {&kPrefill, &kSums, &kDecode,
                                               &kFull,    &kOne,  &kTwoLengths,
                                               &kWide,    &kWild, &kMisshapen};

inline heddle_model makeModel(const char *name) {
  heddle_model model = {};
  model.abi_version = HEDDLE_ABI_VERSION;
  model.struct_size = sizeof(heddle_model);
  model.name = name;
  model.target_cpu = "any";
  model.cpu_features = "";
  model.weights_size = 1;
  model.entry_count = 9;
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
