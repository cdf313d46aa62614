// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Each call of the system that the runtime makes fails in turn: functions
// report it, leak nothing, and work the next time. The linker hands the calls
// to the functions below (--wrap).

#include "runtime/Internal.h"
#include "test/Runtime/SessionTesting.h"

#include <cerrno>
#include <cstdarg>
#include <fcntl.h>
#include <fstream>
#include <functional>
#include <pthread.h>
#include <set>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

struct Faults {
  bool active = false;
  int countdown = 0; ///< calls until one fails
  int failed = 0;
  std::set<const void *> memory, mappings;
  std::set<int> files;
  int threads = 0;
};
// Of the thread that calls the runtime.
thread_local Faults faults;

bool isFault() {
  if (!faults.active || --faults.countdown != 0)
    return false;
  ++faults.failed;
  return true;
}

} // namespace

extern "C" {

void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  if (isFault())
    return nullptr;
  void *pointer = __real_aligned_alloc(alignment, size);
  if (faults.active)
    faults.memory.insert(pointer);
  return pointer;
}

void __real_free(void *pointer);
void __wrap_free(void *pointer) {
  if (faults.active)
    faults.memory.erase(pointer);
  __real_free(pointer);
}

int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...) {
  if (isFault())
    return errno = EMFILE, -1;
  va_list rest;
  va_start(rest, flags);
  int file = __real_open(path, flags, va_arg(rest, int));
  va_end(rest);
  if (faults.active)
    faults.files.insert(file);
  return file;
}

int __real_close(int file);
int __wrap_close(int file) {
  if (faults.active)
    faults.files.erase(file);
  return __real_close(file);
}

int __real_fstat(int file, struct stat *info);
int __wrap_fstat(int file, struct stat *info) {
  return isFault() ? (errno = EIO, -1) : __real_fstat(file, info);
}

void *__real_mmap(void *at, size_t size, int protection, int flags, int file,
                  off_t offset);
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int file,
                  off_t offset) {
  if (isFault())
    return errno = ENOMEM, MAP_FAILED;
  void *mapping = __real_mmap(at, size, protection, flags, file, offset);
  if (faults.active)
    faults.mappings.insert(mapping);
  return mapping;
}

int __real_munmap(void *mapping, size_t size);
int __wrap_munmap(void *mapping, size_t size) {
  if (faults.active)
    faults.mappings.erase(mapping);
  return __real_munmap(mapping, size);
}

int __real_madvise(void *mapping, size_t size, int advice);
int __wrap_madvise(void *mapping, size_t size, int advice) {
  return isFault() ? (errno = EINVAL, -1)
                   : __real_madvise(mapping, size, advice);
}

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument) {
  if (isFault())
    return EAGAIN;
  int result = __real_pthread_create(thread, attributes, start, argument);
  faults.threads += faults.active && result == 0;
  return result;
}

int __real_pthread_join(pthread_t thread, void **result);
int __wrap_pthread_join(pthread_t thread, void **result) {
  faults.threads -= faults.active;
  return __real_pthread_join(thread, result);
}

} // extern "C"

namespace {

using namespace session_testing;

// Calls `attempt` with the first call of the system failing, then the second,
// and so on, until none fails. It returns a status, and `release` frees what it
// has made; `tolerated` failures change nothing.
int failEachCall(const std::function<heddle_status(heddle_error *)> &attempt,
                 const std::function<void()> &release,
                 const std::set<int> &tolerated = {}) {
  for (int n = 1;; ++n) {
    heddle_error error = {};
    faults = {};
    faults.countdown = n;
    faults.active = true;
    heddle_status status = attempt(&error);
    bool hasFailed = faults.failed > 0;
    faults.countdown = 0;
    release();
    faults.active = false;
    EXPECT_TRUE(faults.memory.empty()) << "call " << n << " leaks memory";
    EXPECT_TRUE(faults.mappings.empty()) << "call " << n << " leaks a mapping";
    EXPECT_TRUE(faults.files.empty()) << "call " << n << " leaks a file";
    EXPECT_EQ(faults.threads, 0) << "call " << n << " leaks a thread";
    if (!hasFailed) {
      EXPECT_EQ(status, HEDDLE_OK) << error.message;
      return n - 1;
    }
    bool isTolerated = tolerated.count(n) > 0;
    EXPECT_EQ(status == HEDDLE_OK, isTolerated) << "call " << n;
    EXPECT_EQ(error.status, status);
    EXPECT_EQ(std::string(error.message).empty(), isTolerated) << "call " << n;
  }
}

TEST(Faults, OpeningWeights) {
  heddle_model model = makeDecoder();
  File file;
  std::string path = testing::TempDir() + "heddle_faults_weights";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char *>(file.bytes), sizeof(file.bytes));
  heddle_weights *weights = nullptr;
  // open, fstat, mmap, two hints and the handle.
  EXPECT_EQ(failEachCall(
                [&](heddle_error *error) {
                  return heddle_weights_open(&model, path.c_str(), 0, nullptr,
                                             &weights, error);
                },
                [&] { heddle_weights_close(std::exchange(weights, nullptr)); },
                {4, 5}),
            6);
  std::remove(path.c_str());
}

TEST(Faults, CreatingThreads) {
  heddle_threads *threads = nullptr;
  // The pool and three threads.
  EXPECT_EQ(
      failEachCall(
          [&](heddle_error *error) {
            return heddle_threads_create(4, nullptr, &threads, error);
          },
          [&] { heddle_threads_destroy(std::exchange(threads, nullptr)); }),
      4);
}

TEST(Faults, CreatingSessions) {
  heddle_model model = makeDecoder();
  File file;
  heddle_weights *weights = nullptr;
  ASSERT_EQ(heddle_weights_bind(&model, file.bytes, sizeof(file.bytes), 0,
                                nullptr, &weights, nullptr),
            HEDDLE_OK);
  heddle_session *session = nullptr;
  // The handle, cache, workspace, logits, and three arguments.
  EXPECT_EQ(
      failEachCall(
          [&](heddle_error *error) {
            return heddle_session_create(&model, weights, nullptr, 1, 4, 16,
                                         nullptr, &session, error);
          },
          [&] { heddle_session_destroy(std::exchange(session, nullptr)); }),
      7);
  heddle_weights_close(weights);
}

TEST(Faults, CreatingSearches) {
  const int32_t ends[] = {2};
  heddle_beam_options options = {4, 100, 10, ends, 1, 1, 0};
  heddle_beam_search *search = nullptr;
  EXPECT_GE(
      failEachCall(
          [&](heddle_error *error) {
            return heddle_beam_search_create(&options, nullptr, &search, error);
          },
          [&] { heddle_beam_search_destroy(std::exchange(search, nullptr)); }),
      1);
}

} // namespace
