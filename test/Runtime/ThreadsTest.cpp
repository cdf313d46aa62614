// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Loops of a thread pool: every index once, results, nesting, many callers at
// once, sleeping and waking.

#include "test/Runtime/ThreadsTesting.h"

#include <atomic>
#include <chrono>
#include <thread>
#include <vector>

using namespace threads_testing;

namespace {

// Returns when `count` tasks are here at the same time, so only if that many
// threads run the loop.
void meet(std::atomic<int> &arrived, int count) {
  ++arrived;
  while (arrived < count)
    std::this_thread::yield();
}

TEST(Threads, RunsEachIndexOnce) {
  for (int threads : {1, 2, 3, 8}) {
    Pool pool = makePool(threads);
    EXPECT_EQ(heddle_threads_count(pool.get()), threads);
    for (int32_t first : {0, 5, -7, INT32_MAX - 99, INT32_MIN})
      for (int32_t count : {1, 2, 3, 8, 100}) {
        std::vector<int> runs(count); // not atomic: loops end with a barrier
        EXPECT_EQ(0, parallelFor(pool.get(), first, count, [&](int32_t i) {
                    ++runs[static_cast<int64_t>(i) - first];
                    return 0;
                  }));
        EXPECT_EQ(runs, std::vector<int>(count, 1));
      }
  }
}

TEST(Threads, EmptyLoopsRunNothing) {
  Pool pool = makePool(2);
  for (int32_t count : {0, -1, INT32_MIN})
    EXPECT_EQ(0, parallelFor(pool.get(), 3, count, [](int32_t) { return 1; }));
}

TEST(Threads, NullPoolRunsInTheCallingThread) {
  EXPECT_EQ(heddle_threads_count(nullptr), 1);
  heddle_threads_destroy(nullptr);
  int sum = 0;
  EXPECT_EQ(0, parallelFor(nullptr, 1, 4, [&](int32_t i) {
              sum += i;
              return 0;
            }));
  EXPECT_EQ(sum, 10);
}

TEST(Threads, TaskGetsContextAndClosure) {
  Pool pool = makePool(2);
  int context = 0;
  uint8_t closure[2] = {0, 0};
  auto task = [](void *context, int32_t index, uint8_t *closure) {
    closure[index] = 1;
    return *static_cast<int *>(context);
  };
  EXPECT_EQ(0, heddle_threads_parallel_for(pool.get(), task, &context, 0, 2,
                                           closure));
  EXPECT_EQ(closure[0] + closure[1], 2);
}

TEST(Threads, UsesAllThreads) {
  for (int threads : {2, 4, 7}) {
    Pool pool = makePool(threads);
    std::atomic<int> arrived{0};
    EXPECT_EQ(0, parallelFor(pool.get(), 0, threads, [&](int32_t) {
                meet(arrived, threads);
                return 0;
              }));
  }
}

TEST(Threads, TasksHaveStack) {
  Pool pool = makePool(2);
  std::atomic<int> arrived{0};
  EXPECT_EQ(0, parallelFor(pool.get(), 0, 2, [&](int32_t) {
              volatile char block[512 << 10];
              for (size_t i = 0; i < sizeof(block); i += 4096)
                block[i] = 1;
              meet(arrived, 2);
              return block[0] - 1;
            }));
}

TEST(Threads, FirstFailureIsTheResult) {
  Pool pool = makePool(3);
  for (int repeat = 0; repeat < 100; ++repeat)
    EXPECT_EQ(42, parallelFor(pool.get(), 0, 50,
                              [](int32_t i) { return i == 17 ? 42 : 0; }));
  int result = parallelFor(pool.get(), 1, 50, [](int32_t i) { return i; });
  EXPECT_TRUE(result >= 1 && result <= 50) << result;
  EXPECT_EQ(-5, parallelFor(pool.get(), 0, 2, [](int32_t) { return -5; }));
  EXPECT_EQ(0, parallelFor(pool.get(), 0, 50, [](int32_t) { return 0; }));
}

TEST(Threads, FailureStopsTheLoop) {
  for (int threads : {1, 2, 4}) {
    Pool pool = makePool(threads);
    std::atomic<int> runs{0};
    EXPECT_EQ(9, parallelFor(pool.get(), 0, INT32_MAX, [&](int32_t) {
                ++runs;
                return 9;
              }));
    EXPECT_LE(runs, threads); // at most one each
  }
}

TEST(Threads, NestedLoopsRunInTheirOwnThread) {
  Pool pool = makePool(4);
  std::vector<std::vector<int>> runs(8, std::vector<int>(16));
  std::atomic<int> elsewhere{0};
  EXPECT_EQ(0, parallelFor(pool.get(), 0, 8, [&](int32_t outer) {
              auto self = std::this_thread::get_id();
              return parallelFor(pool.get(), 0, 16, [&](int32_t inner) {
                ++runs[outer][inner];
                elsewhere += std::this_thread::get_id() != self;
                return 0;
              });
            }));
  EXPECT_EQ(elsewhere, 0);
  for (const auto &row : runs)
    EXPECT_EQ(row, std::vector<int>(16, 1));
}

TEST(Threads, NestedFailureReachesTheCaller) {
  Pool pool = makePool(2);
  EXPECT_EQ(3, parallelFor(pool.get(), 0, 4, [&](int32_t outer) {
              return parallelFor(pool.get(), 0, 4, [&](int32_t inner) {
                return outer == 2 && inner == 1 ? 3 : 0;
              });
            }));
}

TEST(Threads, ManyCallersShareOnePool) {
  constexpr int kCallers = 4, kLoops = 500, kCount = 20;
  Pool pool = makePool(3);
  std::vector<int> wrong(kCallers);
  std::vector<std::thread> callers;
  for (int c = 0; c < kCallers; ++c)
    callers.emplace_back([&, c] {
      for (int loop = 0; loop < kLoops; ++loop) {
        std::vector<int> values(kCount);
        bool fails = loop % 5 == 0;
        int result = parallelFor(pool.get(), 0, kCount, [&](int32_t i) {
          values[i] = c + loop + i;
          return fails && i == kCount - 1 ? c + 1 : 0;
        });
        wrong[c] += result != (fails ? c + 1 : 0);
        for (int i = 0; i < kCount; ++i)
          wrong[c] += values[i] != c + loop + i;
      }
    });
  for (std::thread &caller : callers)
    caller.join();
  EXPECT_EQ(wrong, std::vector<int>(kCallers));
}

TEST(Threads, ManyTinyLoops) {
  Pool pool = makePool(4);
  int64_t slots[4] = {};
  for (int loop = 0; loop < 5000; ++loop)
    ASSERT_EQ(0, parallelFor(pool.get(), 0, 4, [&](int32_t i) {
                slots[i] += i + 1;
                return 0;
              }));
  for (int i = 0; i < 4; ++i)
    EXPECT_EQ(slots[i], 5000 * (i + 1));
}

TEST(Threads, SleepingWorkersWakeUp) {
  Pool pool = makePool(3);
  for (int loop = 0; loop < 30; ++loop) {
    // Longer, about as long and shorter than workers spin.
    std::this_thread::sleep_for(std::chrono::microseconds(loop % 3 == 0   ? 2000
                                                          : loop % 3 == 1 ? 30
                                                                          : 1));
    std::atomic<int> arrived{0};
    ASSERT_EQ(0, parallelFor(pool.get(), 0, 3, [&](int32_t) {
                meet(arrived, 3);
                return 0;
              }));
  }
}

TEST(Threads, CallerSleepsThroughALongTask) {
  Pool pool = makePool(2);
  auto caller = std::this_thread::get_id();
  std::atomic<int> arrived{0};
  bool finished = false;
  EXPECT_EQ(0, parallelFor(pool.get(), 0, 2, [&](int32_t) {
              meet(arrived, 2);
              if (std::this_thread::get_id() != caller) {
                std::this_thread::sleep_for(std::chrono::milliseconds(20));
                finished = true;
              }
              return 0;
            }));
  EXPECT_TRUE(finished);
}

} // namespace
