// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Weights and calls of a model that a device runs.

#include "test/Runtime/DeviceTesting.h"
#include "test/Runtime/SessionTesting.h"

#include <gmock/gmock.h>

using namespace session_testing;
using namespace device_testing;
using testing::ElementsAre;

namespace {

// ---- A call: the entry points of a handmade model, moved to the device

int runSumsThere(const heddle_frame *frame) {
  return launchTask(frame, kPrefill, [](const heddle_frame *on) {
    const auto *ids = static_cast<const int32_t *>(on->buffers[0]);
    auto *sums = static_cast<float *>(on->buffers[5]);
    auto *cache = static_cast<uint8_t *>(on->buffers[3]);
    sums[1] = static_cast<const int32_t *>(on->buffers[2])[1];
    sums[2] = static_cast<const uint16_t *>(on->buffers[4])[4];
    sums[0] = on->weights[0] + ids[0] + ids[1] + cache[0];
    cache[0] = 1;
  });
}
// Reads a number, doubles it where it is, and copies it to the cache.
int runHost(const heddle_frame *frame) {
  int32_t number = 0;
  void *ids = frame->buffers[0];
  if (int status = frame->copy(frame, &number, ids, 4, HEDDLE_TO_HOST))
    return status;
  number *= 2;
  if (int status = frame->copy(frame, ids, &number, 4, HEDDLE_TO_DEVICE))
    return status;
  number = -1;
  return frame->copy(frame, frame->buffers[3], ids, 4, HEDDLE_ON_DEVICE);
}
int runBroken(const heddle_frame *) { return HEDDLE_BROKEN_PROMISE; }

const heddle_entry kSumsThere = onDevice(kPrefill, runSumsThere);
heddle_entry named(heddle_entry entry, const char *name) {
  entry.name = name;
  return entry;
}
const heddle_entry kHost = named(onDevice(kPrefill, runHost), "host");
const heddle_entry kBroken = named(onDevice(kPrefill, runBroken), "broken");
const heddle_entry *const kEntriesThere[] = {&kSumsThere, &kHost, &kBroken};

heddle_model makeModelThere() {
  heddle_model model = makeModel("stories");
  model.device_kind = HEDDLE_DEVICE_OPENCL;
  model.device = "opencl";
  model.entry_count = 3;
  model.entries = kEntriesThere;
  return model;
}

class DeviceCall : public testing::Test {
protected:
  FakeDevice device, otherDevice;
  heddle_model model = makeModelThere();
  File file;
  heddle_weights *weights = nullptr, *uploaded = nullptr;
  heddle_stream *stream = nullptr, *otherStream = nullptr;
  heddle_error error = {};
  heddle_context context = {};
  int32_t ids[8] = {5, 6, 7, 8, 1, 2, 3, 4};
  int32_t starts[2] = {0, 29};
  int32_t lengths[2] = {2, 3};
  uint16_t scale[5] = {};
  float sums[6] = {};
  void *buffers[6] = {ids, starts, lengths, nullptr, scale, sums};
  int64_t sizes[3] = {2, 4, 32};
  size_t workspaceSize = 0;
  void *workspace = nullptr, *cache = nullptr;

