// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/heddlec/SiblingTool.h"

#include "compiler/Support/ChildProcess.h"
#include "compiler/Support/Files.h"
#include "compiler/tools/common/ScratchFile.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace heddle;

static std::string findBeside(StringRef name) {
  SmallString<128> path(sys::fs::getMainExecutable(
      nullptr, reinterpret_cast<void *>(&findBeside)));
  sys::path::remove_filename(path);
  sys::path::append(path, name);
  return std::string(path);
}

Expected<std::string> heddle::runTool(StringRef name,
                                      ArrayRef<std::string> arguments,
                                      const std::string &folder) {
  std::vector<std::string> line{name.str()};
  append_range(line, arguments);
  auto output = ScratchFile::create("report");
  if (!output)
    return output.takeError();
  if (Error error = runProgram(findBeside(name), line, folder, output->path()))
    return error;
  auto report = readRegularFile(output->path());
  if (!report)
    return report.takeError();
  return (*report)->getBuffer().str();
}
