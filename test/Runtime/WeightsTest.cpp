// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Weights files: everything that opening must refuse, and the message it
// refuses with.

#include "runtime/Internal.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>
#include <sys/stat.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace {

constexpr size_t kOffset = 4096;
constexpr size_t kDataSize = 1000;

heddle_model makeModel() {
  heddle_model model = {};
  model.abi_version = HEDDLE_ABI_VERSION;
  model.struct_size = sizeof(heddle_model);
  model.name = "stories";
  model.target_cpu = "znver5";
  model.cpu_features = "";
  model.fingerprint = 0x1234;
  model.weights_size = kDataSize;
  return model;
}

// A whole weights file in memory, aligned as heddle_weights_bind wants it.
struct alignas(HEDDLE_ALIGNMENT) Image {
  uint8_t bytes[kOffset + kDataSize + 64] = {};
  size_t size = kOffset + kDataSize;

  Image() {
    heddle_weights_header &h = header();
    std::memcpy(h.magic, HEDDLE_WEIGHTS_MAGIC, sizeof(h.magic));
    h.abi_version = HEDDLE_ABI_VERSION;
    h.header_size = sizeof(h);
    h.fingerprint = 0x1234;
    h.data_offset = kOffset;
    h.data_size = kDataSize;
    for (size_t i = 0; i < kDataSize; ++i)
      bytes[kOffset + i] = static_cast<uint8_t>(i * 7);
    h.data_checksum = XXH3_64bits(bytes + kOffset, kDataSize);
    seal();
  }
  heddle_weights_header &header() {
    return *reinterpret_cast<heddle_weights_header *>(bytes);
  }
  // Makes the header valid again after a change.
  void seal() {
    header().header_checksum =
        XXH3_64bits(bytes, offsetof(heddle_weights_header, header_checksum));
  }
};

class Weights : public testing::Test {
protected:
  heddle_model model = makeModel();
  Image image;
  heddle_error error = {};
  heddle_weights *weights = nullptr;
  std::string path =
      testing::TempDir() + "heddle_weights_test_" +
      testing::UnitTest::GetInstance()->current_test_info()->name();

  void TearDown() override {
    heddle_weights_close(weights);
    std::remove(path.c_str());
  }
  void write() {
    std::ofstream(path, std::ios::binary)
        .write(reinterpret_cast<const char *>(image.bytes),
               static_cast<std::streamsize>(image.size));
  }
  heddle_status open(unsigned flags = 0) {
    write();
    return heddle_weights_open(&model, path.c_str(), flags, nullptr, &weights,
                               &error);
  }
  heddle_status bind(unsigned flags = 0) {
    return heddle_weights_bind(&model, image.bytes, image.size, flags, nullptr,
                               &weights, &error);
  }
  // Both ways in refuse the image with this status and message part.
  void expectRefused(heddle_status status, const std::string &message,
                     unsigned flags = 0) {
    EXPECT_EQ(open(flags), status);
    expectFailure(status, "weights file '" + path + "'");
    expectFailure(status, message);
    EXPECT_EQ(bind(flags), status);
    expectFailure(status, "weights in memory");
    expectFailure(status, message);
  }
  void expectFailure(heddle_status status, const std::string &message) {
    EXPECT_EQ(error.status, status);
    EXPECT_NE(std::string(error.message).find(message), std::string::npos)
        << "message is: " << error.message << "\nexpected: " << message;
    EXPECT_EQ(weights, nullptr);
  }
};

TEST_F(Weights, OpenTakesThoseInTheObject) {
  model.embedded_weights = image.bytes;
  model.embedded_size = image.size;
  ASSERT_EQ(heddle_weights_open(&model, nullptr, HEDDLE_WEIGHTS_VERIFY, nullptr,
                                &weights, &error),
            HEDDLE_OK)
      << error.message;
  EXPECT_EQ(weights->data, image.bytes + kOffset);
  heddle_weights_close(weights);
  ASSERT_EQ(open(), HEDDLE_OK) << "a file of the same may be given";
  EXPECT_NE(weights->data, image.bytes + kOffset);
  heddle_weights_close(weights);

  image.bytes[kOffset] ^= 1;
  EXPECT_EQ(heddle_weights_open(&model, nullptr, HEDDLE_WEIGHTS_VERIFY, nullptr,
                                &weights, &error),
            HEDDLE_BAD_WEIGHTS);
  expectFailure(HEDDLE_BAD_WEIGHTS, "weights in the object has damaged data");
}

