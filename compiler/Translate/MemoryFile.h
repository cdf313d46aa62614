// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_COMPILER_TRANSLATE_MEMORYFILE_H
#define HEDDLE_COMPILER_TRANSLATE_MEMORYFILE_H

#include "llvm/Support/MemoryBuffer.h"

namespace heddle {

/// A file that no disk holds, for libraries that only write files. Halide ends
/// the process where the disk is full, or says nothing.
class MemoryFile {
public:
  MemoryFile();
  MemoryFile(const MemoryFile &) = delete;
  ~MemoryFile();

  /// Set where the system refuses to make one.
  std::error_code error() const { return code; }
  /// What it has as long as this lives, for this process alone.
  std::string path() const;
  /// What has been written. Outlives this.
  llvm::ErrorOr<std::unique_ptr<llvm::MemoryBuffer>> read() const;

private:
  int descriptor;
  std::error_code code;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_TRANSLATE_MEMORYFILE_H
