// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/common/ScratchFolder.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

#include <atomic>
#include <cerrno>
#include <climits>
#include <cstring>
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace llvm;
using namespace heddle;

// The folder that there is, for signal handlers.
static char current[PATH_MAX];
static std::atomic<bool> hasCurrent = false;
static_assert(std::atomic<bool>::is_always_lock_free);

Expected<ScratchFolder> ScratchFolder::create() {
  SmallString<128> pattern, path;
  sys::path::system_temp_directory(/*erasedOnReboot=*/true, pattern);
  std::string place(pattern);
  sys::path::append(pattern, "heddle-%%%%%%%%%%%%.tmp");
  auto fail = [&](StringRef why) {
    return createStringError("cannot make a temporary folder in " + place +
                             ": " + why);
  };
  do {
    sys::fs::createUniquePath(pattern, path, /*MakeAbsolute=*/true);
    if (path.size() >= sizeof(current))
      return fail("its name is too long");
    strcpy(current, path.c_str());
    hasCurrent = true; // first, as a signal may come at once
    if (mkdir(path.c_str(), 0700) == 0)
      return ScratchFolder(std::string(path));
    hasCurrent = false;
  } while (errno == EEXIST);
  return fail(strerror(errno));
}

ScratchFolder::~ScratchFolder() {
  if (!name.empty())
    removeScratchFolder();
}

// By system calls, as opendir takes memory, which signal handlers must not.
void heddle::removeScratchFolder() {
  if (!hasCurrent.exchange(false))
    return;
  int folder = open(current, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    alignas(dirent64) char entries[4096];
    for (ssize_t size;
         (size = getdents64(folder, entries, sizeof(entries))) > 0;
         lseek(folder, 0, SEEK_SET)) {
      bool isRemoved = false;
      for (ssize_t at = 0; at < size;) {
        auto *entry = reinterpret_cast<dirent64 *>(entries + at);
        isRemoved |= unlinkat(folder, entry->d_name, 0) == 0;
        at += entry->d_reclen;
      }
      if (!isRemoved)
        break;
    }
    close(folder);
  }
  rmdir(current);
}
