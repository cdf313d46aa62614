// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What this machine can do at most, measured: the denominators of the
// benchmarks.

#ifndef HEDDLE_TEST_PERFORMANCE_MACHINE_H
#define HEDDLE_TEST_PERFORMANCE_MACHINE_H

/// f32 multiply-adds of `threads` threads, in GFLOP/s (two for each).
double measureFloatPeak(int threads);
/// The same for bf16 dot products; 0 where the CPU has none.
double measureBFloatPeak(int threads);
/// Reading memory that no cache holds, in GB/s.
double measureReadBandwidth(int threads);

#endif // HEDDLE_TEST_PERFORMANCE_MACHINE_H
