// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/Files.h"

#include "runtime/text/heddle_text.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>
#include <unistd.h>
#include <utility>

using namespace heddle::text;

FileSet::~FileSet() = default;

static void checkSize(const std::string &path, size_t size, size_t limit,
                      const char *kind) {
  if (size > limit)
    throw Failure(path + ": expected at most " + std::to_string(limit) +
                      " bytes of " + kind + ", got " + std::to_string(size),
                  HEDDLE_INVALID_ARGUMENT);
}

//===-- folders -----------------------------------------------------------===//

std::string Folder::pathOf(const std::string &name) const {
  return (std::filesystem::path(path) / name).string();
}

bool Folder::has(const std::string &name) const {
  struct stat status; // of a link that leads nowhere, too: it was to be a file
  return lstat(pathOf(name).c_str(), &status) == 0;
}

Failure Folder::missing(const std::string &expected) const {
  struct stat status;
  bool isFolder = stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
  return Failure(path + ": " +
                     (isFolder ? "expected " + expected : "no such folder"),
                 HEDDLE_IO_ERROR);
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

  explicit Descriptor(int number) : number(number) {}
  Descriptor(Descriptor &&other) : number(std::exchange(other.number, -1)) {}
  ~Descriptor() {
    if (number >= 0)
      close(number);
  }
};
} // namespace

std::string Folder::read(const std::string &name, size_t limit,
                         const char *kind) const {
  return readFile(pathOf(name), limit, kind);
}

/// Opens a regular file, whose size it gives.
static Descriptor openFile(const std::string &path, size_t &size) {
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
  size = status.st_size;
  return file;
}

static std::string readBytes(const std::string &path, const Descriptor &file,
                             size_t size) {
  std::string content(size, '\0');
  size_t done = 0;
  while (done < size) {
    ssize_t count = ::read(file.number, &content[done], size - done);
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

std::string heddle::text::readFile(const std::string &path, size_t limit,
                                   const char *kind) {
  size_t size = 0;
  Descriptor file = openFile(path, size);
  checkSize(path, size, limit, kind);
  return readBytes(path, file, size);
}

std::string heddle::text::readStart(const std::string &path, size_t most) {
  size_t size = 0;
  Descriptor file = openFile(path, size);
  return readBytes(path, file, std::min(size, most));
}

//===-- memory ------------------------------------------------------------===//

MemoryFiles::MemoryFiles(const heddle_file *files, size_t count)
    : files(files), count(count) {
  for (size_t i = 0; i < count; ++i) {
    std::string place = "files[" + std::to_string(i) + "]";
    if (!files[i].name || (!files[i].data && files[i].size))
      throw Failure(place + " has a null " + (files[i].name ? "data" : "name"));
    if (find(files[i].name) != &files[i])
      throw Failure(place + ": the name '" + files[i].name +
                    "' is there twice");
  }
}

const heddle_file *MemoryFiles::find(const std::string &name) const {
  const heddle_file *end = files + count;
  const heddle_file *found = std::find_if(
      files, end, [&](const heddle_file &file) { return name == file.name; });
  return found == end ? nullptr : found;
}

std::string MemoryFiles::read(const std::string &name, size_t limit,
                              const char *kind) const {
  const heddle_file *file = find(name);
  if (!file)
    throw Failure(name + ": no such file", HEDDLE_IO_ERROR);
  checkSize(name, file->size, limit, kind);
  return std::string(static_cast<const char *>(file->data), file->size);
}

Failure MemoryFiles::missing(const std::string &expected) const {
  return Failure("files: expected " + expected, HEDDLE_INVALID_ARGUMENT);
}
