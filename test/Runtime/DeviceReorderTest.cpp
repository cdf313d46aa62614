// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Sequences of a cache on a device change places, compared with a cache of the
// host.

#include "test/Runtime/CallTesting.h"
#include "test/Runtime/DeviceTesting.h"

#include <random>

using namespace call_testing;
using namespace device_testing;

namespace {

constexpr uint32_t kCacheArgument = 3; // of kPrefill

class DeviceReorder : public testing::Test {
protected:
  FakeDevice device;
  heddle_stream *stream = nullptr;
  heddle_error error = {};
  std::vector<int64_t> sizes{5, 1, 33};
  std::vector<uint8_t> cache;

  void SetUp() override {
    ASSERT_EQ(
        heddle_stream_create(&device.base, nullptr, nullptr, &stream, &error),
        HEDDLE_OK);
    fill();
  }
  void TearDown() override { heddle_stream_destroy(stream); }

  void fill() {
    size_t bytes = 0;
    ASSERT_EQ(heddle_argument_size(&kPrefill, kCacheArgument, sizes.data(),
                                   &bytes, &error),
              HEDDLE_OK);
    cache.resize(bytes);
    std::mt19937 random(bytes);
    for (uint8_t &byte : cache)
      byte = random();
  }

  heddle_status reorder(const std::vector<int32_t> &parents,
                        size_t scratchSize) {
    FakeMemory there(device, cache.size()), scratch(device, scratchSize);
    heddle_stream_upload(stream, there.address, cache.data(), cache.size(),
                         nullptr);
    heddle_status status = heddle_stream_reorder_cache(
        stream, &kPrefill, kCacheArgument, sizes.data(), there.address,
        parents.data(), scratch.address, scratchSize, &error);
    heddle_stream_download(stream, cache.data(), there.address, cache.size(),
                           nullptr);
    heddle_stream_wait(stream, nullptr);
    return status;
  }

  void expectReordered(const std::vector<int32_t> &parents,
                       size_t scratchSize) {
    sizes[0] = int64_t(parents.size());
    fill();
    std::vector<uint8_t> expected = cache;
    ASSERT_EQ(heddle_reorder_cache(&kPrefill, kCacheArgument, sizes.data(),
                                   expected.data(), parents.data(), &error),
              HEDDLE_OK)
        << error.message;
    EXPECT_EQ(reorder(parents, scratchSize), HEDDLE_OK) << error.message;
    EXPECT_TRUE(cache == expected) << testing::PrintToString(parents);
  }
};

TEST_F(DeviceReorder, RowsBecomeTheirParents) {
  for (size_t scratch : {100, 4096}) {
    expectReordered({0, 1, 2}, scratch);             // none changes
    expectReordered({1, 2, 0}, scratch);             // a cycle
    expectReordered({1, 0, 3, 2}, scratch);          // two of them
    expectReordered({2, 2, 2}, scratch);             // one parent of all
    expectReordered({1, 2, 0, 0, 3}, scratch);       // a cycle with a tail
    expectReordered({3, 3, 3, 4, 5, 3, 0}, scratch); // that it is cut by
    expectReordered({0, 0, 1, 2, 3, 4, 5, 6}, scratch);
  }
}

TEST_F(DeviceReorder, AnyParents) {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    std::vector<int32_t> parents(1 + random() % 8);
    for (int32_t &parent : parents)
      parent = int32_t(random() % parents.size());
    expectReordered(parents, 1 + random() % 3000);
  }
}

// Rows that stay are not copied, and only cycles need the scratch.
TEST_F(DeviceReorder, CopiesWhatChanges) {
  device.log.clear();
  expectReordered({0, 0, 2, 4, 3}, 1 << 20);
  int copies = 0;
  for (const std::string &request : device.log)
    copies += request.rfind("copy ", 0) == 0;
  EXPECT_EQ(copies, 4 * int(std::size(kPartBytes)));
}

TEST_F(DeviceReorder, NegativeFailingCopies) {
  for (int failing = 1; failing <= 16; ++failing) {
    FakeMemory there(device, cache.size()), scratch(device, 64);
    const int32_t parents[] = {1, 2, 3, 4, 0};
    device.countdown = failing;
    EXPECT_EQ(heddle_stream_reorder_cache(stream, &kPrefill, kCacheArgument,
                                          sizes.data(), there.address, parents,
                                          scratch.address, 64, &error),
              HEDDLE_DEVICE_ERROR);
    EXPECT_EQ(error.message, "fake: " + device.failed + " failed");
    heddle_stream_wait(stream, nullptr);
  }
}

TEST_F(DeviceReorder, NegativeArguments) {
  int32_t parents[] = {0, 1, 2, 3, 5};
  auto refuse = [&](heddle_stream *on, void *scratch, size_t size,
                    const char *message, heddle_status status) {
    EXPECT_EQ(heddle_stream_reorder_cache(on, &kPrefill, kCacheArgument,
                                          sizes.data(), cache.data(), parents,
                                          scratch, size, &error),
              status);
    EXPECT_STREQ(error.message, message);
  };
  int scratch = 0;
  refuse(nullptr, &scratch, 4, "stream is null", HEDDLE_INVALID_ARGUMENT);
  refuse(stream, &scratch, 4, "parents[4] is 5, expected 0 to 4",
         HEDDLE_OUT_OF_RANGE);
  parents[4] = 4;
  refuse(stream, nullptr, 4, "scratch is null", HEDDLE_INVALID_ARGUMENT);
  refuse(stream, &scratch, 0, "scratch_size is 0", HEDDLE_INVALID_ARGUMENT);
}

} // namespace
