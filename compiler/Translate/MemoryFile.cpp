// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Translate/MemoryFile.h"

#include "llvm/Support/Errno.h"
#include "llvm/Support/FileSystem.h"

#include <sys/mman.h>
#include <unistd.h>

using namespace heddle;

MemoryFile::MemoryFile() : descriptor(memfd_create("heddle", MFD_CLOEXEC)) {
  if (descriptor < 0)
    code = llvm::errnoAsErrorCode();
}

MemoryFile::~MemoryFile() {
  if (descriptor >= 0)
    close(descriptor);
}

std::string MemoryFile::path() const {
  return "/proc/self/fd/" + std::to_string(descriptor);
}

llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> MemoryFile::read() const {
  llvm::sys::fs::file_status status;
  if (std::error_code failed = llvm::sys::fs::status(descriptor, status))
    return failed;
  return llvm::MemoryBuffer::getOpenFile(
      llvm::sys::fs::convertFDToNativeFile(descriptor), path(),
      status.getSize(), /*RequiresNullTerminator=*/false);
}