TEST_F(Weights, OpenWaitsForNoPipe) {
  ASSERT_EQ(mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(
      heddle_weights_open(&model, path.c_str(), 0, nullptr, &weights, &error),
      HEDDLE_IO_ERROR);
  expectFailure(HEDDLE_IO_ERROR, "is not a regular file");
}

TEST_F(Weights, OpenMapsTheData) {
  error.status = HEDDLE_IO_ERROR;
  std::strcpy(error.message, "old");
  ASSERT_EQ(open(HEDDLE_WEIGHTS_VERIFY), HEDDLE_OK) << error.message;
  EXPECT_EQ(error.status, HEDDLE_OK);
  EXPECT_STREQ(error.message, "");
  EXPECT_EQ(weights->model, &model);
  EXPECT_EQ(0, std::memcmp(weights->data, image.bytes + kOffset, kDataSize));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(weights->data) % 4096, 0u);
}

TEST_F(Weights, OpenCopiesTheData) {
  ASSERT_EQ(open(HEDDLE_WEIGHTS_VERIFY | HEDDLE_WEIGHTS_COPY), HEDDLE_OK)
      << error.message;
  std::ofstream(path, std::ios::binary | std::ios::in).write("changed", 7);
  EXPECT_EQ(0, std::memcmp(weights->data, image.bytes + kOffset, kDataSize));
  EXPECT_EQ(reinterpret_cast<uintptr_t>(weights->data) % 4096, 0u);
}

TEST_F(Weights, NegativeCopyOfOtherModel) {
  model.fingerprint = 1;
  EXPECT_EQ(open(HEDDLE_WEIGHTS_COPY), HEDDLE_BAD_WEIGHTS);
  EXPECT_EQ(weights, nullptr);
}

TEST_F(Weights, BindUsesTheCallersMemory) {
  ASSERT_EQ(bind(HEDDLE_WEIGHTS_VERIFY), HEDDLE_OK) << error.message;
  EXPECT_EQ(error.status, HEDDLE_OK);
  EXPECT_EQ(weights->data, image.bytes + kOffset);
}

TEST_F(Weights, ErrorMayBeNull) {
  EXPECT_EQ(
      heddle_weights_open(&model, "/nowhere", 0, nullptr, &weights, nullptr),
      HEDDLE_IO_ERROR);
  EXPECT_EQ(heddle_weights_bind(&model, image.bytes, image.size, 0, nullptr,
                                &weights, nullptr),
            HEDDLE_OK);
}

TEST_F(Weights, CloseAcceptsNull) { heddle_weights_close(nullptr); }

TEST_F(Weights, NegativeNullArguments) {
  EXPECT_EQ(heddle_weights_open(nullptr, "x", 0, nullptr, &weights, &error),
            HEDDLE_INVALID_ARGUMENT);
  expectFailure(HEDDLE_INVALID_ARGUMENT, "model is null");
  EXPECT_EQ(heddle_weights_open(&model, nullptr, 0, nullptr, &weights, &error),
            HEDDLE_INVALID_ARGUMENT);
  expectFailure(HEDDLE_INVALID_ARGUMENT,
                "path is null, and the object of 'stories' has no weights "
                "inside (heddlec --embed-weights puts them there)");
  EXPECT_EQ(heddle_weights_open(&model, "x", 0, nullptr, nullptr, &error),
            HEDDLE_INVALID_ARGUMENT);
  expectFailure(HEDDLE_INVALID_ARGUMENT, "weights is null");
  EXPECT_EQ(
      heddle_weights_bind(&model, nullptr, 9, 0, nullptr, &weights, &error),
      HEDDLE_INVALID_ARGUMENT);
  expectFailure(HEDDLE_INVALID_ARGUMENT, "data is null");
}

