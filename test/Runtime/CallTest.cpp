// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// What heddle_invoke checks but for values, and how it runs what it is given.

#include "test/Runtime/CallTesting.h"

#include <cstdio>
#include <thread>

using namespace call_testing;

namespace {

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

TEST_F(Call, NegativeSizesTooLargeTogether) {
  expectRefused(HEDDLE_INVALID_ARGUMENT,
                "sizes batch = 2, length = 4, capacity = 32 are too large "
                "together: what kernels count of them does not fit 32 bits",
                &kWild);
}

// ---- What is checked, in the order of the checks

TEST_F(Call, NegativeObjectVersion) {
  model.abi_version = HEDDLE_ABI_VERSION + 1;
  expectFailure(HEDDLE_ABI_MISMATCH,
                std::string("the model was compiled for version ") +
                    std::to_string(HEDDLE_ABI_VERSION + 1) +
                    " of the runtime's ABI, "
                    "this runtime has version " +
                    std::to_string(HEDDLE_ABI_VERSION));
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
                  ", expected 800 bytes at a multiple of 64");
  }
}

TEST_F(Call, NegativeWorkspaceTooSmall) {
  ids[0] = -1; // also wrong, but the workspace comes first
  workspaceSize = 799;
  expectRefused(HEDDLE_WORKSPACE_TOO_SMALL,
                "workspace has 799 bytes, expected 800");
}

// ---- Many threads

TEST_F(Call, NegativeArgumentBytes) {
  // ids [2, 4], starts [2], lengths [2], a cache of 2 * 32 positions of 96
  // bytes, scale [5] and sums [2, 3].
  const size_t exact[6] = {32, 8, 8, 6144, 10, 24};
  const char *const names[6] = {"ids",   "starts", "lengths",
                                "cache", "scale",  "sums"};
  context.argument_bytes = exact;
  ASSERT_EQ(invoke(), HEDDLE_OK) << error.message;
  runs = 0;
  for (int a = 0; a < 6; ++a) {
    size_t bytes[6];
    std::copy(exact, exact + 6, bytes);
    --bytes[a];
    context.argument_bytes = bytes;
    expectInvalid("argument '" + std::string(names[a]) + "' has " +
                  std::to_string(bytes[a]) + " bytes, expected " +
                  std::to_string(exact[a]) + " for these sizes");
  }
}

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
      heddle_context own = {};
      own.parallel_for = heddle_threads_parallel_for;
      own.parallel_for_data = pool;
      own.error = &ownError;
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

TEST(Status, HasAName) {
  EXPECT_STREQ(heddle_status_name(HEDDLE_OK), "HEDDLE_OK");
  EXPECT_STREQ(heddle_status_name(HEDDLE_OUT_OF_RANGE), "HEDDLE_OUT_OF_RANGE");
  EXPECT_STREQ(heddle_status_name(HEDDLE_INTERNAL_ERROR),
               "HEDDLE_INTERNAL_ERROR");
  EXPECT_STREQ(heddle_status_name(static_cast<heddle_status>(12)),
               "an unknown status");
}

} // namespace
