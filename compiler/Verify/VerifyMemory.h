// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_COMPILER_VERIFY_VERIFYMEMORY_H
#define HEDDLE_COMPILER_VERIFY_VERIFYMEMORY_H

#include "llvm/Support/Memory.h"

namespace heddle {

/// How many bytes this process may still take: of the system's memory, or up to
/// its limit (ulimit -v).
uint64_t availableMemory();

/// Memory for a buffer of a call, all of it NaN. A page follows that nothing
/// may access, so that a kernel that touches what is not its own crashes.
class VerifyMemory {
public:
  /// Begins at a multiple of `alignment`, as near to that page as this allows.
  VerifyMemory(size_t size, size_t alignment);

  void *data() { return begin; }

private:
  llvm::sys::OwningMemoryBlock pages;
  void *begin;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_VERIFY_VERIFYMEMORY_H