TEST_F(Weights, NegativeUnknownFlags) {
  EXPECT_EQ(open(6), HEDDLE_INVALID_ARGUMENT);
  expectFailure(HEDDLE_INVALID_ARGUMENT,
                "flags is 0x6, expected 0, HEDDLE_WEIGHTS_VERIFY, "
                "HEDDLE_WEIGHTS_COPY or both");
}

TEST_F(Weights, NegativeMissingFile) {
  EXPECT_EQ(
      heddle_weights_open(&model, "/nowhere/x", 0, nullptr, &weights, &error),
      HEDDLE_IO_ERROR);
  expectFailure(HEDDLE_IO_ERROR, "cannot open weights file '/nowhere/x': No "
                                 "such file or directory");
}

TEST_F(Weights, NegativeDirectory) {
  EXPECT_EQ(heddle_weights_open(&model, "/", 0, nullptr, &weights, &error),
            HEDDLE_IO_ERROR);
  expectFailure(HEDDLE_IO_ERROR, "weights file '/' is not a regular file");
}

TEST_F(Weights, NegativeLongPathKeepsItsEndAndTheReason) {
  std::string longPath = "/nowhere" + std::string(1000, 'x') + "/end.weights";
  EXPECT_EQ(heddle_weights_open(&model, longPath.c_str(), 0, nullptr, &weights,
                                &error),
            HEDDLE_IO_ERROR);
  expectFailure(HEDDLE_IO_ERROR, "weights file '...xxx");
  expectFailure(HEDDLE_IO_ERROR, "xxx/end.weights': ");
}

TEST_F(Weights, NegativeSmallerThanTheHeader) {
  image.size = 20;
  expectRefused(HEDDLE_BAD_WEIGHTS, "has 20 bytes, its header alone has 56");
  image.size = 0;
  expectRefused(HEDDLE_BAD_WEIGHTS, "has 0 bytes");
}

TEST_F(Weights, NegativeMagic) {
  image.bytes[0] = 'G';
  image.seal();
  expectRefused(HEDDLE_BAD_WEIGHTS, "does not start with 'HEDDLEW1'");
}

TEST_F(Weights, NegativeFileVersion) {
  image.header().abi_version = 77;
  image.seal();
  expectRefused(HEDDLE_ABI_MISMATCH,
                "has ABI version 77, this runtime has version " +
                    std::to_string(HEDDLE_ABI_VERSION));
}

TEST_F(Weights, NegativeHeaderSize) {
  image.header().header_size = 60;
  image.seal();
  expectRefused(HEDDLE_BAD_WEIGHTS, "a header of 60 bytes, expected 56");
}

TEST_F(Weights, NegativeHeaderChecksum) {
  image.header().fingerprint ^= 1;
  expectRefused(HEDDLE_BAD_WEIGHTS, "has a damaged header: checksum ");
}

TEST_F(Weights, NegativeDataOffset) {
  for (uint64_t offset : {uint64_t(0), uint64_t(4160)}) {
    image.header().data_offset = offset;
    image.seal();
    expectRefused(HEDDLE_BAD_WEIGHTS, "has its data at offset " +
                                          std::to_string(offset) +
                                          ", expected a multiple of 4096");
  }
}

TEST_F(Weights, NegativeDataEndOverflows) {
  image.header().data_size = UINT64_MAX - 100;
  image.seal();
  expectRefused(HEDDLE_BAD_WEIGHTS, "the end is out of range");
}

TEST_F(Weights, NegativeTruncated) {
  image.size -= 1;
  expectRefused(HEDDLE_BAD_WEIGHTS,
                "is truncated: expected 5096 bytes, actual size is 5095");
  image.size = 100;
  expectRefused(HEDDLE_BAD_WEIGHTS,
                "is truncated: expected 5096 bytes, actual size is 100");
}

TEST_F(Weights, NegativeTrailingBytes) {
  image.size += 1;
  expectRefused(HEDDLE_BAD_WEIGHTS,
                "has trailing bytes: expected 5096 bytes, actual size is 5097");
}

TEST_F(Weights, NegativeOtherModel) {
  model.fingerprint = 0xabcd;
  expectRefused(HEDDLE_BAD_WEIGHTS,
                "belongs to another model: fingerprint 0000000000001234, the "
                "object of 'stories' has 000000000000abcd");
}

