// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/heddlec/VerifyOnDevice.h"

#include "compiler/tools/common/ScratchFolder.h"
#include "compiler/tools/common/WeightTypes.h"
#include "compiler/tools/heddlec/SiblingTool.h"

using namespace llvm;
using namespace heddle;

// heddle-run, which is beside this program.
Expected<std::string> heddle::verifyOnDevice(const CompilationOptions &options,
                                             StringRef target,
                                             StringRef library,
                                             StringRef weights) {
  std::vector<std::string> line{"verify", library.str(),
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
  auto folder = ScratchFolder::create();
  if (!folder)
    return folder.takeError();
  return runTool("heddle-run", line, folder->path());
}
