// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/heddlec/TimedLibrary.h"

using namespace llvm;
using namespace heddle;

TimedLibrary::Entry::Entry(const heddle_entry &entry, EntryCall call,
                           const heddle_weights &weights)
    : entry(entry), call(std::move(call)),
      observed{weights, /*vocabulary=*/-1, /*batch=*/1, /*stream=*/nullptr},
      times(observed) {}

Expected<TimedLibrary>
TimedLibrary::load(StringRef path, StringRef weightsPath,
                   heddle_threads &threads, StringRef name,
                   const std::map<std::string, int64_t> &sizes) {
  auto artifact = Artifact::load(path, "cpu");
  if (!artifact)
    return artifact.takeError();
  auto weights = artifact->openWeights(weightsPath);
  if (!weights)
    return weights.takeError();
  TimedLibrary library(std::move(*artifact), std::move(*weights), threads);
  const heddle_model &model = library.artifact->model();
  for (uint32_t e = 0; e < model.entry_count; ++e) {
    const heddle_entry &entry = *model.entries[e];
    if (!name.empty() && name != entry.name)
      continue;
    auto call = makeUpCall(*library.artifact, entry, sizes);
    if (!call)
      return call.takeError();
    library.entries.emplace_back(entry, std::move(*call), *library.weights);
  }
  return library;
}

Error TimedLibrary::call() {
  for (Entry &entry : entries) {
    heddle_context context = {};
    context.parallel_for = heddle_threads_parallel_for;
    context.parallel_for_data = &threads;
    context.observer = KernelTimes::onEvent;
    context.observer_data = &entry.observed;
    if (Error error = entry.call.invoke(weights.get(), context))
      return error;
  }
  return Error::success();
}

void TimedLibrary::clear() {
  for (Entry &entry : entries)
    entry.times.clear();
}

StringMap<double> TimedLibrary::kernelTimes() const {
  StringMap<double> times;
  for (const Entry &entry : entries)
    for (const KernelTimes::Kernel &kernel : entry.times.kernels())
      times[kernel.name] += kernel.microseconds;
  return times;
}

std::vector<TimedLibrary::EntryTime> TimedLibrary::entryTimes() const {
  std::vector<EntryTime> times;
  for (const Entry &entry : entries) {
    double sum = 0;
    for (const KernelTimes::Kernel &kernel : entry.times.kernels())
      sum += kernel.microseconds;
    times.push_back({describeCall(entry.entry, entry.call.sizes()), sum});
  }
  return times;
}
