// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Output files that appear together or not at all, and the progress line.

#ifndef HEDDLE_COMPILER_TOOLS_COMMON_OUTPUTS_H
#define HEDDLE_COMPILER_TOOLS_COMMON_OUTPUTS_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>
#include <vector>

namespace heddle {

/// Writes `text` to `path`, or to standard output for "-". A file appears
/// complete or not at all.
llvm::Error writeFile(llvm::StringRef path, llvm::StringRef text);

/// Files that are written under other names first.
class OutputSet {
public:
  OutputSet() = default;
  OutputSet(const OutputSet &) = delete;
  ~OutputSet(); ///< removes what was not committed

  /// The name to write the file `path` under.
  std::string stage(const std::string &path);
  /// Gives all files their names.
  llvm::Error commit();

private:
  std::vector<std::string> paths;
};

/// One line on the terminal that says what is being done.
class Progress {
public:
  explicit Progress(bool isShown) : isShown(isShown) {}
  ~Progress() { done(); }
  void show(const llvm::Twine &text);
  void done();

private:
  bool isShown;
  bool isDirty = false;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_TOOLS_COMMON_OUTPUTS_H