  void SetUp() override {
    ASSERT_EQ(heddle_weights_bind(&model, file.bytes, sizeof(file.bytes), 0,
                                  nullptr, &weights, &error),
              HEDDLE_OK);
    ASSERT_EQ(
        heddle_stream_create(&device.base, nullptr, nullptr, &stream, &error),
        HEDDLE_OK);
    ASSERT_EQ(heddle_stream_create(&otherDevice.base, nullptr, nullptr,
                                   &otherStream, &error),
              HEDDLE_OK);
    ASSERT_EQ(
        heddle_weights_upload(weights, stream, nullptr, &uploaded, &error),
        HEDDLE_OK)
        << error.message;
    ASSERT_EQ(heddle_workspace_size(&kSumsThere, sizes, &workspaceSize, &error),
              HEDDLE_OK);
    allocate(workspaceSize, &workspace);
    allocate(16384, &cache);
    buffers[3] = cache;
    context.error = &error;
    context.stream = stream;
    device.log.clear();
  }
  void TearDown() override {
    heddle_stream_wait(stream, nullptr);
    for (void *memory : allocations)
      heddle_device_release(&device.base, memory);
    heddle_weights_close(uploaded);
    heddle_weights_close(weights);
    heddle_stream_destroy(stream);
    heddle_stream_destroy(otherStream);
  }
  void allocate(size_t size, void **address) {
    ASSERT_EQ(heddle_device_allocate(&device.base, size, address, &error),
              HEDDLE_OK);
    allocations.push_back(*address);
  }
  void *upload(const void *data, size_t size) {
    void *there = nullptr;
    allocate(size, &there);
    heddle_stream_upload(stream, there, data, size, nullptr);
    return there;
  }
  heddle_status invoke(const heddle_entry *entry = &kSumsThere) {
    return heddle_invoke(&model, entry, &context, uploaded, buffers, sizes,
                         workspace, workspaceSize);
  }
  void expectInvalid(const char *message,
                     const heddle_entry *entry = &kSumsThere) {
    EXPECT_EQ(invoke(entry), HEDDLE_INVALID_ARGUMENT);
    EXPECT_STREQ(error.message, message);
    EXPECT_TRUE(device.log.empty());
  }

