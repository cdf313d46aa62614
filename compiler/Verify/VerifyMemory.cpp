// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Verify/VerifyMemory.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"

#include <cstring>
#include <sys/mman.h>
#include <sys/resource.h>

using namespace heddle;
using llvm::sys::Memory;

// The number behind `name` in a file of /proc, which has it in kB.
static std::optional<uint64_t> readKilobytes(const char *path,
                                             llvm::StringRef name) {
  // Files of /proc have no size.
  auto file = llvm::MemoryBuffer::getFileAsStream(path);
  if (!file)
    return std::nullopt;
  llvm::StringRef rest = (*file)->getBuffer().split(name).second.ltrim(": \t");
  uint64_t kilobytes;
  if (rest.consumeInteger(10, kilobytes))
    return std::nullopt;
  return kilobytes << 10;
}

uint64_t heddle::availableMemory() {
  uint64_t available =
      readKilobytes("/proc/meminfo", "MemAvailable").value_or(UINT64_MAX);
  rlimit limit = {};
  if (getrlimit(RLIMIT_AS, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY)
    return available;
  uint64_t taken = readKilobytes("/proc/self/status", "VmSize").value_or(0);
  return std::min(available, limit.rlim_cur - std::min(limit.rlim_cur, taken));
}

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
