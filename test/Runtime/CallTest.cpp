// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sizes, and the checks of heddle_invoke, on a model made by hand whose entry
// points run functions of this file.

#include "runtime/heddle.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace {

// ---- The model "stories"

enum Symbol { kBatch, kLength, kCapacity };
constexpr int64_t of(Symbol symbol) { return -1 - symbol; }

const heddle_symbol kSymbols[] = {
    {"batch", 1, 8}, {"length", 1, 512}, {"capacity", 1, 2048}};

heddle_argument makeArgument(const char *name, uint32_t kind, uint32_t type,
                             std::vector<int64_t> extents,
                             uint32_t rule = HEDDLE_RULE_NONE,
                             int64_t limit = 0) {
  heddle_argument argument = {name, kind, type, rule, 0, limit, {}};
  for (int64_t extent : extents)
    argument.extent[argument.rank++] = extent;
  return argument;
}

heddle_argument i32(const char *name, std::vector<int64_t> extents,
                    uint32_t rule, int64_t limit = 0) {
  return makeArgument(name, HEDDLE_ARGUMENT_INPUT, HEDDLE_TYPE_I32, extents,
                      rule, limit);
}

const heddle_argument kPrefillArguments[] = {
    i32("ids", {of(kBatch), of(kLength)}, HEDDLE_RULE_BELOW_LIMIT, 100),
    i32("starts", {of(kBatch)}, HEDDLE_RULE_START),
    i32("lengths", {of(kBatch)}, HEDDLE_RULE_LENGTH, kLength),
    makeArgument("cache", HEDDLE_ARGUMENT_CACHE, HEDDLE_TYPE_BF16,
                 {of(kBatch), of(kCapacity), 96}),
    makeArgument("scale", HEDDLE_ARGUMENT_INPUT, HEDDLE_TYPE_BF16, {5}),
    makeArgument("sums", HEDDLE_ARGUMENT_OUTPUT, HEDDLE_TYPE_F32,
                 {of(kBatch), 3}),
};
const heddle_arena kArenas[] = {
    {2, {kBatch, kLength}, 12, 100}, {0, {}, 1, 10}, {1, {kBatch}, 0, 64}};

struct Seen {
  heddle_frame frame;
  heddle_context context;
};
thread_local Seen seen;
thread_local int runs = 0;
thread_local int runResult = 0;

int run(const heddle_frame *frame) {
  seen = {*frame, *frame->context};
  ++runs;
  return runResult;
}

