// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/performance/Machine.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <functional>
#include <immintrin.h>
#include <limits>
#include <map>
#include <new>
#include <string>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <thread>
#include <time.h>
#include <unistd.h>
#include <utility>
#include <vector>

double seconds() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

static void inThreads(int threads, const std::function<void(int)> &work) {
  std::vector<std::thread> pool;
  for (int i = 1; i < threads; ++i)
    pool.emplace_back(work, i);
  work(0);
  for (std::thread &thread : pool)
    thread.join();
}

// The shortest of `runs` runs of `work(thread)` in `threads` threads.
static double shortest(int runs, int threads,
                       const std::function<void(int)> &work) {
  double best = std::numeric_limits<double>::infinity();
  for (int run = 0; run < runs; ++run) {
    double start = seconds();
    inThreads(threads, work);
    best = std::min(best, seconds() - start);
  }
  return best;
}

static double cpuSeconds() {
  timespec time;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
  return double(time.tv_sec) + double(time.tv_nsec) * 1e-9;
}

double measureCpuShare(int threads) {
  const double start = seconds(), cpuStart = cpuSeconds(), end = start + 0.5;
  inThreads(threads, [=](int) {
    while (seconds() < end)
      ;
  });
  return (cpuSeconds() - cpuStart) / (seconds() - start) / threads;
}

// Keeps a result alive without writing it anywhere.
template <typename T> static void keep(T &value) {
  asm volatile("" : "+v"(value));
}

#ifdef __AVX512F__
using Vector = __m512;
static Vector multiplyAdd(Vector a, Vector b, Vector c) {
  return _mm512_fmadd_ps(a, b, c);
}
static Vector splat(float value) { return _mm512_set1_ps(value); }
constexpr int kChains = 24;
#else
using Vector = __m256;
static Vector multiplyAdd(Vector a, Vector b, Vector c) {
  return _mm256_fmadd_ps(a, b, c);
}
static Vector splat(float value) { return _mm256_set1_ps(value); }
constexpr int kChains = 12;
#endif

// ---- Arithmetic -------------------------------------------------------------

// The seconds of `threads` threads that do nothing but sum = step(sum), so many
// times in each of independent chains, which are numbers in the text so that
// they stay in registers.
template <size_t... chain, typename Step>
static double timeChains(int threads, long steps, Step step,
                         std::index_sequence<chain...>) {
  return shortest(/*runs=*/6, threads, [&](int) {
    Vector sums[] = {splat(float(chain))...};
    for (long n = 0; n < steps; ++n)
      ((sums[chain] = step(sums[chain])), ...);
    (keep(sums[chain]), ...);
  });
}

// Operations a second, in G, of steps that are `operations` each. Two units
// with a latency of four to six need most of the chains.
template <typename Step>
static double measurePeak(int threads, int operations, Step step) {
  constexpr long steps = 1000000;
  double time =
      timeChains(threads, steps, step, std::make_index_sequence<kChains>());
  return double(operations) * threads * steps * kChains / time / 1e9;
}

double measureFloatPeak(int threads) {
  Vector x = splat(1.0000001f), y = splat(1e-7f);
  return measurePeak(threads, 2 * sizeof(Vector) / sizeof(float),
                     [=](Vector sum) { return multiplyAdd(sum, x, y); });
}

// Multiply-adds in tile registers, in the same unit, of steps that are
// `operations` each; 0 where the CPU or the system has none.
template <typename Multiply>
static double measureTilePeak(int threads, int operations, Multiply multiply) {
#ifdef __AMX_TILE__
  constexpr int requestPermission = 0x1023, tileData = 18;
  if (syscall(SYS_arch_prctl, requestPermission, tileData) != 0)
    return 0;
  struct {
    uint8_t palette = 1, first = 0, reserved[14] = {};
    uint16_t bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
    uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
  } shape;
  constexpr long steps = 300000;
  double time = shortest(/*runs=*/6, threads, [&](int) {
    _tile_loadconfig(&shape);
    for (long n = 0; n < steps; ++n)
      multiply();
    _tile_release();
  });
  return double(operations) * threads * steps / time / 1e9;
#else
  (void)threads, (void)operations, (void)multiply;
  return 0;
#endif
}

double measureBFloatPeak(int threads) {
#ifdef __AMX_BF16__
  double tiles = measureTilePeak(threads, 4 * 2 * 16 * 16 * 32, [] {
    _tile_dpbf16ps(0, 4, 6);
    _tile_dpbf16ps(1, 4, 7);
    _tile_dpbf16ps(2, 5, 6);
    _tile_dpbf16ps(3, 5, 7);
  });
  if (tiles > 0)
    return tiles;
#endif
#ifdef __AVX512BF16__
  __m512bh x = (__m512bh)splat(1.0f), y = (__m512bh)splat(1e-9f);
  return measurePeak(threads, 2 * sizeof(__m512bh) / 2,
                     [=](Vector sum) { return _mm512_dpbf16_ps(sum, x, y); });
#else
  (void)threads;
  return 0;
#endif
}

