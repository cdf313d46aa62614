// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/heddle-run/BenchEntry.h"

#include "compiler/Support/PrintableStream.h"
#include "compiler/tools/common/KernelTimes.h"
#include "compiler/tools/common/MadeUpCall.h"

#include "llvm/Support/Format.h"

using namespace heddle;
using namespace llvm;

Error heddle::benchEntry(const Artifact &artifact,
                         const heddle_weights &weights, heddle_threads &threads,
                         StringRef name,
                         const std::map<std::string, int64_t> &sizes,
                         int64_t runs, bool perKernel) {
  if (perKernel && artifact.model().device_kind != HEDDLE_DEVICE_NONE)
    return createStringError("--per-kernel: with --entry expected a model for "
                             "the CPU (--target), found one for " +
                             targetOf(artifact.model()));
  auto entry = artifact.findEntry(name);
  if (!entry)
    return entry.takeError();
  auto call = makeUpCall(artifact, **entry, sizes);
  if (!call)
    return call.takeError();
  heddle_context context = {};
  context.parallel_for = heddle_threads_parallel_for;
  context.parallel_for_data = &threads;
  std::vector<double> seconds;
  for (int64_t run = 0; run <= runs; ++run) {
    auto begin = std::chrono::steady_clock::now();
    if (Error error = call->invoke(&weights, context))
      return error;
    std::chrono::duration<double> taken =
        std::chrono::steady_clock::now() - begin;
    if (run > 0)
      seconds.push_back(taken.count());
  }
  // Names are the artifact's.
  PrintableStream printable(outs());
  printable << describeCall(**entry, call->sizes())
            << format(": %.3f ms\n", 1e3 * median(seconds));
  if (!perKernel)
    return Error::success();
  KernelTimes::Observed observed = {weights, /*vocabulary=*/-1, /*batch=*/1,
                                    /*stream=*/nullptr};
  KernelTimes times(observed);
  context.observer = KernelTimes::onEvent;
  context.observer_data = &observed;
  for (int64_t run = 0; run < runs; ++run)
    if (Error error = call->invoke(&weights, context))
      return error;
  outs() << "\nper kernel:\n";
  times.print(outs());
  return Error::success();
}
