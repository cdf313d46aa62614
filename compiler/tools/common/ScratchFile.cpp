// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/common/ScratchFile.h"

#include "compiler/Support/Files.h"
#include "compiler/tools/common/Outputs.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"

using namespace llvm;
using namespace heddle;

Expected<ScratchFile> ScratchFile::create(StringRef ending) {
  SmallString<128> folder;
  sys::path::system_temp_directory(/*erasedOnReboot=*/true, folder);
  ScratchFile file;
  std::error_code code;
  int descriptor = -1;
  do {
    SmallString<128> path(folder);
    sys::path::append(path, "heddle-" +
                                utohexstr(sys::Process::GetRandomNumber()) +
                                "." + ending);
    // First, as a signal may come at once.
    sys::RemoveFileOnSignal(path);
    code = sys::fs::openFileForWrite(path, descriptor, sys::fs::CD_CreateNew,
                                     sys::fs::OF_None, 0600);
    if (code)
      sys::DontRemoveFileOnSignal(path);
    else
      file.name = std::string(path);
  } while (code == std::errc::file_exists);
  if (code)
    return systemError(code, "cannot make a temporary file in " + folder +
                                 ": " + code.message());
  (void)sys::Process::SafelyCloseFileDescriptor(descriptor);
  return file;
}

Expected<ScratchFile>
ScratchFile::create(StringRef ending,
                    function_ref<Error(raw_fd_ostream &)> write) {
  auto file = create(ending);
  if (!file)
    return file;
  std::error_code code;
  raw_fd_ostream stream(file->name, code);
  if (code)
    return systemError(code, file->name + ": " + code.message());
  if (Error error = writeAll(file->name, stream, write))
    return error;
  return file;
}

void ScratchFile::remove() {
  if (name.empty())
    return;
  (void)sys::fs::remove(name);
  sys::DontRemoveFileOnSignal(name);
  name.clear();
}
