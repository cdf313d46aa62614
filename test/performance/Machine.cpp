// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/performance/Machine.h"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <immintrin.h>
#include <thread>
#include <vector>

static double seconds() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// The shortest of several runs of `work(thread)` in `threads` threads.
static double shortest(int threads, const std::function<void(int)> &work) {
  double best = 1e30;
  for (int run = 0; run < 5; ++run) {
    double start = seconds();
    std::vector<std::thread> pool;
    for (int i = 0; i < threads; ++i)
      pool.emplace_back(work, i);
    for (std::thread &thread : pool)
      thread.join();
    best = std::min(best, seconds() - start);
  }
  return best;
}

// Keeps results alive without writing them anywhere.
template <typename T> static void keep(T &value) {
  asm volatile("" : "+x"(value));
}

// As many independent chains as two units with a latency of four or five need.
constexpr int kChains = 12;
constexpr long kSteps = 4000000;

#ifdef __AVX512F__
using Vector = __m512;
static Vector multiplyAdd(Vector a, Vector b, Vector c) {
  return _mm512_fmadd_ps(a, b, c);
}
static Vector splat(float value) { return _mm512_set1_ps(value); }
#else
using Vector = __m256;
static Vector multiplyAdd(Vector a, Vector b, Vector c) {
  return _mm256_fmadd_ps(a, b, c);
}
static Vector splat(float value) { return _mm256_set1_ps(value); }
#endif

double measureFloatPeak(int threads) {
  double time = shortest(threads, [](int) {
    Vector sums[kChains], x = splat(1.0000001f), y = splat(1e-7f);
    for (int i = 0; i < kChains; ++i)
      sums[i] = splat(float(i));
    for (long step = 0; step < kSteps; ++step)
#pragma GCC unroll 12
      for (int i = 0; i < kChains; ++i)
        sums[i] = multiplyAdd(sums[i], x, y);
    for (int i = 0; i < kChains; ++i)
      keep(sums[i]);
  });
  double flops = 2.0 * threads * kSteps * kChains * (sizeof(Vector) / 4);
  return flops / time / 1e9;
}

double measureBFloatPeak(int threads) {
#ifdef __AVX512BF16__
  double time = shortest(threads, [](int) {
    __m512 sums[kChains];
    __m512bh x = (__m512bh)_mm512_set1_ps(1.0f),
             y = (__m512bh)_mm512_set1_ps(1e-9f);
    for (int i = 0; i < kChains; ++i)
      sums[i] = _mm512_set1_ps(float(i));
    for (long step = 0; step < kSteps; ++step)
#pragma GCC unroll 12
      for (int i = 0; i < kChains; ++i)
        sums[i] = _mm512_dpbf16_ps(sums[i], x, y);
    for (int i = 0; i < kChains; ++i)
      keep(sums[i]);
  });
  return 2.0 * threads * kSteps * kChains * 32 / time / 1e9;
#else
  (void)threads;
  return 0;
#endif
}

double measureReadBandwidth(int threads) {
  const size_t bytes = size_t(512) << 20;
  char *memory = static_cast<char *>(std::aligned_alloc(4096, bytes));
  for (size_t i = 0; i < bytes; i += 64)
    memory[i] = char(i);
  double time = shortest(threads, [&](int thread) {
    constexpr size_t step = 4 * sizeof(Vector);
    size_t part = bytes / threads / step * step;
    const char *p = memory + part * thread;
    Vector sums[4] = {splat(0), splat(0), splat(0), splat(0)};
    for (size_t i = 0; i < part; i += step)
      for (int j = 0; j < 4; ++j)
        sums[j] +=
            *reinterpret_cast<const Vector *>(p + i + j * sizeof(Vector));
    for (Vector &sum : sums)
      keep(sum);
  });
  std::free(memory);
  return double(bytes) / time / 1e9;
}
