// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What this machine can do at most, measured: the denominators of the
// benchmarks. Each measurement takes some 50 ms, so that it can be repeated
// next to what is compared with it.

#ifndef HEDDLE_TEST_PERFORMANCE_MACHINE_H
#define HEDDLE_TEST_PERFORMANCE_MACHINE_H

#include <cstddef>
#include <string_view>
#include <vector>

/// Seconds since some moment.
double seconds();

/// The part of the time of `threads` CPUs that this program gets: less than 1
/// where other programs want them, too.
double measureCpuShare(int threads);

/// f32 multiply-adds of `threads` threads, in GFLOP/s (two for each).
double measureFloatPeak(int threads);
/// The same for bf16 dot products, in tile registers where there are such; 0
/// where the CPU has none.
double measureBFloatPeak(int threads);
/// The same for dot products of bytes; 0 where the CPU has none.
double measureBytePeak(int threads);

/// All level 3 caches together, or the largest level there is.
size_t cacheBytes();
/// So much memory that what was read first is gone when all of it has been
/// read: 1 GiB or eight times the caches, whichever is more, but at most a
/// quarter of the memory that was free at first.
size_t uncachedBytes();

/// Of reading all of `memory` once, each thread its own part of each, in GB/s.
/// Vectors are read where they begin.
double measureReading(const std::vector<std::string_view> &memory, int threads);

/// Works on uncachedBytes() of memory, each thread on its own part of it.
class MemoryReader {
public:
  explicit MemoryReader(int threads);
  ~MemoryReader();
  MemoryReader(const MemoryReader &) = delete;
  MemoryReader &operator=(const MemoryReader &) = delete;

  /// Of reading all of it, in GB/s.
  double measureBandwidth() const;
  /// Of copying one half over the other: what is read and what is written
  /// together, in GB/s.
  double measureCopyBandwidth() const;

private:
  int threads;
  size_t part; ///< bytes of each thread
  char *memory;
};

#endif // HEDDLE_TEST_PERFORMANCE_MACHINE_H
