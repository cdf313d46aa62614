// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files that the compiler and its tools read, of which none is trusted, and
// those that they write.

#ifndef HEDDLE_COMPILER_SUPPORT_FILES_H
#define HEDDLE_COMPILER_SUPPORT_FILES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include "llvm/Support/ErrorOr.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

#include <memory>
#include <string>

namespace heddle {

/// What kind of file that is, with an article: "a folder", "a pipe".
llvm::StringRef describe(llvm::sys::fs::file_type type);

/// The error `message`, or "out of memory" where `code` says so.
llvm::Error systemError(std::error_code code, const llvm::Twine &message);

/// "PATH: cannot read: WHY"
llvm::Error cannotRead(llvm::StringRef path, const llvm::Twine &why);
llvm::Error cannotRead(llvm::StringRef path, std::error_code code);

/// Opens the regular file at `path`, and gives its size. Fails on folders,
/// pipes, devices and sockets, without waiting for the other end of any. The
/// caller closes the result.
llvm::Expected<llvm::sys::fs::file_t> openRegularFile(llvm::StringRef path,
                                                      uint64_t &size);

/// The contents of a regular file of at most `limit` bytes, which are mapped if
/// they are many. A zero follows them where `isTerminated`.
llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>>
readRegularFile(llvm::StringRef path, uint64_t limit = UINT64_MAX,
                bool isTerminated = false);

/// Maps a regular file, read-only. One of less than `least` bytes is an error,
/// which says that `expected` is missing.
llvm::Expected<llvm::sys::fs::mapped_file_region>
mapRegularFile(llvm::StringRef path, uint64_t least,
               const llvm::Twine &expected);

/// A file that is open for writing.
struct NewFile {
  std::string name;
  int descriptor;
};

/// Creates an empty file whose name is `beginning`, a random number and
/// `ending`. A signal that ends the tool removes it, until
/// llvm::sys::DontRemoveFileOnSignal says otherwise.
llvm::ErrorOr<NewFile> createRemovedOnSignal(llvm::StringRef beginning,
                                             llvm::StringRef ending,
                                             unsigned mode = 0666);

} // namespace heddle

#endif // HEDDLE_COMPILER_SUPPORT_FILES_H
