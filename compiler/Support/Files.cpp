// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Support/Files.h"

#include "compiler/Support/Memory.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"

#include <cerrno>
#include <fcntl.h>

using namespace llvm;

StringRef heddle::describe(sys::fs::file_type type) {
  switch (type) {
  case sys::fs::file_type::regular_file:
    return "a regular file";
  case sys::fs::file_type::directory_file:
    return "a folder";
  case sys::fs::file_type::fifo_file:
    return "a pipe";
  case sys::fs::file_type::socket_file:
    return "a socket";
  case sys::fs::file_type::block_file:
  case sys::fs::file_type::character_file:
    return "a device";
  default:
    return "something else";
  }
}

Error heddle::systemError(std::error_code code, const Twine &message) {
  if (code == std::errc::not_enough_memory)
    return createStringError(code, kOutOfMemory);
  return createStringError(code, message);
}

Error heddle::cannotRead(StringRef path, const Twine &why) {
  return createStringError(path + ": cannot read: " + why);
}

Error heddle::cannotRead(StringRef path, std::error_code code) {
  return systemError(code, path + ": cannot read: " + code.message());
}

Expected<sys::fs::file_t> heddle::openRegularFile(StringRef path,
                                                  uint64_t &size) {
  // Nonblocking, as a pipe would otherwise wait for its writer.
  int file = open(path.str().c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (file < 0)
    return cannotRead(path, std::error_code(errno, std::generic_category()));
  sys::fs::file_status status;
  std::error_code code = sys::fs::status(file, status);
  if (!code && sys::fs::is_regular_file(status)) {
    size = status.getSize();
    return file;
  }
  (void)sys::fs::closeFile(file);
  return code ? cannotRead(path, code)
              : cannotRead(path, "expected a regular file, found " +
                                     describe(status.type()));
}

Expected<std::unique_ptr<MemoryBuffer>>
heddle::readRegularFile(StringRef path, uint64_t limit, bool isTerminated) {
  uint64_t size = 0;
  auto file = openRegularFile(path, size);
  if (!file)
    return file.takeError();
  scope_exit close([&] { (void)sys::fs::closeFile(*file); });
  if (size > limit)
    return cannotRead(path, "expected at most " + Twine(limit) +
                                " bytes, found " + Twine(size));
  auto buffer = MemoryBuffer::getOpenFile(*file, path, size, isTerminated);
  if (!buffer)
    return cannotRead(path, buffer.getError());
  return std::move(*buffer);
}

Expected<sys::fs::mapped_file_region>
heddle::mapRegularFile(StringRef path, uint64_t least, const Twine &expected) {
  uint64_t size = 0;
  Expected<sys::fs::file_t> file = openRegularFile(path, size);
  if (!file)
    return file.takeError();
  scope_exit close([&] { (void)sys::fs::closeFile(*file); });
  if (size < least)
    return createStringError(path + ": expected at least " + expected +
                             ", got " + Twine(size) + " bytes");
  std::error_code code;
  sys::fs::mapped_file_region region(
      *file, sys::fs::mapped_file_region::readonly, size, /*offset=*/0, code);
  if (code)
    return cannotRead(path, code);
  return region;
}

ErrorOr<heddle::NewFile> heddle::createRemovedOnSignal(StringRef beginning,
                                                       StringRef ending,
                                                       unsigned mode) {
  for (;;) {
    // Not createUniqueFile: it replaces every '%' of the path.
    NewFile file{
        (beginning + utohexstr(sys::Process::GetRandomNumber()) + ending).str(),
        -1};
    // First, as a signal may come at once.
    sys::RemoveFileOnSignal(file.name);
    std::error_code code = sys::fs::openFileForWrite(file.name, file.descriptor,
                                                     sys::fs::CD_CreateNew,
                                                     sys::fs::OF_None, mode);
    if (!code)
      return file;
    sys::DontRemoveFileOnSignal(file.name);
    if (code != std::errc::file_exists)
      return code;
  }
}
