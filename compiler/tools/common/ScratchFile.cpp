// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/common/ScratchFile.h"

#include "compiler/Support/Files.h"
#include "compiler/tools/common/Outputs.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/Signals.h"

using namespace llvm;
using namespace heddle;

Expected<ScratchFile> ScratchFile::create(StringRef ending) {
  SmallString<128> folder;
  sys::path::system_temp_directory(/*erasedOnReboot=*/true, folder);
  sys::path::append(folder, "heddle-");
  auto made = createRemovedOnSignal(folder, ("." + ending).str(), 0600);
  if (!made)
    return systemError(made.getError(), "cannot make a temporary file in " +
                                            sys::path::parent_path(folder) +
                                            ": " + made.getError().message());
  (void)sys::Process::SafelyCloseFileDescriptor(made->descriptor);
  ScratchFile file;
  file.name = made->name;
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