TEST_F(Weights, NegativeDataSize) {
  model.weights_size = 999;
  expectRefused(HEDDLE_BAD_WEIGHTS, "has 1000 bytes of data, the object of "
                                    "'stories' expects 999");
}

TEST_F(Weights, NegativeDamagedDataIsSeenByVerify) {
  image.bytes[kOffset + 500] ^= 1;
  expectRefused(HEDDLE_BAD_WEIGHTS, "has damaged data: checksum ",
                HEDDLE_WEIGHTS_VERIFY);
  EXPECT_EQ(open(), HEDDLE_OK) << error.message; // not asked to read it all
}

TEST_F(Weights, NegativeMisalignedMemory) {
  EXPECT_EQ(heddle_weights_bind(&model, image.bytes + 8, image.size, 0, nullptr,
                                &weights, &error),
            HEDDLE_INVALID_ARGUMENT);
  expectFailure(HEDDLE_INVALID_ARGUMENT, "expected a multiple of 64");
}

TEST_F(Weights, NegativeObjectVersion) {
  model.abi_version = HEDDLE_ABI_VERSION + 1;
  EXPECT_EQ(open(), HEDDLE_ABI_MISMATCH);
  expectFailure(HEDDLE_ABI_MISMATCH,
                "version " + std::to_string(HEDDLE_ABI_VERSION + 1) +
                    " of the runtime's ABI, this runtime has version " +
                    std::to_string(HEDDLE_ABI_VERSION));
}

TEST_F(Weights, NegativeObjectStructSize) {
  model.struct_size = 16;
  EXPECT_EQ(bind(), HEDDLE_ABI_MISMATCH);
  expectFailure(HEDDLE_ABI_MISMATCH, "heddle_model has 16 bytes");
}

#if defined(__x86_64__)
TEST_F(Weights, NegativeCpuLacksFeatures) {
  model.cpu_features = "sse3,hyperdrive,teleport";
  EXPECT_EQ(open(), HEDDLE_UNSUPPORTED_CPU);
  expectFailure(HEDDLE_UNSUPPORTED_CPU,
                "model 'stories' was compiled for CPU 'znver5'; this CPU or "
                "system lacks hyperdrive, teleport");
}
#endif

// ---- Allocator

struct Counter {
  int held = 0;
  size_t alignment = 0;
  bool fail = false;
};

heddle_allocator countingAllocator(Counter &counter) {
  return {[](void *data, size_t size, size_t alignment) -> void * {
            auto *counter = static_cast<Counter *>(data);
            if (counter->fail)
              return nullptr;
            ++counter->held;
            counter->alignment = alignment;
            return std::aligned_alloc(alignment, (size + alignment - 1) /
                                                     alignment * alignment);
          },
          [](void *data, void *pointer) {
            --static_cast<Counter *>(data)->held;
            std::free(pointer);
          },
          &counter};
}

TEST_F(Weights, AllocatorIsUsedAndGivenBack) {
  Counter counter;
  heddle_allocator allocator = countingAllocator(counter);
  ASSERT_EQ(heddle_weights_bind(&model, image.bytes, image.size, 0, &allocator,
                                &weights, &error),
            HEDDLE_OK);
  allocator = {}; // the handle keeps its own copy
  EXPECT_EQ(counter.held, 1);
  EXPECT_EQ(counter.alignment, size_t(HEDDLE_ALIGNMENT));
  heddle_weights_close(weights);
  weights = nullptr;
  EXPECT_EQ(counter.held, 0);
}

TEST_F(Weights, NegativeAllocatorFails) {
  Counter counter;
  counter.fail = true;
  heddle_allocator allocator = countingAllocator(counter);
  write();
  EXPECT_EQ(heddle_weights_open(&model, path.c_str(), 0, &allocator, &weights,
                                &error),
            HEDDLE_OUT_OF_MEMORY);
  expectFailure(HEDDLE_OUT_OF_MEMORY, "cannot allocate");
  allocator.release = nullptr;
  EXPECT_EQ(heddle_weights_open(&model, path.c_str(), 0, &allocator, &weights,
                                &error),
            HEDDLE_INVALID_ARGUMENT);
  expectFailure(HEDDLE_INVALID_ARGUMENT,
                "allocator lacks its function 'release'");
}

} // namespace
