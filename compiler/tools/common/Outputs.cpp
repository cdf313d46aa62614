// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/common/Outputs.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"

using namespace heddle;

llvm::Error heddle::writeFile(llvm::StringRef path, llvm::StringRef text) {
  return llvm::writeToOutput(path, [&](llvm::raw_ostream &stream) {
    stream << text;
    return llvm::Error::success();
  });
}

static std::string stagedName(const std::string &path) {
  return path + ".incomplete";
}

OutputSet::~OutputSet() {
  for (const std::string &path : paths) {
    (void)llvm::sys::fs::remove(stagedName(path));
    llvm::sys::DontRemoveFileOnSignal(stagedName(path));
  }
}

std::string OutputSet::stage(const std::string &path) {
  paths.push_back(path);
  llvm::sys::RemoveFileOnSignal(stagedName(path));
  return stagedName(path);
}

llvm::Error OutputSet::commit() {
  // What would make a later file fail must not be found after an earlier one
  // has its name.
  for (const std::string &path : paths)
    if (llvm::sys::fs::is_directory(path))
      return llvm::createStringError("%s: expected a file, found a folder",
                                     path.c_str());
  for (const std::string &path : paths)
    if (std::error_code code = llvm::sys::fs::rename(stagedName(path), path))
      return llvm::createStringError(code, "%s: %s", path.c_str(),
                                     code.message().c_str());
  paths.clear();
  return llvm::Error::success();
}

void Progress::show(const llvm::Twine &text) {
  if (!isShown)
    return;
  // Back to the start of the line, and clear the rest of it.
  llvm::errs() << "\r" << text << "\033[K";
  isDirty = true;
}

void Progress::done() {
  if (isDirty)
    llvm::errs() << "\r\033[K";
  isDirty = false;
}
