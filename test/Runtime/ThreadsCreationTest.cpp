// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Thread pools come and go, and fail to come with a message.

#include "runtime/Internal.h"
#include "test/Runtime/ThreadsTesting.h"

#include <sched.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

using namespace threads_testing;

namespace {

TEST(ThreadsCreation, PoolsComeAndGo) {
  for (int repeat = 0; repeat < 50; ++repeat) {
    Pool pool = makePool(1 + repeat % 4);
    if (repeat % 2)
      parallelFor(pool.get(), 0, 4, [](int32_t) { return 0; });
  }
}

TEST(ThreadsCreation, ZeroMeansTheCpusOfThisProcess) {
  cpu_set_t before, one;
  ASSERT_EQ(0, sched_getaffinity(0, sizeof(before), &before));
  EXPECT_EQ(heddle_threads_count(makePool(0).get()),
            heddle_available_cpus("/proc/self/cgroup", "/sys/fs/cgroup"));
  EXPECT_LE(heddle_threads_count(makePool(0).get()), CPU_COUNT(&before));
  int cpu = 0;
  while (!CPU_ISSET(cpu, &before))
    ++cpu;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  ASSERT_EQ(0, sched_setaffinity(0, sizeof(one), &one));
  EXPECT_EQ(heddle_threads_count(makePool(0).get()), 1);
  ASSERT_EQ(0, sched_setaffinity(0, sizeof(before), &before));
}

TEST(ThreadsCreation, NegativeCount) {
  for (int count : {-1, 5000}) {
    heddle_error error = {};
    heddle_threads *pool = nullptr;
    EXPECT_EQ(heddle_threads_create(count, nullptr, &pool, &error),
              HEDDLE_INVALID_ARGUMENT);
    EXPECT_EQ(error.message,
              "count is " + std::to_string(count) + ", expected 0 to 4096");
    EXPECT_EQ(pool, nullptr);
  }
}

TEST(ThreadsCreation, NegativeNullHandle) {
  heddle_error error = {};
  EXPECT_EQ(heddle_threads_create(1, nullptr, nullptr, &error),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "threads is null");
  EXPECT_EQ(heddle_threads_create(1, nullptr, nullptr, nullptr),
            HEDDLE_INVALID_ARGUMENT);
}

TEST(ThreadsCreation, AllocatorIsUsedAndGivenBack) {
  int held = 0;
  heddle_allocator allocator = {[](void *data, size_t size, size_t alignment) {
                                  ++*static_cast<int *>(data);
                                  return std::aligned_alloc(
                                      alignment, (size + alignment - 1) /
                                                     alignment * alignment);
                                },
                                [](void *data, void *pointer) {
                                  --*static_cast<int *>(data);
                                  std::free(pointer);
                                },
                                &held};
  heddle_threads *pool = nullptr;
  ASSERT_EQ(heddle_threads_create(3, &allocator, &pool, nullptr), HEDDLE_OK);
  EXPECT_EQ(held, 1);
  heddle_threads_destroy(pool);
  EXPECT_EQ(held, 0);
}

TEST(ThreadsCreation, NegativeAllocatorFails) {
  heddle_allocator allocator = {
      [](void *, size_t, size_t) -> void * { return nullptr; },
      [](void *, void *) {}, nullptr};
  heddle_error error = {};
  heddle_threads *pool = nullptr;
  EXPECT_EQ(heddle_threads_create(3, &allocator, &pool, &error),
            HEDDLE_OUT_OF_MEMORY);
  EXPECT_EQ(error.status, HEDDLE_OUT_OF_MEMORY);
  allocator.allocate = nullptr;
  EXPECT_EQ(heddle_threads_create(3, &allocator, &pool, &error),
            HEDDLE_INVALID_ARGUMENT);
  EXPECT_STREQ(error.message, "allocator lacks its function 'allocate'");
}

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define HEDDLE_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define HEDDLE_SANITIZED
#endif

#ifndef HEDDLE_SANITIZED
// Lets the address space run out after a few of the threads have started.
[[noreturn]] void createWithLittleAddressSpace() {
  size_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlim_t bytes = pages * sysconf(_SC_PAGESIZE) + (16 << 20);
  rlimit limit = {bytes, bytes};
  heddle_error error = {};
  heddle_threads *pool = nullptr;
  setrlimit(RLIMIT_AS, &limit);
  int status = heddle_threads_create(256, nullptr, &pool, &error);
  std::fputs(error.message, stderr);
  std::_Exit(status == HEDDLE_OUT_OF_MEMORY && !pool ? 0 : 1);
}

TEST(ThreadsCreation, NegativeThreadsThatCannotStart) {
  EXPECT_EXIT(createWithLittleAddressSpace(), testing::ExitedWithCode(0),
              "cannot start thread ([2-9]|[1-9][0-9]+) of 255");
}
#endif // sanitizers need the address space themselves

} // namespace
