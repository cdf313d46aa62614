// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/Files.h"

#include "runtime/text/Failure.h"

#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>

using namespace heddle::text;

std::string heddle::text::fileIn(const std::string &folder,
                                 const std::string &name) {
  return (std::filesystem::path(folder) / name).string();
}

bool heddle::text::exists(const std::string &path) {
  return access(path.c_str(), F_OK) == 0;
}

bool heddle::text::isFolder(const std::string &path) {
  struct stat status;
  return stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
}

[[noreturn]] static void cannotRead(const std::string &path,
                                    const std::string &reason) {
  throw Failure(path + ": cannot read: " + reason, HEDDLE_IO_ERROR);
}

[[noreturn]] static void cannotRead(const std::string &path, int code) {
  cannotRead(path, std::generic_category().message(code));
}

static const char *kindOf(mode_t mode) {
  if (S_ISDIR(mode))
    return "a folder";
  if (S_ISFIFO(mode))
    return "a pipe";
  if (S_ISCHR(mode) || S_ISBLK(mode))
    return "a device";
  return S_ISSOCK(mode) ? "a socket" : "something else";
}

namespace {
struct Descriptor {
  int number;

  ~Descriptor() {
    if (number >= 0)
      close(number);
  }
};
} // namespace

std::string heddle::text::readFile(const std::string &path, size_t limit,
                                   const char *kind) {
  Descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  struct stat status;
  if (file.number < 0) {
    int code = errno;
    // A socket cannot be opened.
    if (code == ENXIO && stat(path.c_str(), &status) == 0)
      cannotRead(path, std::string("expected a regular file, found ") +
                           kindOf(status.st_mode));
    cannotRead(path, code);
  }
  if (fstat(file.number, &status) != 0)
    cannotRead(path, errno);
  if (!S_ISREG(status.st_mode))
    cannotRead(path, std::string("expected a regular file, found ") +
                         kindOf(status.st_mode));
  size_t size = status.st_size;
  if (size > limit)
    throw Failure(path + ": expected at most " + std::to_string(limit) +
                      " bytes of " + kind + ", got " + std::to_string(size),
                  HEDDLE_INVALID_ARGUMENT);
  std::string content(size, '\0');
  size_t done = 0;
  while (done < size) {
    ssize_t count = read(file.number, &content[done], size - done);
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      cannotRead(path, errno);
    if (count == 0)
      break;
    done += count;
  }
  content.resize(done);
  return content;
}