// Sums the valid ids of each row, in parallel; one task a row.
int runSums(const heddle_frame *frame) {
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

const heddle_entry kPrefill = {"prefill",         3,       6,  3, 1, kSymbols,
                               kPrefillArguments, kArenas, run};
const heddle_entry kSums = {
    "sums", 3, 6, 3, 1, kSymbols, kPrefillArguments, kArenas, runSums};

// One token a call: no lengths, so each start must leave room for one.
const heddle_argument kDecodeArguments[] = {
    i32("ids", {of(kBatch)}, HEDDLE_RULE_BELOW_LIMIT, 100),
    i32("starts", {of(kBatch)}, HEDDLE_RULE_START),
};
const heddle_entry kDecode = {"decode",         3,       2,  0, 1, kSymbols,
                              kDecodeArguments, nullptr, run};

// Ids without lengths: all are checked.
const heddle_entry kFull = {"full",  3,  1, 0, 1, kSymbols, kPrefillArguments,
                            nullptr, run};

// What no compiler should emit: starts without a capacity, sizes without limit.
const heddle_symbol kWildSymbols[] = {{"batch", 1, INT64_MAX}};
const heddle_arena kWildArenas[] = {{1, {0}, 64, 3}};
const heddle_entry kWild = {
    "wild", 1, 1, 1, 1, kWildSymbols, &kDecodeArguments[1], kWildArenas, run};

const heddle_entry *const kEntries[] = {&kPrefill, &kSums, &kDecode, &kFull,
                                        &kWild};

heddle_model makeModel(const char *name) {
  heddle_model model = {};
  model.abi_version = HEDDLE_ABI_VERSION;
  model.struct_size = sizeof(heddle_model);
  model.name = name;
  model.target_cpu = "any";
  model.cpu_features = "";
  model.weights_size = 1;
  model.entry_count = 5;
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

TEST_F(Call, RunsTheEntryPoint) {
  error.status = HEDDLE_IO_ERROR;
  std::strcpy(error.message, "old");
  ASSERT_EQ(invoke(), HEDDLE_OK) << error.message;
  EXPECT_EQ(error.status, HEDDLE_OK);
  EXPECT_STREQ(error.message, "");
  EXPECT_EQ(runs, 1);
  EXPECT_EQ(seen.frame.context, &context);
  EXPECT_EQ(seen.frame.weights, file.bytes + 4096);
  EXPECT_EQ(seen.frame.buffers, buffers);
  EXPECT_EQ(seen.frame.sizes, sizes);
  EXPECT_EQ(seen.frame.workspace, workspace.bytes);
}

TEST_F(Call, ContextMayBeNull) {
  callContext = nullptr;
  EXPECT_EQ(invoke(), HEDDLE_OK);
  EXPECT_EQ(seen.context.parallel_for, nullptr);
  EXPECT_EQ(seen.context.observer, nullptr);
  EXPECT_EQ(seen.context.error, nullptr);
  sizes[kBatch] = 0;
  EXPECT_EQ(invoke(), HEDDLE_INVALID_ARGUMENT);
}

TEST_F(Call, WorkspaceMayBeNullWhereNoneIsNeeded) {
  callWorkspace = nullptr;
  workspaceSize = 0;
  EXPECT_EQ(invoke(&kDecode), HEDDLE_OK) << error.message;
}

TEST_F(Call, NegativeCompiledCodeFails) {
  runResult = -12;
  EXPECT_EQ(invoke(), HEDDLE_INTERNAL_ERROR);
  EXPECT_EQ(error.status, HEDDLE_INTERNAL_ERROR);
  EXPECT_STREQ(error.message,
               "stories.prefill: the compiled code returned -12, expected 0");
}

// ---- What is checked, in the order of the checks

TEST_F(Call, NegativeObjectVersion) {
  model.abi_version = 2;
  expectFailure(HEDDLE_ABI_MISMATCH,
                "the model was compiled for version 2 of the runtime's ABI, "
                "this runtime has version 1");
}

TEST_F(Call, NegativeModelAndEntry) {
  heddle_entry other = kPrefill;
  const char *message = "entry is not an entry point of model 'stories'";
  expectFailure(HEDDLE_INVALID_ARGUMENT, message, &other);
  expectFailure(HEDDLE_INVALID_ARGUMENT, message, nullptr);
  callModel = nullptr;
  expectFailure(HEDDLE_INVALID_ARGUMENT, "model is null");
}

TEST_F(Call, NegativeWeights) {
  heddle_model other = makeModel("poems");
  heddle_weights *own = weights;
  weights = nullptr;
  expectInvalid("weights is null");
  ASSERT_EQ(heddle_weights_bind(&other, file.bytes, sizeof(file.bytes), 0,
                                nullptr, &weights, &error),
            HEDDLE_OK);
  other.fingerprint = model.fingerprint + 1; // the file's was the same
  sizes[kBatch] = 0; // also wrong, but weights come first
  expectInvalid("weights are bound to another model: 'poems'");
  heddle_weights_close(own);
}

TEST_F(Call, NegativeSizes) {
  buffers[0] = nullptr; // also wrong, but sizes come first
  sizes[kLength] = 513;
  expectInvalid("size 'length' is 513, expected 1 to 512");
  sizes[kLength] = 0;
  expectInvalid("size 'length' is 0, expected 1 to 512");
  callSizes = nullptr;
  expectInvalid("sizes is null");
}

TEST_F(Call, NegativeNullBuffers) {
  buffers[3] = cache.bytes + 1; // also wrong, but null comes first
  buffers[5] = nullptr;
  expectInvalid("argument 'sums' is null");
  callBuffers = nullptr;
  expectInvalid("buffers is null");
}

std::string place(const void *pointer) {
  char text[32];
  std::snprintf(text, sizeof(text), "%p", pointer);
  return text;
}

TEST_F(Call, NegativeAlignment) {
  workspaceSize = 0; // also wrong, but alignment comes first
  buffers[3] = cache.bytes + 32;
  expectInvalid("argument 'cache' is at " + place(buffers[3]) +
                ", expected a multiple of 64");
  buffers[3] = cache.bytes;
  for (void *wrong : {workspace.bytes + 32, static_cast<uint8_t *>(nullptr)}) {
    callWorkspace = wrong;
    expectInvalid("workspace is at " + place(wrong) +
                  ", expected 1408 bytes at a multiple of 64");
  }
}

TEST_F(Call, NegativeWorkspaceTooSmall) {
  ids[0] = -1; // also wrong, but the workspace comes first
  workspaceSize = 1407;
  expectRefused(HEDDLE_WORKSPACE_TOO_SMALL,
                "workspace has 1407 bytes, expected 1408");
}

TEST_F(Call, NegativeLength) {
  ids[0] = -1; // also wrong, but lengths come first
  starts[0] = -1;
  lengths[1] = 5;
  expectOutOfRange("argument 'lengths'[1] is 5, expected 1 to 4 (length)");
  lengths[1] = 0;
  expectOutOfRange("argument 'lengths'[1] is 0, expected 1 to 4 (length)");
  lengths[0] = INT32_MIN;
  expectOutOfRange(
      "argument 'lengths'[0] is -2147483648, expected 1 to 4 (length)");
}

TEST_F(Call, NegativeIds) {
  ids[6] = 100;
  expectOutOfRange("argument 'ids'[1][2] is 100, expected 0 to 99");
  ids[1] = -3;
  expectOutOfRange("argument 'ids'[0][1] is -3, expected 0 to 99");
}

TEST_F(Call, NegativeIdsWithoutLengthsHaveNoPadding) {
  expectOutOfRange("argument 'ids'[0][2] is -1, expected 0 to 99", &kFull);
}

TEST_F(Call, NegativeStarts) {
  starts[1] = 30;
  expectOutOfRange(
      "argument 'starts'[1] is 30, expected 0 to 29 (capacity 32 - length 3)");
  starts[1] = INT32_MAX; // start + length does not fit into 32 bits
  expectOutOfRange("argument 'starts'[1] is 2147483647, expected 0 to 29 "
                   "(capacity 32 - length 3)");
  starts[0] = -1;
  expectOutOfRange(
      "argument 'starts'[0] is -1, expected 0 to 30 (capacity 32 - length 2)");
  starts[0] = 0;
  sizes[kCapacity] = 1; // smaller than the sequence itself
  expectOutOfRange(
      "argument 'starts'[0] is 0, expected 0 to -1 (capacity 1 - length 2)");
}

TEST_F(Call, NegativeStartsWithoutLengthsNeedOnePosition) {
  starts[1] = 31;
  ASSERT_EQ(invoke(&kDecode), HEDDLE_OK) << error.message;
  runs = 0;
  starts[1] = 32;
  expectOutOfRange(
      "argument 'starts'[1] is 32, expected 0 to 31 (capacity 32 - length 1)",
      &kDecode);
}

TEST_F(Call, NegativeStartsWithoutCapacity) {
  buffers[0] = starts;
  expectRefused(
      HEDDLE_INTERNAL_ERROR,
      "argument 'starts' lacks a size 'capacity' or lengths of its shape",
      &kWild);
}

// ---- Many threads

TEST_F(Call, ManyThreadsShareModelWeightsAndPool) {
  heddle_threads *pool = nullptr;
  ASSERT_EQ(heddle_threads_create(3, nullptr, &pool, nullptr), HEDDLE_OK);
  std::vector<int> wrong(4);
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; ++c)
    callers.emplace_back([&, c] {
      Memory ownWorkspace, ownCache;
      float ownSums[6];
      heddle_error ownError = {};
      heddle_context own = {heddle_threads_parallel_for, pool, nullptr, nullptr,
                            &ownError};
      void *ownBuffers[] = {ids,   starts, lengths, ownCache.bytes,
                            scale, ownSums};
      for (int call = 0; call < 300; ++call) {
        std::memset(ownSums, 0, sizeof(ownSums));
        int64_t ownSizes[] = {2, 4, call % 7 == 0 ? 5000 : 32};
        heddle_status status =
            heddle_invoke(&model, &kSums, &own, weights, ownBuffers, ownSizes,
                          ownWorkspace.bytes, sizeof(Memory));
        if (call % 7 == 0)
          wrong[c] += status != HEDDLE_INVALID_ARGUMENT || ownSums[0] != 0;
        else
          wrong[c] += status != HEDDLE_OK || ownSums[0] != 7 + 99 ||
                      ownSums[3] != 7 + 18;
      }
    });
  for (std::thread &caller : callers)
    caller.join();
  heddle_threads_destroy(pool);
  EXPECT_EQ(wrong, std::vector<int>(4));
}

// ---- Sizes

TEST(Sizes, FindEntry) {
  heddle_model model = makeModel("stories");
  EXPECT_EQ(heddle_find_entry(&model, "decode"), &kDecode);
  EXPECT_EQ(heddle_find_entry(&model, "prefill"), &kPrefill);
  EXPECT_EQ(heddle_find_entry(&model, "train"), nullptr);
  EXPECT_EQ(heddle_find_entry(&model, nullptr), nullptr);
  EXPECT_EQ(heddle_find_entry(nullptr, "decode"), nullptr);
  model.abi_version = 2;
  EXPECT_EQ(heddle_find_entry(&model, "decode"), nullptr);
}

TEST(Sizes, WorkspaceRoundsUpUnitsAndArenas) {
  size_t bytes = 1;
  heddle_error error = {};
  // 2 * 4 units -> 12 -> 1200 bytes -> 1216; 10 -> 64; 2 * 64 = 128
  // 3 * 4 units -> 12 -> 1200 bytes -> 1216; 10 -> 64; 3 * 64 = 192
  int64_t sizes[] = {2, 4, 32};
  EXPECT_EQ(heddle_workspace_size(&kPrefill, sizes, &bytes, &error), HEDDLE_OK);
  EXPECT_EQ(bytes, 1216u + 64 + 128);
  EXPECT_STREQ(error.message, "");
  sizes[0] = 3;
  EXPECT_EQ(heddle_workspace_size(&kPrefill, sizes, &bytes, nullptr),
            HEDDLE_OK);
  EXPECT_EQ(bytes, 1216u + 64 + 192);
  EXPECT_EQ(heddle_workspace_size(&kDecode, sizes, &bytes, nullptr), HEDDLE_OK);
  EXPECT_EQ(bytes, 0u);
}

TEST(Sizes, ArgumentsHaveTheirTypesSize) {
  int64_t sizes[] = {3, 20, 33};
  // ids, starts, lengths in i32; cache of 33 -> 64 positions; bf16; f32
  size_t expected[] = {3 * 20 * 4, 3 * 4, 3 * 4, 3 * 64 * 96, 5 * 2, 3 * 3 * 4};
  for (uint32_t a = 0; a < 6; ++a) {
    size_t bytes = 1;
    heddle_error error = {};
    EXPECT_EQ(heddle_argument_size(&kPrefill, a, sizes, &bytes, &error),
              HEDDLE_OK)
        << error.message;
    EXPECT_EQ(bytes, expected[a]) << kPrefillArguments[a].name;
  }
}

TEST(Sizes, NegativeOutOfRange) {
  int64_t sizes[] = {2, 4, 2049};
  const char *message = "prefill: size 'capacity' is 2049, expected 1 to 2048";
  heddle_error error = {};
  size_t bytes = 1;
  EXPECT_EQ(heddle_workspace_size(&kPrefill, sizes, &bytes, &error),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, message);
  EXPECT_EQ(bytes, 0u);
  bytes = 1;
  EXPECT_EQ(heddle_argument_size(&kPrefill, 0, sizes, &bytes, &error),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, message);
  EXPECT_EQ(bytes, 0u);
  EXPECT_EQ(heddle_argument_size(&kPrefill, 6, sizes, &bytes, nullptr),
            HEDDLE_INVALID_ARGUMENT);
  sizes[2] = 32;
  EXPECT_EQ(heddle_argument_size(&kPrefill, 6, sizes, &bytes, &error),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "prefill: argument is 6, expected less than 6");
}

TEST(Sizes, NegativeOverflow) {
  heddle_error error = {};
  size_t bytes = 1;
  // The product, its rounding up, and the rounding up of the batch overflow.
  for (int64_t batch : {INT64_MAX / 2, INT64_MAX - 70, INT64_MAX}) {
    EXPECT_EQ(heddle_workspace_size(&kWild, &batch, &bytes, &error),
              HEDDLE_INVALID_ARGUMENT);
    EXPECT_STREQ(
        error.message,
        "wild: the workspace for these sizes is larger than memory can be");
    EXPECT_EQ(bytes, 0u);
    EXPECT_EQ(heddle_argument_size(&kWild, 0, &batch, &bytes, &error),
              HEDDLE_INVALID_ARGUMENT);
    EXPECT_STREQ(error.message, "wild: argument 'starts' with these sizes is "
                                "larger than memory can be");
    EXPECT_EQ(bytes, 0u);
  }
}

TEST(Sizes, NegativeNull) {
  int64_t sizes[] = {2, 4, 32};
  size_t bytes = 1;
  heddle_error error = {};
  EXPECT_EQ(heddle_workspace_size(nullptr, sizes, &bytes, &error),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "entry is null");
  EXPECT_EQ(bytes, 0u);
  EXPECT_EQ(heddle_workspace_size(&kPrefill, sizes, nullptr, &error),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "bytes is null");
  EXPECT_EQ(heddle_argument_size(&kPrefill, 0, nullptr, &bytes, &error),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "prefill: sizes is null");
}

TEST(Status, HasAName) {
  EXPECT_STREQ(heddle_status_name(HEDDLE_OK), "HEDDLE_OK");
  EXPECT_STREQ(heddle_status_name(HEDDLE_OUT_OF_RANGE), "HEDDLE_OUT_OF_RANGE");
  EXPECT_STREQ(heddle_status_name(HEDDLE_INTERNAL_ERROR),
               "HEDDLE_INTERNAL_ERROR");
  EXPECT_STREQ(heddle_status_name(static_cast<heddle_status>(10)),
               "an unknown status");
}

} // namespace
