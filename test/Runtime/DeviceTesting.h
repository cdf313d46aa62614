// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A device made by hand. Its memory cannot be read or written but by its own
// work, which is done when its stream is waited for and not before. Each thing
// that it is asked for may fail.

#ifndef HEDDLE_TEST_RUNTIME_DEVICETESTING_H
#define HEDDLE_TEST_RUNTIME_DEVICETESTING_H

extern "C" {
#include "runtime/device/Driver.h"
}

#include <cstring>
#include <functional>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <string>
#include <sys/mman.h>
#include <vector>

namespace device_testing {

struct FakeDevice {
  heddle_device base = {};
  std::map<void *, size_t> memory;
  std::set<heddle_stream *> streams;
  std::set<heddle_program *> programs;
  std::vector<std::function<void()>> work;
  std::vector<std::string> log;
  int countdown = 0;  ///< requests until one fails; 0 for none
  std::string failed; ///< the request that has

  FakeDevice();
  FakeDevice(const FakeDevice &) = delete;
  ~FakeDevice() {
    EXPECT_TRUE(memory.empty()) << memory.size() << " allocations are left";
    EXPECT_TRUE(streams.empty());
    EXPECT_TRUE(programs.empty());
  }

  static FakeDevice &of(heddle_device *device) {
    return *reinterpret_cast<FakeDevice *>(device);
  }

  heddle_status request(const std::string &what, heddle_error *error) {
    log.push_back(what);
    if (--countdown != 0)
      return HEDDLE_OK;
    failed = what;
    return heddle_fail(error, HEDDLE_DEVICE_ERROR, "fake: %s failed",
                       what.c_str());
  }

  void protect(int protection) {
    for (auto [address, size] : memory)
      ASSERT_EQ(mprotect(address, size, protection), 0);
  }

  void finish() {
    protect(PROT_READ | PROT_WRITE);
    for (const std::function<void()> &task : work)
      task();
    work.clear();
    protect(PROT_NONE);
  }
};

/// Work with the memory of a device, and what the one argument of a launch
/// points to: as kernels do, it has all that it needs by value.
using Task = void (*)(const heddle_frame *frame);
struct TaskArgument {
  Task task;
  heddle_frame frame;
  std::vector<void *> buffers;
  std::vector<int64_t> sizes;

