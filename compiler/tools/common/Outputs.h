// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Output files that appear when all are complete, and the progress line.

#ifndef HEDDLE_COMPILER_TOOLS_COMMON_OUTPUTS_H
#define HEDDLE_COMPILER_TOOLS_COMMON_OUTPUTS_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <string>
#include <vector>

namespace heddle {

/// Writes `text` to `path`, or to standard output for "-". A file appears
/// complete or not at all.
llvm::Error writeFile(llvm::StringRef path, llvm::StringRef text);

/// Calls `write` and closes `stream`, whose failure is an error that names
/// `path`.
llvm::Error
writeAll(const std::string &path, llvm::raw_fd_ostream &stream,
         llvm::function_ref<llvm::Error(llvm::raw_fd_ostream &)> write);

/// Writes what standard output still keeps back. An error is told once; at the
/// program's end LLVM would abort because of it.
llvm::Error flushStandardOutput();

/// The file that an output named `path` makes or replaces: `path`, or where the
/// links lead that it names. Fails on what is there and is no regular file,
/// which a new one would replace: a folder, a device, a pipe.
llvm::Expected<std::string> findDestination(const std::string &path);

/// Fails where two of `paths` are one file, by this name or another. Those that
/// are empty, and devices and pipes, may be several.
llvm::Error checkDistinct(llvm::ArrayRef<std::string> paths);

/// Fails where one of `outputs` is, by this name or another, one of `inputs`.
llvm::Error checkKept(llvm::ArrayRef<std::string> inputs,
                      llvm::ArrayRef<std::string> outputs);

/// Whether `path` is standard output ("-"), a device or a pipe, which is
/// written as it stands.
bool isStream(const std::string &path);

/// Files that are written under other names first, which no other run has.
class OutputSet {
public:
  OutputSet() = default;
  OutputSet(const OutputSet &) = delete;
  ~OutputSet(); ///< removes what was not committed

  /// Writes the file `path`. Returns the name that it has for now.
  llvm::Expected<std::string>
  write(const std::string &path,
        llvm::function_ref<llvm::Error(llvm::raw_fd_ostream &)> write);
  llvm::Error write(const std::string &path, llvm::StringRef text);
  /// The same for what writes a file by its name.
  llvm::Error
  writeByName(const std::string &path,
              llvm::function_ref<llvm::Error(llvm::StringRef)> write);
  /// Makes the folder `path`, if it is not there, for files that are written
  /// next. One folder at a time may be new.
  llvm::Error makeFolder(const std::string &path);
  /// Gives all files their names, one after the other. None where one of them
  /// is no regular file's; where the system refuses a later one, earlier ones
  /// remain.
  llvm::Error commit();

private:
  struct File {
    std::string path, destination, stagedName;
  };

  /// Creates and opens the file that `path` names later.
  llvm::Expected<std::string> stage(const std::string &path, int &descriptor);

  std::vector<File> files;
  bool hasFolder = false; ///< it has made one
};

/// Removes the folder that a set of outputs has made and not committed, if it
/// is empty. Safe in signal handlers.
void removeNewFolder();

/// Says what is being done: on a terminal in one line, which is gone at the
/// end, and elsewhere in a line for each stage.
class Progress {
public:
  /// `tool` begins the lines.
  Progress(llvm::StringRef tool, bool isShown);
  ~Progress() { done(); }
  void show(const llvm::Twine &stage);
  /// A part of a stage, for those who watch.
  void showPart(const llvm::Twine &part);
  /// The same of parts that may take long: elsewhere than on a terminal they
  /// have a line every ten seconds.
  void showLongPart(const llvm::Twine &part);
  void done();

private:
  std::string tool;
  bool isShown;
  bool isTerminal;
  bool isDirty = false;
  std::chrono::steady_clock::time_point lastLine =
      std::chrono::steady_clock::now();
};

} // namespace heddle

#endif // HEDDLE_COMPILER_TOOLS_COMMON_OUTPUTS_H