double measureBytePeak(int threads) {
#ifdef __AMX_INT8__
  double tiles = measureTilePeak(threads, 4 * 2 * 16 * 16 * 64, [] {
    _tile_dpbsud(0, 4, 6);
    _tile_dpbsud(1, 4, 7);
    _tile_dpbsud(2, 5, 6);
    _tile_dpbsud(3, 5, 7);
  });
  if (tiles > 0)
    return tiles;
#endif
#if defined(__AVX512F__) && defined(__AVX512VNNI__)
  __m512i x = _mm512_set1_epi8(1), y = _mm512_set1_epi8(-1);
  return measurePeak(threads, 2 * sizeof(Vector), [=](Vector sum) {
    __m512i integers = _mm512_castps_si512(sum);
    return _mm512_castsi512_ps(_mm512_dpbusd_epi32(integers, x, y));
  });
#else
  (void)threads;
  return 0;
#endif
}

// ---- Memory -----------------------------------------------------------------

static std::string firstLine(const std::filesystem::path &path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

size_t cacheBytes() {
  // One entry for each cache, named by its level and the CPUs that share it.
  std::map<std::string, size_t> caches;
  std::error_code error;
  for (const auto &cpu :
       std::filesystem::directory_iterator("/sys/devices/system/cpu", error))
    for (const auto &cache :
         std::filesystem::directory_iterator(cpu.path() / "cache", error)) {
      std::string level = firstLine(cache.path() / "level");
      std::string size = firstLine(cache.path() / "size"); // "49152K"
      if (!level.empty() && !size.empty())
        caches[level + ":" + firstLine(cache.path() / "shared_cpu_list")] =
            std::stoul(size) * 1024;
    }
  std::map<char, size_t> levels;
  for (const auto &[name, bytes] : caches)
    levels[name[0]] += bytes;
  size_t largest = 0;
  for (const auto &[level, bytes] : levels)
    largest = std::max(largest, bytes);
  return largest;
}

static size_t availableBytes() {
  std::ifstream file("/proc/meminfo");
  std::string key, unit;
  for (size_t kilobytes; file >> key >> kilobytes;) {
    if (key == "MemAvailable:")
      return kilobytes * 1024;
    std::getline(file, unit);
  }
  return size_t(4) << 30;
}

size_t uncachedBytes() {
  static const size_t bytes = std::min(
      std::max(size_t(1) << 30, 8 * cacheBytes()), availableBytes() / 4);
  return bytes;
}

// Measured on Ice Lake: 13 GB/s with one stream a thread, 16 with eight, no
// more with sixteen.
constexpr size_t kStreams = 8;

MemoryReader::MemoryReader(int threads) : threads(threads) {
  const size_t huge = size_t(2) << 20;
  size_t granule = huge * threads * kStreams;
  size_t bytes = std::max<size_t>(1, uncachedBytes() / granule) * granule;
  part = bytes / threads;
  memory = static_cast<char *>(std::aligned_alloc(huge, bytes));
  if (!memory)
    throw std::bad_alloc();
  madvise(memory, bytes, MADV_HUGEPAGE); // where it is refused: small pages
  inThreads(threads, [&](int i) { std::memset(memory + i * part, 1, part); });
}

MemoryReader::~MemoryReader() { std::free(memory); }

// Several streams in each thread keep more requests in flight than one does. A
// Zen 5 reads 55 GB/s in one stream a thread, 45 in eight that take a line in
// turn, and 75 in four that take four lines and are fetched ahead.
static Vector readStreams(const char *memory, size_t bytes) {
  constexpr size_t streams = 4, turn = 4 * sizeof(Vector), ahead = 1024;
  Vector sums[turn / sizeof(Vector)] = {};
  const size_t stream = bytes / streams / turn * turn;
  for (size_t i = 0; i < stream; i += turn)
    for (size_t s = 0; s < streams; ++s)
#pragma GCC unroll 4
      for (size_t j = 0; j < turn; j += sizeof(Vector)) {
        const char *next = memory + s * stream + i + j;
        _mm_prefetch(next + ahead, _MM_HINT_T0); // past the end: no fault
        sums[j / sizeof(Vector)] += *reinterpret_cast<const Vector *>(next);
      }
  return sums[0] + sums[1] + sums[2] + sums[3];
}

double measureReading(const std::vector<std::string_view> &memory,
                      int threads) {
  size_t bytes = 0;
  for (std::string_view one : memory)
    bytes += one.size();
  double time = shortest(/*runs=*/1, threads, [&](int thread) {
    for (std::string_view one : memory) {
      size_t part = one.size() / threads / sizeof(Vector) * sizeof(Vector);
      Vector sum = readStreams(one.data() + part * thread, part);
      keep(sum);
    }
  });
  return double(bytes) / time / 1e9;
}

double MemoryReader::measureBandwidth() const {
  return measureReading({{memory, part * threads}}, threads);
}

double MemoryReader::measureCopyBandwidth() const {
  double time = shortest(/*runs=*/1, threads, [&](int thread) {
    const size_t stream = part / 2 / kStreams;
    char *from = memory + part * thread, *to = from + part / 2;
    for (size_t i = 0; i < stream; i += sizeof(Vector))
#pragma GCC unroll 8
      for (size_t s = 0; s < kStreams; ++s)
        *reinterpret_cast<Vector *>(to + s * stream + i) =
            *reinterpret_cast<const Vector *>(from + s * stream + i);
  });
  size_t copied = part / 2 / kStreams * kStreams;
  return double(copied) * 2 * threads / time / 1e9;
}