  void run() {
    frame.buffers = buffers.data();
    frame.sizes = sizes.data();
    task(&frame);
  }
};

inline const heddle_driver kFakeDriver = {
    /*open=*/nullptr,
    /*close=*/[](heddle_device *) {},
    /*allocate=*/
    [](heddle_device *device, size_t size, void **address,
       heddle_error *error) {
      FakeDevice &fake = FakeDevice::of(device);
      heddle_status status = fake.request("allocate", error);
      if (status == HEDDLE_OK) {
        *address = mmap(nullptr, size ? size : 1, PROT_NONE,
                        MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        fake.memory[*address] = size ? size : 1;
      }
      return status;
    },
    /*release=*/
    [](heddle_device *device, void *address) {
      FakeDevice &fake = FakeDevice::of(device);
      ASSERT_TRUE(fake.work.empty()) << "memory is released that is in use";
      ASSERT_EQ(fake.memory.count(address), 1u);
      munmap(address, fake.memory[address]);
      fake.memory.erase(address);
    },
    /*create_stream=*/
    [](heddle_device *device, void *, const heddle_allocator *,
       heddle_stream **stream, heddle_error *error) {
      FakeDevice &fake = FakeDevice::of(device);
      heddle_status status = fake.request("create_stream", error);
      if (status == HEDDLE_OK)
        fake.streams.insert(*stream = new heddle_stream());
      return status;
    },
    /*destroy_stream=*/
    [](heddle_stream *stream) {
      FakeDevice &fake = FakeDevice::of(stream->device);
      fake.finish();
      fake.streams.erase(stream);
      delete stream;
    },
    /*wait=*/
    [](heddle_stream *stream, heddle_error *error) {
      FakeDevice &fake = FakeDevice::of(stream->device);
      fake.finish();
      return fake.request("wait", error);
    },
    /*copy=*/
    [](heddle_stream *stream, void *to, const void *from, size_t size,
       heddle_direction direction, heddle_error *error) {
      static const char *const names[] = {"upload ", "download ", "copy "};
      FakeDevice &fake = FakeDevice::of(stream->device);
      heddle_status status =
          fake.request(names[direction] + std::to_string(size), error);
      if (status != HEDDLE_OK)
        return status;
      if (direction == HEDDLE_TO_DEVICE) { // the host may change it at once
        const auto *bytes = static_cast<const uint8_t *>(from);
        fake.work.push_back([to, data = std::vector(bytes, bytes + size)] {
          memcpy(to, data.data(), data.size());
        });
      } else {
        fake.work.push_back([=] { memcpy(to, from, size); });
      }
      return status;
    },
    /*compile=*/
    [](heddle_device *device, const heddle_model *, const heddle_allocator *,
       heddle_program **program, heddle_error *error) {
      FakeDevice &fake = FakeDevice::of(device);
      heddle_status status = fake.request("compile", error);
      if (status == HEDDLE_OK) {
        *program = reinterpret_cast<heddle_program *>(new FakeDevice *(&fake));
        fake.programs.insert(*program);
      }
      return status;
    },
    /*discard=*/
    [](heddle_program *program) {
      auto *owner = reinterpret_cast<FakeDevice **>(program);
      (*owner)->programs.erase(program);
      delete owner;
    },
    /*launch=*/
    [](heddle_stream *stream, heddle_program *, int32_t function,
       int32_t blocks, int32_t threads, int32_t shared, const int64_t *sizes,
       void *const *arguments, const uint8_t *, heddle_error *error) {
      FakeDevice &fake = FakeDevice::of(stream->device);
      heddle_status status = fake.request(
          "launch " + std::to_string(function) + " of " +
              std::to_string(blocks) + "x" + std::to_string(threads) + ", " +
              std::to_string(shared) + " bytes",
          error);
      EXPECT_EQ(sizes[0], int64_t(sizeof(TaskArgument)));
      EXPECT_EQ(sizes[1], 0);
      if (status == HEDDLE_OK)
        fake.work.push_back([argument = *static_cast<TaskArgument *>(
                                 arguments[0])]() mutable { argument.run(); });
      return status;
    },
    /*begin=*/nullptr,
    /*finish=*/nullptr};

inline FakeDevice::FakeDevice() {
  base.driver = &kFakeDriver;
  base.kind = HEDDLE_DEVICE_OPENCL;
  strcpy(base.name, "fake");
}

/// Lets the device do `task`, as the code of a model does.
inline int launchTask(const heddle_frame *frame, const heddle_entry &entry,
                      Task task) {
  const int64_t sizes[] = {sizeof(TaskArgument), 0};
  TaskArgument argument = {
      task,
      *frame,
      {frame->buffers, frame->buffers + entry.argument_count},
      {frame->sizes, frame->sizes + entry.symbol_count}};
  void *arguments[] = {&argument};
  const uint8_t areBuffers[] = {0};
  return frame->launch(frame, /*function=*/3, /*blocks=*/4, /*threads=*/32,
                       /*shared_bytes=*/64, sizes, arguments, areBuffers);
}

/// `entry`, whose code `run` launches.
inline heddle_entry onDevice(heddle_entry entry,
                             int (*run)(const heddle_frame *)) {
  entry.device_kind = HEDDLE_DEVICE_OPENCL;
  entry.run = run;
  return entry;
}

/// Device memory of a test.
class FakeMemory {
public:
  FakeMemory(FakeDevice &device, size_t size) : device(device) {
    EXPECT_EQ(heddle_device_allocate(&device.base, size, &address, nullptr),
              HEDDLE_OK);
  }
  FakeMemory(const FakeMemory &) = delete;
  ~FakeMemory() { heddle_device_release(&device.base, address); }

  FakeDevice &device;
  void *address = nullptr;
};

} // namespace device_testing

#endif // HEDDLE_TEST_RUNTIME_DEVICETESTING_H
