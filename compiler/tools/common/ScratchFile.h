// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files between two steps of a run.

#ifndef HEDDLE_COMPILER_TOOLS_COMMON_SCRATCHFILE_H
#define HEDDLE_COMPILER_TOOLS_COMMON_SCRATCHFILE_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <string>

namespace heddle {

/// A file in the system's folder of temporary files ($TMPDIR), which is removed
/// with this object, or by a signal that ends the tool.
class ScratchFile {
public:
  /// Creates it, empty. Its name ends in ".ENDING".
  static llvm::Expected<ScratchFile> create(llvm::StringRef ending);
  /// The same, with what `write` writes.
  static llvm::Expected<ScratchFile>
  create(llvm::StringRef ending,
         llvm::function_ref<llvm::Error(llvm::raw_fd_ostream &)> write);

  ScratchFile() = default; ///< none
  ScratchFile(ScratchFile &&other) : name(std::exchange(other.name, "")) {}
  ScratchFile &operator=(ScratchFile &&other) {
    std::swap(name, other.name);
    return *this;
  }
  ~ScratchFile() { remove(); }

  const std::string &path() const { return name; }
  /// Removes it now; what has mapped or opened it keeps its contents.
  void remove();

private:
  std::string name;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_TOOLS_COMMON_SCRATCHFILE_H