  std::vector<void *> allocations;
};

// The workspace has room for what the host hands in and gets.
TEST_F(DeviceCall, StagesArguments) {
  EXPECT_EQ(workspaceSize, 1024u + 5 * 256); // 2 * 4 rows of 100 bytes
  const uint8_t three = 3;
  heddle_stream_upload(stream, cache, &three, 1, nullptr);
  device.log.clear();
  EXPECT_EQ(invoke(), HEDDLE_OK) << error.message;
  EXPECT_EQ(sums[0], 7 + 5 + 6 + 3);
  EXPECT_THAT(device.log,
              ElementsAre("upload 778", "launch 3 of 4x32, 64 bytes",
                          "download 24", "wait"));
  EXPECT_EQ(invoke(), HEDDLE_OK);
  EXPECT_EQ(sums[0], 7 + 5 + 6 + 1);
}

// Small inputs go together, as far as there is room; what is large goes by
// itself.
TEST_F(DeviceCall, UploadsTogether) {
  using Log = std::vector<std::string>;
  std::vector<int32_t> many(8 * 512, 1);
  int32_t ones[8] = {1, 1, 1, 1, 1, 1, 1, 1}, zeros[8] = {};
  buffers[0] = many.data();
  buffers[1] = zeros;
  buffers[2] = ones;
  float results[24];
  buffers[5] = results;
  scale[4] = 9;
  for (auto [length, expected] : {std::pair<int64_t, Log>{100, {"upload 3850"}},
                                  {248, {"upload 7968", "upload 266"}},
                                  {512, {"upload 16384", "upload 522"}}}) {
    sizes[0] = 8;
    sizes[1] = length;
    ASSERT_EQ(heddle_workspace_size(&kSumsThere, sizes, &workspaceSize, &error),
              HEDDLE_OK)
        << error.message;
    allocate(workspaceSize, &workspace);
    device.log.clear();
    ASSERT_EQ(invoke(), HEDDLE_OK) << error.message;
    device.log.resize(expected.size());
    EXPECT_EQ(device.log, expected) << length;
    EXPECT_EQ(results[1], 1); // lengths
    EXPECT_EQ(results[2], 9); // scale
  }
}

// Nothing is copied, and nothing waited for.
TEST_F(DeviceCall, TakesArgumentsOfTheDevice) {
  for (int argument : {0, 1, 2, 4, 5}) {
    const size_t bytes[] = {32, 8, 8, 0, 10, 24};
    buffers[argument] = upload(buffers[argument], bytes[argument]);
    context.device_arguments |= UINT64_C(1) << argument;
  }
  ASSERT_EQ(heddle_device_workspace_size(&kSumsThere, sizes,
                                         context.device_arguments,
                                         &workspaceSize, &error),
            HEDDLE_OK);
  EXPECT_EQ(workspaceSize, 1024u);
  device.log.clear();
  EXPECT_EQ(invoke(), HEDDLE_OK) << error.message;
  EXPECT_THAT(device.log, ElementsAre("launch 3 of 4x32, 64 bytes"));
  // One argument of the host's is enough for more.
  context.device_arguments &= ~UINT64_C(1);
  buffers[0] = ids;
  EXPECT_EQ(invoke(), HEDDLE_WORKSPACE_TOO_SMALL);
  EXPECT_STREQ(error.message, "stories.prefill: workspace has 1024 bytes, "
                              "expected 1280");
  ASSERT_EQ(heddle_stream_download(stream, sums, buffers[5], 24, &error),
            HEDDLE_OK);
  ASSERT_EQ(heddle_stream_wait(stream, &error), HEDDLE_OK);
  EXPECT_EQ(sums[0], 7 + 5 + 6);
}

// A kernel that reads a number across the places of two loses the device.
TEST_F(DeviceCall, NegativeUnaligned) {
  auto *there = static_cast<char *>(upload(ids, 32));
  context.device_arguments = 1;
  for (int bytes : {1, 2, 3}) {
    buffers[0] = there + bytes;
    EXPECT_EQ(invoke(), HEDDLE_INVALID_ARGUMENT);
    EXPECT_THAT(error.message, testing::MatchesRegex(
                                   "stories.prefill: argument 'ids' is at .*, "
                                   "expected a multiple of 4"));
  }
  // What the host has is copied, and its integers are read byte by byte.
  context.device_arguments = 0;
  alignas(8) char bytes[33], scales[11] = {};
  memcpy(bytes + 1, ids, 32);
  buffers[0] = bytes + 1;
  buffers[4] = scales + 1;
  EXPECT_EQ(invoke(), HEDDLE_OK) << error.message;
  EXPECT_EQ(sums[0], 7 + 5 + 6);
}

TEST_F(DeviceCall, HostReadsAndWritesNumbers) {
  EXPECT_EQ(invoke(&kHost), HEDDLE_OK) << error.message;
  int32_t number = 0;
  heddle_stream_download(stream, &number, cache, 4, nullptr);
  heddle_stream_wait(stream, nullptr);
  EXPECT_EQ(number, 10);
}

TEST_F(DeviceCall, NegativeContexts) {
  context.stream = nullptr;
  expectInvalid("stories.prefill: context.stream is null; the model was "
                "compiled for OpenCL and needs a heddle_stream");
  context.stream = otherStream;
  expectInvalid(
      "stories.prefill: weights are on another device than the stream");
  context.stream = stream;
  std::swap(weights, uploaded);
  expectInvalid("stories.prefill: weights are not on the device "
                "(heddle_weights_upload puts them there)");
  std::swap(weights, uploaded);
  model.device_kind = HEDDLE_DEVICE_NONE;
  expectInvalid("stories.prefill: weights are on a device, kernels are not");
  model.device_kind = HEDDLE_DEVICE_OPENCL;
  --workspaceSize;
  EXPECT_EQ(invoke(), HEDDLE_WORKSPACE_TOO_SMALL);
  ++workspaceSize;
  ids[0] = 100; // checked before anything is done
  EXPECT_EQ(invoke(), HEDDLE_OUT_OF_RANGE);
  EXPECT_TRUE(device.log.empty());
}

TEST_F(DeviceCall, NegativeRequests) {
  for (const heddle_entry *entry : {&kSumsThere, &kHost})
    for (int failing = 1;; ++failing) {
      device.countdown = failing;
      device.failed.clear();
      heddle_status status = invoke(entry);
      if (device.failed.empty()) {
        EXPECT_EQ(status, HEDDLE_OK);
        EXPECT_EQ(failing, entry == &kHost ? 8 : 5);
        break;
      }
      EXPECT_EQ(status, HEDDLE_DEVICE_ERROR);
      EXPECT_EQ(error.message, "fake: " + device.failed + " failed");
      EXPECT_TRUE(device.work.empty()) << "after " << device.failed;
      device.countdown = 0;
      EXPECT_EQ(invoke(entry), HEDDLE_OK) << error.message;
      ids[0] = 5;
    }
}

TEST_F(DeviceCall, NegativeBrokenPromise) {
  EXPECT_EQ(invoke(&kBroken), HEDDLE_INTERNAL_ERROR);
  EXPECT_STREQ(error.message,
               "stories.broken: what a schedule from a file promises does not "
               "hold for these sizes; results are incomplete");
}

// ---- Weights

TEST_F(DeviceCall, NegativeUploads) {
  heddle_weights *more = uploaded;
  auto refuse = [&](const heddle_weights *given, heddle_stream *on,
                    const char *message) {
    more = uploaded;
    EXPECT_EQ(heddle_weights_upload(given, on, nullptr, &more, &error),
              HEDDLE_INVALID_ARGUMENT);
    EXPECT_STREQ(error.message, message);
    EXPECT_EQ(more, nullptr);
  };
  refuse(nullptr, stream, "weights is null");
  refuse(weights, nullptr, "stream is null");
  refuse(uploaded, stream, "weights of 'stories' are on a device already");
  device.base.kind = HEDDLE_DEVICE_CUDA;
  refuse(weights, stream,
         "'stories' was compiled for OpenCL, the stream is of CUDA");
  device.base.kind = HEDDLE_DEVICE_OPENCL;
  EXPECT_EQ(heddle_weights_upload(weights, stream, nullptr, nullptr, &error),
            HEDDLE_INVALID_ARGUMENT);
  for (const char *failing : {"allocate", "upload 1", "wait", "compile"}) {
    static int number = 0;
    device.countdown = ++number;
    EXPECT_EQ(heddle_weights_upload(weights, stream, nullptr, &more, &error),
              HEDDLE_DEVICE_ERROR);
    EXPECT_EQ(device.failed, failing);
    EXPECT_EQ(error.message, "fake: " + device.failed + " failed");
    EXPECT_EQ(more, nullptr);
  }
}

// ---- Devices and streams

TEST_F(DeviceCall, NegativeHandles) {
  heddle_device *opened = &device.base;
  heddle_device_options options = {};
  auto refuse = [&](const heddle_device_options *given, const char *message) {
    opened = &device.base;
    EXPECT_EQ(heddle_device_open(given, nullptr, &opened, &error),
              HEDDLE_INVALID_ARGUMENT);
    EXPECT_STREQ(error.message, message);
    EXPECT_EQ(opened, nullptr);
  };
  refuse(nullptr, "options is null");
  refuse(&options, "options.kind is 0, expected HEDDLE_DEVICE_OPENCL or "
                   "HEDDLE_DEVICE_CUDA");
  EXPECT_EQ(heddle_device_open(&options, nullptr, nullptr, &error),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "device is null");
  heddle_stream *created = stream;
  EXPECT_EQ(heddle_stream_create(nullptr, nullptr, nullptr, &created, &error),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(created, nullptr);
  device.countdown = 1;
  EXPECT_EQ(
      heddle_stream_create(&device.base, nullptr, nullptr, &created, &error),
      HEDDLE_DEVICE_ERROR);
  EXPECT_STREQ(error.message, "fake: create_stream failed");
  EXPECT_EQ(heddle_stream_wait(nullptr, &error), HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(heddle_stream_upload(stream, nullptr, ids, 4, &error),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "to is null");
  EXPECT_EQ(heddle_stream_download(stream, ids, nullptr, 4, &error),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "from is null");
  void *address = ids;
  EXPECT_EQ(heddle_device_allocate(nullptr, 4, &address, &error),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_EQ(address, nullptr);
  device.countdown = 1;
  EXPECT_EQ(heddle_device_allocate(&device.base, 4, &address, &error),
            HEDDLE_DEVICE_ERROR);
  EXPECT_STREQ(heddle_device_name(&device.base), "fake");
  heddle_device_release(&device.base, nullptr);
  heddle_stream_destroy(nullptr);
  heddle_device_close(nullptr);
}

} // namespace
