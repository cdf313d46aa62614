// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Each call of the system that the runtime makes fails in turn: functions
// report it, leak nothing, and work the next time. The linker hands the calls
// to the functions below (--wrap).

#include "runtime/Internal.h"
#include "test/Runtime/SessionTesting.h"

#include <gmock/gmock.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
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
  int countdown = 0;  ///< calls until one fails
  std::string failed; ///< the call that has
  std::set<const void *> memory, mappings, streams;
  std::set<int> files;
  int threads = 0;
};
// Of the thread that calls the runtime.
thread_local Faults faults;

bool isFault(const char *call) {
  if (!faults.active || --faults.countdown != 0)
    return false;
  faults.failed = call;
  return true;
}

} // namespace

extern "C" {

void *__real_aligned_alloc(size_t alignment, size_t size);
void *__wrap_aligned_alloc(size_t alignment, size_t size) {
  if (isFault("aligned_alloc"))
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
  if (isFault("open"))
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
  return isFault("fstat") ? (errno = EIO, -1) : __real_fstat(file, info);
}

void *__real_mmap(void *at, size_t size, int protection, int flags, int file,
                  off_t offset);
void *__wrap_mmap(void *at, size_t size, int protection, int flags, int file,
                  off_t offset) {
  if (isFault("mmap"))
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
  return isFault("madvise") ? (errno = EINVAL, -1)
                            : __real_madvise(mapping, size, advice);
}

FILE *__real_fopen(const char *path, const char *mode);
FILE *__wrap_fopen(const char *path, const char *mode) {
  if (isFault("fopen"))
    return errno = EMFILE, nullptr;
  FILE *stream = __real_fopen(path, mode);
  if (faults.active && stream)
    faults.streams.insert(stream);
  return stream;
}

int __real_fclose(FILE *stream);
int __wrap_fclose(FILE *stream) {
  if (faults.active)
    faults.streams.erase(stream);
  return __real_fclose(stream);
}

char *__real_fgets(char *line, int size, FILE *stream);
char *__wrap_fgets(char *line, int size, FILE *stream) {
  return isFault("fgets") ? (errno = EIO, nullptr)
                          : __real_fgets(line, size, stream);
}

int __real_pthread_attr_init(pthread_attr_t *attributes);
int __wrap_pthread_attr_init(pthread_attr_t *attributes) {
  return isFault("pthread_attr_init") ? ENOMEM
                                      : __real_pthread_attr_init(attributes);
}

int __real_pthread_attr_setstacksize(pthread_attr_t *attributes, size_t size);
int __wrap_pthread_attr_setstacksize(pthread_attr_t *attributes, size_t size) {
  return isFault("pthread_attr_setstacksize")
             ? EINVAL
             : __real_pthread_attr_setstacksize(attributes, size);
}

int __real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument);
int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                          void *(*start)(void *), void *argument) {
  if (isFault("pthread_create"))
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

using Calls = std::vector<std::string>;

// Calls `attempt` with the first call of the system failing, then the second,
// and so on, until none fails; gives those that did. `attempt` returns a
// status, and `release` frees what it has made; failures of `tolerated` calls
// change nothing.
Calls failEachCall(const std::function<heddle_status(heddle_error *)> &attempt,
                   const std::function<void()> &release,
                   const std::set<std::string> &tolerated = {}) {
  Calls failed;
  for (;;) {
    heddle_error error = {};
    faults = {};
    faults.countdown = int(failed.size()) + 1;
    faults.active = true;
    heddle_status status = attempt(&error);
    std::string call = faults.failed;
    faults.countdown = 0;
    release();
    faults.active = false;
    SCOPED_TRACE(call + ", number " + std::to_string(failed.size() + 1));
    EXPECT_TRUE(faults.memory.empty()) << "leaks memory";
    EXPECT_TRUE(faults.mappings.empty()) << "leaks a mapping";
    EXPECT_TRUE(faults.files.empty()) << "leaks a file";
    EXPECT_TRUE(faults.streams.empty()) << "leaks a stream";
    EXPECT_EQ(faults.threads, 0) << "leaks a thread";
    if (call.empty()) {
      EXPECT_EQ(status, HEDDLE_OK) << error.message;
      return failed;
    }
    failed.push_back(call);
    bool isTolerated = tolerated.count(call) > 0;
    EXPECT_EQ(status == HEDDLE_OK, isTolerated);
    EXPECT_EQ(error.status, status);
    EXPECT_EQ(std::string(error.message).empty(), isTolerated);
  }
}

TEST(Faults, OpeningWeights) {
  heddle_model model = makeDecoder();
  File file;
  std::string path = testing::TempDir() + "heddle_faults_weights";
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char *>(file.bytes), sizeof(file.bytes));
  heddle_weights *weights = nullptr;
  // The last one is the handle's.
  EXPECT_EQ(
      failEachCall(
          [&](heddle_error *error) {
            return heddle_weights_open(&model, path.c_str(), 0, nullptr,
                                       &weights, error);
          },
          [&] { heddle_weights_close(std::exchange(weights, nullptr)); },
          {"madvise"}),
      (Calls{"open", "fstat", "mmap", "madvise", "madvise", "aligned_alloc"}));
  std::remove(path.c_str());
}

TEST(Faults, CreatingThreads) {
  heddle_threads *threads = nullptr;
  EXPECT_EQ(
      failEachCall(
          [&](heddle_error *error) {
            return heddle_threads_create(4, nullptr, &threads, error);
          },
          [&] { heddle_threads_destroy(std::exchange(threads, nullptr)); }),
      (Calls{"aligned_alloc", "pthread_attr_init", "pthread_attr_setstacksize",
             "pthread_create", "pthread_create", "pthread_create"}));
}

// As many as there are CPUs, which files of the system limit.
TEST(Faults, CountingCpus) {
  heddle_threads *threads = nullptr;
  Calls calls = failEachCall(
      [&](heddle_error *error) {
        return heddle_threads_create(0, nullptr, &threads, error);
      },
      [&] { heddle_threads_destroy(std::exchange(threads, nullptr)); },
      {"fopen", "fgets"});
  EXPECT_THAT(calls, testing::IsSupersetOf({"fopen", "aligned_alloc"}));
}

TEST(Faults, CreatingSessions) {
  heddle_model model = makeDecoder();
  File file;
  heddle_weights *weights = nullptr;
  ASSERT_EQ(heddle_weights_bind(&model, file.bytes, sizeof(file.bytes), 0,
                                nullptr, &weights, nullptr),
            HEDDLE_OK);
  heddle_session *session = nullptr;
  // The handle, cache and workspace, logits there and here, ids, parameters and
  // candidates of sampling, and three arguments.
  EXPECT_EQ(
      failEachCall(
          [&](heddle_error *error) {
            return heddle_session_create(&model, weights, nullptr, 1, 4, 16,
                                         nullptr, &session, error);
          },
          [&] { heddle_session_destroy(std::exchange(session, nullptr)); }),
      Calls(11, "aligned_alloc"));
  heddle_weights_close(weights);
}

TEST(Faults, CreatingSearches) {
  const int32_t ends[] = {2};
  heddle_beam_options options = {4, 100, 10,      ends,    1,
                                 1, 0,   nullptr, nullptr, 0};
  heddle_beam_search *search = nullptr;
  EXPECT_EQ(
      failEachCall(
          [&](heddle_error *error) {
            return heddle_beam_search_create(&options, nullptr, &search, error);
          },
          [&] { heddle_beam_search_destroy(std::exchange(search, nullptr)); }),
      Calls(1, "aligned_alloc"));
}

} // namespace
