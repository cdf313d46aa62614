// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A compiled model with everything that a call needs.

#ifndef HEDDLE_TEST_PERFORMANCE_ARTIFACT_H
#define HEDDLE_TEST_PERFORMANCE_ARTIFACT_H

#include "runtime/heddle.h"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// Prints `message` and ends the program.
[[noreturn]] void fail(const std::string &message);

/// One call of an entry point. Inputs of integers hold the value given here for
/// their name; the others are token ids, of which any will do.
struct Call {
  std::string entry;
  std::vector<int64_t> sizes;
  std::map<std::string, int32_t> integers;
  int32_t vocabulary = 50; ///< token ids are below
};

class Artifact {
public:
  /// Loads FOLDER/NAME.so with FOLDER/NAME.weights. With several `copies`, of
  /// weights as of arguments, each call uses the next one, so that none finds
  /// in a cache of the CPU what an earlier call has read.
  Artifact(const std::string &folder, const std::string &name,
           heddle_threads *threads, size_t copies = 1);
  Artifact(const Artifact &) = delete;
  Artifact &operator=(const Artifact &) = delete;

  void run(const Call &call);

  /// The sizes of an entry point, in its order, by their names.
  std::vector<int64_t>
  sizes(const std::string &entry,
        const std::map<std::string, int64_t> &values) const;

  /// The weights of each copy.
  std::vector<std::string_view> weightsMemory() const;

  /// Seconds of a call's last kernel: the average over one call with each
  /// copy, and of such rounds the shortest in some 0.2 s.
  double timeLastKernel(const Call &call);
  /// The same of whole calls.
  double timeCall(const Call &call);
  /// The shortest time of `run`, which calls this, in some 0.2 s.
  double time(const std::function<void()> &run) const;

private:
  using Memory = std::unique_ptr<void, void (*)(void *)>;
  struct Buffer {
    Memory memory{nullptr, nullptr};
    size_t bytes = 0;
    /// At least `size` bytes of numbers from -0.5 to 0.5: not zeros, of
    /// which a virtual machine's host may keep one page for all.
    void *reserve(size_t size);
  };

  double timeRounds(const std::function<double()> &round);
  const heddle_entry *find(const std::string &name) const;
  static void observe(void *data, const heddle_kernel_event *event);
  void openWeights(const std::string &path, size_t copies);
  void *argument(const heddle_entry *entry, uint32_t index, const Call &call);

  const heddle_model *model;
  heddle_context context = {};
  heddle_error error;
  std::vector<std::shared_ptr<heddle_weights>> weights; ///< one a copy
  std::map<std::string, std::vector<Buffer>> buffers;   ///< by argument
  Buffer workspace;
  size_t copy = 0; ///< that the next call uses
  bool hasArguments = false;
  uint32_t lastKernel = 0;
  double started = 0, kernelSeconds = 0;
};

#endif // HEDDLE_TEST_PERFORMANCE_ARTIFACT_H
