// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/performance/Artifact.h"
#include "test/performance/Machine.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <fstream>
#include <limits>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

void fail(const std::string &message) {
  std::fprintf(stderr, "bench: %s\n", message.c_str());
  std::exit(1);
}

Artifact::Artifact(const std::string &folder, const std::string &name,
                   heddle_threads *threads, size_t copies) {
  void *library = dlopen((folder + "/" + name + ".so").c_str(), RTLD_NOW);
  if (!library)
    fail(dlerror());
  model = static_cast<const heddle_model *>(
      dlsym(library, (name + "_model").c_str()));
  if (!model)
    fail("no model in " + name);
  openWeights(folder + "/" + name + ".weights", copies);
  context.parallel_for = heddle_threads_parallel_for;
  context.parallel_for_data = threads;
  context.error = &error;
  context.observer_data = this;
}

// A file in memory with the contents of `path`; a descriptor.
static int copyToMemory(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  int copy = memfd_create("weights", MFD_CLOEXEC);
  std::vector<char> block(1 << 20);
  while (file.read(block.data(), block.size()), file.gcount() > 0)
    if (copy < 0 || write(copy, block.data(), file.gcount()) != file.gcount())
      fail("no memory for a copy of " + path);
  return copy;
}

// Two mappings of one file would share their memory, and so the CPU's caches.
// Copies are files in memory, so that the runtime maps them as it maps any.
void Artifact::openWeights(const std::string &path, size_t copies) {
  for (size_t i = 0; i < copies; ++i) {
    int file = copies > 1 ? copyToMemory(path) : -1;
    std::string name =
        file < 0 ? path : "/proc/self/fd/" + std::to_string(file);
    heddle_weights *opened;
    if (heddle_weights_open(model, name.c_str(), 0, nullptr, &opened, &error))
      fail(error.message);
    weights.emplace_back(opened, heddle_weights_close);
    if (file >= 0)
      close(file);
  }
}

std::vector<std::string_view> Artifact::weightsMemory() const {
  std::vector<std::string_view> memory;
  for (const auto &opened : weights) {
    size_t size;
    auto *data =
        static_cast<const char *>(heddle_weights_data(opened.get(), &size));
    memory.push_back({data, size});
  }
  return memory;
}

void *Artifact::Buffer::reserve(size_t size) {
  if (bytes < size) {
    size = (size + HEDDLE_ALIGNMENT - 1) / HEDDLE_ALIGNMENT * HEDDLE_ALIGNMENT;
    memory = Memory(std::aligned_alloc(HEDDLE_ALIGNMENT, size), std::free);
    if (!memory)
      fail("no memory for a buffer of " + std::to_string(size) + " bytes");
    auto *values = static_cast<float *>(memory.get());
    for (size_t i = 0; i < size / sizeof(float); ++i)
      values[i] = float(uint32_t(i * 2654435761u) >> 8) * 0x1p-24f - 0.5f;
    bytes = size;
  }
  return memory.get();
}

void *Artifact::argument(const heddle_entry *entry, uint32_t index,
                         const Call &call) {
  const heddle_argument &argument = entry->arguments[index];
  size_t bytes;
  if (heddle_argument_size(entry, index, call.sizes.data(), &bytes, &error))
    fail(error.message);
  std::vector<Buffer> &copies = buffers[argument.name];
  if (copies.empty())
    copies.resize(weights.size());
  void *data = copies[copy % copies.size()].reserve(bytes);
  auto given = call.integers.find(argument.name);
  auto fill = [&](auto *values) {
    for (size_t i = 0; i < bytes / sizeof(*values); ++i)
      values[i] = given == call.integers.end()
                      ? int32_t(i * 7 % call.vocabulary)
                      : given->second;
  };
  if (argument.type == HEDDLE_TYPE_I32)
    fill(static_cast<int32_t *>(data));
  else if (argument.type == HEDDLE_TYPE_I64)
    fill(static_cast<int64_t *>(data));
  return data;
}

const heddle_entry *Artifact::find(const std::string &name) const {
  const heddle_entry *entry = heddle_find_entry(model, name.c_str());
  if (!entry)
    fail("no entry point " + name);
  return entry;
}

std::vector<int64_t>
Artifact::sizes(const std::string &entry,
                const std::map<std::string, int64_t> &values) const {
  const heddle_entry *found = find(entry);
  std::vector<int64_t> sizes;
  for (uint32_t i = 0; i < found->symbol_count; ++i) {
    const char *name = found->symbols[i].name;
    auto value = values.find(name);
    if (value == values.end())
      fail(entry + ": no value for the size " + name);
    sizes.push_back(value->second);
  }
  return sizes;
}

void Artifact::run(const Call &call) {
  const heddle_entry *entry = find(call.entry);
  std::vector<void *> arguments;
  for (uint32_t i = 0; i < entry->argument_count; ++i)
    arguments.push_back(argument(entry, i, call));
  size_t bytes;
  if (heddle_workspace_size(entry, call.sizes.data(), &bytes, &error))
    fail(error.message);
  lastKernel = entry->kernel_count - 1;
  if (heddle_invoke(model, entry, &context, weights[copy].get(),
                    arguments.data(), call.sizes.data(),
                    workspace.reserve(bytes), bytes))
    fail(error.message);
  copy = (copy + 1) % weights.size();
}

// The shortest of the times that `round` returns in some 0.2 s.
static double shortestOf(const std::function<double()> &round) {
  double best = std::numeric_limits<double>::infinity();
  double end = seconds() + 0.2;
  do
    best = std::min(best, round());
  while (seconds() < end);
  return best;
}

// For one call of a round. The first round makes arguments and is not timed.
double Artifact::timeRounds(const std::function<double()> &round) {
  if (!std::exchange(hasArguments, true))
    round();
  return shortestOf([&] { return round() / double(weights.size()); });
}

double Artifact::time(const std::function<void()> &run) const {
  return shortestOf([&] {
    double start = seconds();
    run();
    return seconds() - start;
  });
}

double Artifact::timeLastKernel(const Call &call) {
  context.observer = observe;
  double best = timeRounds([&] {
    kernelSeconds = 0;
    for (size_t i = 0; i < weights.size(); ++i)
      run(call);
    return kernelSeconds;
  });
  context.observer = nullptr;
  return best;
}

double Artifact::timeCall(const Call &call) {
  return timeRounds([&] {
    double start = seconds();
    for (size_t i = 0; i < weights.size(); ++i)
      run(call);
    return seconds() - start;
  });
}

void Artifact::observe(void *data, const heddle_kernel_event *event) {
  auto *self = static_cast<Artifact *>(data);
  if (event->launch != self->lastKernel)
    return;
  if (event->finished)
    self->kernelSeconds += seconds() - self->started;
  else
    self->started = seconds();
}
