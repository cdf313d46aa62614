// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/heddlec/ReportLogits.h"

#include "compiler/tools/common/ScratchFolder.h"
#include "compiler/tools/heddlec/SiblingTool.h"

using namespace llvm;
using namespace heddle;

// A process of its own, as a tool has one folder for what is linked.
static Error compileAsStored(const CompilationOptions &options,
                             const std::string &library,
                             const std::string &folder) {
  std::vector<std::string> line{options.input,
                                "--quiet",
                                "--emit=shared",
                                "-o",
                                library,
                                "--target=" + options.devices.front(),
                                "--target-cpu=" + options.pipeline.targetCpu};
  if (!options.import.checkpoint.empty())
    line.push_back("--weights=" + options.import.checkpoint);
  if (!options.useCache)
    line.emplace_back("--no-cache");
  return runTool("heddlec", line, folder).takeError();
}

Expected<std::string> heddle::reportLogits(const CompilationOptions &options,
                                           StringRef target, StringRef library,
                                           StringRef weights) {
  auto folder = ScratchFolder::create();
  if (!folder)
    return folder.takeError();
  std::string stored = folder->path() + "/stored.so";
  if (Error error = compileAsStored(options, stored, folder->path()))
    return error;
  std::vector<std::string> line{"perplexity",
                                library.str(),
                                "--target=" + target.str(),
                                "--reference=" + stored,
                                "--text=" + options.text,
                                "--tokenizer=" + options.input};
  if (!weights.empty())
    line.push_back("--weights=" + weights.str());
  return runTool("heddle-run", line, folder->path());
}
