// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bench THREADS FOLDER [MODEL...]: measures the machine, then the kernels of
// test/performance/kernels (compiled into FOLDER) and whole models, in one run,
// so that ratios hold on a shared machine. `./dev bench` calls it.

#include "runtime/heddle.h"
#include "test/performance/Machine.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <map>
#include <string>
#include <vector>

static double seconds() {
  return std::chrono::duration<double>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

[[noreturn]] static void fail(const std::string &message) {
  std::fprintf(stderr, "bench: %s\n", message.c_str());
  std::exit(1);
}

namespace {

/// A compiled model with everything that a call needs.
class Artifact {
public:
  Artifact(const std::string &folder, const std::string &name,
           heddle_threads *threads) {
    void *library = dlopen((folder + "/" + name + ".so").c_str(), RTLD_NOW);
    if (!library)
      fail(dlerror());
    model = static_cast<const heddle_model *>(
        dlsym(library, (name + "_model").c_str()));
    heddle_error error;
    if (!model ||
        heddle_weights_open(model, (folder + "/" + name + ".weights").c_str(),
                            0, nullptr, &weights, &error))
      fail(model ? error.message : "no model in " + name);
    context.parallel_for = heddle_threads_parallel_for;
    context.parallel_for_data = threads;
    context.error = &this->error;
    context.observer_data = this;
  }

  /// Runs `entry`; `integers` are the values of i32 inputs by name, ids else.
  void call(const char *entryName, const std::vector<int64_t> &sizes,
            const std::map<std::string, int32_t> &integers = {}) {
    const heddle_entry *entry = heddle_find_entry(model, entryName);
    std::vector<void *> buffers;
    for (uint32_t i = 0; i < entry->argument_count; ++i) {
      const heddle_argument &argument = entry->arguments[i];
      size_t bytes;
      if (heddle_argument_size(entry, i, sizes.data(), &bytes, &error))
        fail(error.message);
      void *&buffer = memory[argument.name];
      if (this->bytes[argument.name] < bytes) {
        buffer = std::aligned_alloc(64, (bytes + 63) / 64 * 64);
        std::memset(buffer, 0, bytes);
        this->bytes[argument.name] = bytes;
      }
      if (argument.type == HEDDLE_TYPE_I32) {
        auto value = integers.find(argument.name);
        for (size_t j = 0; j < bytes / 4; ++j)
          static_cast<int32_t *>(buffer)[j] =
              value == integers.end() ? int32_t(j * 7 % 50) : value->second;
      }
      buffers.push_back(buffer);
    }
    size_t workspaceBytes;
    if (heddle_workspace_size(entry, sizes.data(), &workspaceBytes, &error))
      fail(error.message);
    if (workspace.size() < workspaceBytes + 64)
      workspace.resize(workspaceBytes + 64);
    auto aligned =
        (reinterpret_cast<uintptr_t>(workspace.data()) + 63) / 64 * 64;
    if (heddle_invoke(model, entry, &context, weights, buffers.data(),
                      sizes.data(), reinterpret_cast<void *>(aligned),
                      workspaceBytes))
      fail(error.message);
  }

  /// Seconds of launch `launch`, the shortest of many calls.
  double timeKernel(uint32_t launch, const std::vector<int64_t> &sizes,
                    const std::map<std::string, int32_t> &integers = {}) {
    watched = launch;
    best = 1e30;
    context.observer = observe;
    double end = seconds() + 1.0;
    for (int i = 0; i < 10 || seconds() < end; ++i)
      call("run", sizes, integers);
    context.observer = nullptr;
    return best;
  }

private:
  static void observe(void *data, const heddle_kernel_event *event) {
    auto *self = static_cast<Artifact *>(data);
    if (event->launch != self->watched)
      return;
    if (event->finished)
      self->best = std::min(self->best, seconds() - self->start);
    else
      self->start = seconds();
  }

  const heddle_model *model = nullptr;
  heddle_weights *weights = nullptr;
  heddle_context context = {};
  heddle_error error;
  std::map<std::string, void *> memory;
  std::map<std::string, size_t> bytes;
  std::vector<char> workspace;
  uint32_t watched = 0;
  double start = 0, best = 0;
};

} // namespace

static void printRate(const char *what, double rate, double peak,
                      const char *unit) {
  std::printf("%-44s %8.1f %s  %5.1f%% of peak\n", what, rate, unit,
              100 * rate / peak);
}

int main(int argc, char **argv) {
  if (argc < 3)
    fail("usage: bench THREADS FOLDER [MODEL...]");
  int count = std::atoi(argv[1]);
  std::string folder = argv[2];
  heddle_threads *threads;
  heddle_error error;
  if (heddle_threads_create(count, nullptr, &threads, &error))
    fail(error.message);
  count = heddle_threads_count(threads);
  double peak = measureFloatPeak(count), bpeak = measureBFloatPeak(count);
  double bandwidth = measureReadBandwidth(count);
  std::printf("threads %d\n", count);
  std::printf("%-44s %8.1f GFLOP/s\n", "f32 multiply-add peak", peak);
  if (bpeak)
    std::printf("%-44s %8.1f GFLOP/s\n", "bf16 dot product peak", bpeak);
  else
    std::printf("%-44s     none\n", "bf16 dot product peak");
  std::printf("%-44s %8.1f GB/s\n", "read bandwidth", bandwidth);

  auto gemm = [&](const char *name, int64_t m, int64_t n, int64_t k) {
    Artifact artifact(folder, name, threads);
    double time = artifact.timeKernel(1, {m});
    std::string what = "gemm f32 " + std::to_string(m) + "x" +
                       std::to_string(k) + "x" + std::to_string(n);
    printRate(what.c_str(), 2.0 * m * n * k / time / 1e9, peak, "GFLOP/s");
  };
  gemm("gemm_768x3072", 512, 3072, 768);
  gemm("gemm_768x768", 128, 768, 768);

  auto attention = [&](const char *name, int64_t length, double useful) {
    Artifact artifact(folder, name, threads);
    double time = artifact.timeKernel(
        1, {1, length, length}, {{"starts", 0}, {"lengths", int32_t(length)}});
    double flops = 4.0 * 12 * length * length * 64 * useful;
    std::string what =
        std::string(name) + " 12 heads d=64 L=" + std::to_string(length);
    printRate(what.c_str(), flops / time / 1e9, peak, "GFLOP/s");
  };
  for (int64_t length : {512, 2048}) {
    attention("attention_full", length, 1.0);
    attention("attention_causal", length, 0.5);
  }

  auto gemv = [&](const char *name, double bytes) {
    Artifact artifact(folder, name, threads);
    double time = artifact.timeKernel(1, {1});
    printRate(name, 4096.0 * 4096 * bytes / time / 1e9, bandwidth, "GB/s   ");
  };
  gemv("gemv_4096x4096", 4);
  gemv("gemv_4096x4096_bf16", 2);

  for (int i = 3; i < argc; ++i) {
    Artifact model(folder, argv[i], threads);
    const int64_t prompt = 128, tokens = 32, capacity = 256;
    std::map<std::string, int32_t> first = {{"starts", 0},
                                            {"lengths", int32_t(prompt)}};
    model.call("prefill", {1, prompt, capacity}, first);
    double start = seconds();
    model.call("prefill", {1, prompt, capacity}, first);
    double prefill = seconds() - start;
    start = seconds();
    for (int32_t token = 0; token < tokens; ++token)
      model.call("decode", {1, capacity},
                 {{"starts", int32_t(prompt + token)}, {"lengths", 1}});
    double decode = seconds() - start;
    std::printf("%-44s %8.1f tokens/s prefill (128)  %8.1f tokens/s decode\n",
                argv[i], prompt / prefill, tokens / decode);
  }
  heddle_threads_destroy(threads);
  return 0;
}
