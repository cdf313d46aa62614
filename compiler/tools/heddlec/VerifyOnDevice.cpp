// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/heddlec/VerifyOnDevice.h"

#include "compiler/Support/ChildProcess.h"
#include "compiler/Support/Files.h"
#include "compiler/tools/common/ScratchFile.h"
#include "compiler/tools/common/ScratchFolder.h"
#include "compiler/tools/common/WeightTypes.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"

using namespace llvm;
using namespace heddle;

// heddle-run, which is beside this program.
static std::string findRun() {
  SmallString<128> path(
      sys::fs::getMainExecutable(nullptr, reinterpret_cast<void *>(&findRun)));
  sys::path::remove_filename(path);
  sys::path::append(path, "heddle-run");
  return std::string(path);
}

Expected<std::string> heddle::verifyOnDevice(const CompilationOptions &options,
                                             StringRef target,
                                             StringRef library,
                                             StringRef weights) {
  std::vector<std::string> line{"heddle-run", "verify", library.str(),
                                "--target=" + target.str(),
                                "--model=" + options.input};
  if (!weights.empty())
    line.push_back("--weights=" + weights.str());
  if (!options.import.checkpoint.empty())
    line.push_back("--checkpoint=" + options.import.checkpoint);
  if (options.import.weightType != WeightType::Keep)
    line.push_back("--weight-type=" + weightTypeText(options.import));
  if (options.import.arithmetic != Arithmetic::F32)
    line.push_back(
        ("--arithmetic=" + arithmeticName(options.import.arithmetic)).str());
  if (options.import.cacheElement)
    line.push_back(
        ("--cache-type=" + cacheElementName(*options.import.cacheElement))
            .str());
  for (const std::string &pattern : options.import.keep)
    line.push_back("--keep=" + pattern);
  if (!options.showProgress)
    line.push_back("--quiet");
  if (!options.pipeline.scheduleFile.empty())
    line.push_back("--schedule=" + options.pipeline.scheduleFile);
  auto output = ScratchFile::create("report");
  auto folder = ScratchFolder::create();
  if (!output)
    return output.takeError();
  if (!folder)
    return folder.takeError();
  if (Error error = runProgram(findRun(), line, folder->path(), output->path()))
    return error;
  auto report = readRegularFile(output->path());
  if (!report)
    return report.takeError();
  return (*report)->getBuffer().str();
}
