// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Verify/VerifyMemory.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Process.h"

#include <cstring>
#include <sys/mman.h>

using namespace heddle;
using llvm::sys::Memory;

VerifyMemory::VerifyMemory(size_t size, size_t alignment) {
  size_t page = llvm::sys::Process::getPageSizeEstimate();
  size_t own = llvm::alignTo(size, page);
  std::error_code error;
  pages = llvm::sys::OwningMemoryBlock(Memory::allocateMappedMemory(
      own + page, nullptr, Memory::MF_READ | Memory::MF_WRITE, error));
  if (error)
    llvm::report_bad_alloc_error("no memory for a buffer of a call");
  auto *first = static_cast<char *>(pages.base());
  std::memset(first, 0xff, own);
  // LLVM has no flag for no access at all.
  if (mprotect(first + own, page, PROT_NONE) != 0)
    llvm::report_bad_alloc_error("no page behind a buffer of a call");
  begin = first + own - llvm::alignTo(size, alignment);
}
