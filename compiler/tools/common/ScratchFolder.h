// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where a program that a tool runs puts its own temporary files.

#ifndef HEDDLE_COMPILER_TOOLS_COMMON_SCRATCHFOLDER_H
#define HEDDLE_COMPILER_TOOLS_COMMON_SCRATCHFOLDER_H

#include "llvm/Support/Error.h"

#include <string>

namespace heddle {

/// A folder in the system's folder of temporary files ($TMPDIR), which is
/// removed with the files in it by this object, or by a signal that ends the
/// tool. There is one at a time.
class ScratchFolder {
public:
  static llvm::Expected<ScratchFolder> create();

  ScratchFolder(ScratchFolder &&other) : name(std::exchange(other.name, "")) {}
  ScratchFolder &operator=(ScratchFolder &&other) = delete;
  ~ScratchFolder();

  const std::string &path() const { return name; }

private:
  explicit ScratchFolder(std::string name) : name(std::move(name)) {}

  std::string name;
};

/// Removes the folder that there is. Safe in signal handlers.
void removeScratchFolder();

} // namespace heddle

#endif // HEDDLE_COMPILER_TOOLS_COMMON_SCRATCHFOLDER_H
