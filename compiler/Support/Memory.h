// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shortage of memory, which reaches a tool by many ways: null pointers of C
// libraries, failed mappings and threads, assertions of Halide. All of them end
// as the same message. This knows nothing of LLVM, which may not be loaded yet.

#ifndef HEDDLE_COMPILER_SUPPORT_MEMORY_H
#define HEDDLE_COMPILER_SUPPORT_MEMORY_H

#include <cstddef>

namespace heddle {

inline constexpr const char *kOutOfMemory = "out of memory";

/// Records that an allocation has failed. Safe in allocators.
void noteFailedAllocation();

/// Whether an allocation has failed.
bool hasFailedAllocation();

/// Two of the largest stacks: Halide's have 32 MB.
inline constexpr size_t kScarceBytes = size_t(64) << 20;

/// Whether the process may have `bytes` more. Safe in signal handlers.
bool canMap(size_t bytes);

/// Whether a failure may be one of memory: an allocation has failed, or the
/// next one would. Safe in signal handlers.
bool isShortOfMemory();

} // namespace heddle

#endif // HEDDLE_COMPILER_SUPPORT_MEMORY_H
