// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A language model as the command line names it, ready to run.

#ifndef HEDDLE_TOOLS_SESSION_H
#define HEDDLE_TOOLS_SESSION_H

#include "compiler/tools/heddle-run/Commands.h"
#include "compiler/tools/heddle-run/LanguageModel.h"

#include <chrono>

namespace heddle {

struct Session {
  /// `chooseSizes` is told the model's positions; it may fail.
  static llvm::Expected<Session>
  open(const ArtifactOptions &options, const ThreadOptions &threadOptions,
       llvm::function_ref<llvm::Expected<LanguageModel::Sizes>(int64_t)>
           chooseSizes);

  // What comes later uses what comes before.
  Artifact artifact;
  WeightsHandle weights;
  ThreadsHandle threads;
  LanguageModel model;
};

/// Measures time from its construction.
class Stopwatch {
public:
  double seconds() const {
    return std::chrono::duration<double>(Clock::now() - begin).count();
  }

private:
  using Clock = std::chrono::steady_clock;
  Clock::time_point begin = Clock::now();
};

} // namespace heddle

#endif // HEDDLE_TOOLS_SESSION_H
