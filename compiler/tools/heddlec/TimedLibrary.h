// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A compiled model whose kernels are timed, in calls that are made up.

#ifndef HEDDLE_COMPILER_TOOLS_HEDDLEC_TIMEDLIBRARY_H
#define HEDDLE_COMPILER_TOOLS_HEDDLEC_TIMEDLIBRARY_H

#include "compiler/tools/common/KernelTimes.h"
#include "compiler/tools/common/MadeUpCall.h"

#include "llvm/ADT/StringMap.h"

#include <list>

namespace heddle {

class TimedLibrary {
public:
  /// A library whose entry points, or the one named `entry`, are called;
  /// `sizes` are those of their calls, as makeUpCall takes them. `threads` must
  /// outlive this.
  static llvm::Expected<TimedLibrary>
  load(llvm::StringRef library, llvm::StringRef weights,
       heddle_threads &threads, llvm::StringRef entry,
       const std::map<std::string, int64_t> &sizes);

  /// Calls each entry point once.
  llvm::Error call();
  /// Forgets all calls.
  void clear();
  /// Microseconds that each kernel takes in a call of all entry points.
  llvm::StringMap<double> kernelTimes() const;

  /// "prefill (batch=1, length=128)", and the microseconds of its kernels.
  struct EntryTime {
    std::string call;
    double microseconds;
  };
  std::vector<EntryTime> entryTimes() const;

private:
  struct Entry {
    Entry(const heddle_entry &entry, EntryCall call,
          const heddle_weights &weights);

    const heddle_entry &entry;
    EntryCall call;
    KernelTimes::Observed observed;
    KernelTimes times;
  };

  TimedLibrary(Artifact artifact, WeightsHandle weights,
               heddle_threads &threads)
      : artifact(std::make_unique<Artifact>(std::move(artifact))),
        weights(std::move(weights)), threads(threads) {}

  std::unique_ptr<Artifact> artifact; ///< whose address calls keep
  WeightsHandle weights;
  heddle_threads &threads;
  std::list<Entry> entries; ///< whose addresses observers keep
};

} // namespace heddle

#endif // HEDDLE_COMPILER_TOOLS_HEDDLEC_TIMEDLIBRARY_H
