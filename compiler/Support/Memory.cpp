// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Support/Memory.h"

#include <atomic>
#include <sys/mman.h>

static std::atomic<bool> hasFailed = false;
static_assert(std::atomic<bool>::is_always_lock_free);

void heddle::noteFailedAllocation() { hasFailed = true; }
bool heddle::hasFailedAllocation() { return hasFailed; }

bool heddle::canMap(size_t bytes) {
  // Limits count writable mappings, whether or not they have pages.
  void *probe = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return probe != MAP_FAILED && munmap(probe, bytes) == 0;
}

bool heddle::isShortOfMemory() { return hasFailed || !canMap(kScarceBytes); }
