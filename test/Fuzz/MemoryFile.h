// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What reads files by their paths, without a disk.

#ifndef HEDDLE_TEST_FUZZ_MEMORYFILE_H
#define HEDDLE_TEST_FUZZ_MEMORYFILE_H

#include <cstdint>
#include <cstdlib>
#include <string>
#include <sys/mman.h>
#include <unistd.h>

namespace heddle::test {

/// A regular file that has a path while this object lives.
class MemoryFile {
public:
  MemoryFile(const uint8_t *data, size_t size)
      : descriptor(memfd_create("fuzz", MFD_CLOEXEC)) {
    if (descriptor < 0 || write(descriptor, data, size) != ssize_t(size))
      abort();
  }
  ~MemoryFile() { close(descriptor); }
  MemoryFile(const MemoryFile &) = delete;

  std::string path() const {
    return "/proc/self/fd/" + std::to_string(descriptor);
  }

private:
  int descriptor;
};

} // namespace heddle::test

#endif // HEDDLE_TEST_FUZZ_MEMORYFILE_H
