// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How long each kernel of a model takes, and the weights that it reads.

#ifndef HEDDLE_COMPILER_TOOLS_COMMON_KERNELTIMES_H
#define HEDDLE_COMPILER_TOOLS_COMMON_KERNELTIMES_H

#include "runtime/heddle.h"

#include "llvm/Support/raw_ostream.h"

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace heddle {

/// The lower middle of `values`, which are not empty.
double median(std::vector<double> values);

/// What the calls of one entry point that it observes take. Each launch counts
/// with its median: other programs disturb a few.
class KernelTimes {
public:
  /// Whose kernels are observed, and by whom, if anybody: the data of
  /// `onEvent`, for the context of a session.
  struct Observed {
    const heddle_weights &weights;
    int64_t vocabulary; ///< -1 where there is none
    int64_t batch;
    heddle_stream *stream; ///< where a device runs the kernels
    KernelTimes *observer = nullptr;
  };
  /// A heddle_observer.
  static void onEvent(void *data, const heddle_kernel_event *event);

  /// Observes until this is destroyed; `observed` must outlive it.
  explicit KernelTimes(Observed &observed) : observed(observed) {
    observed.observer = this;
  }
  ~KernelTimes() { observed.observer = nullptr; }
  KernelTimes(const KernelTimes &) = delete;

  /// The time and the launches of a kernel in one call.
  struct Kernel {
    std::string name;
    double microseconds = 0;
    int launches = 0;
  };
  /// The slowest first.
  std::vector<Kernel> kernels() const;
  /// One line of each: share, microseconds and launches.
  void print(llvm::raw_ostream &out) const;

  /// Forgets the calls so far.
  void clear() { launches.clear(); }

  /// Bytes of the distinct buffers of weights that the kernels of one decode
  /// step read. Of a table with a row for each id, of which a kernel that reads
  /// integers, too, reads the rows of those, one for each sequence counts.
  uint64_t weightBytes() const;

private:
  struct Launch {
    std::string kernel;
    std::vector<double> microseconds;
  };

  void note(const heddle_kernel_event &event);
  void noteWeights(const heddle_kernel_event &event);

  Observed &observed;
  /// By position in the entry point.
  std::map<uint32_t, Launch> launches;
  /// Bytes that are read at each address, at most.
  std::map<const void *, uint64_t> weights;
  std::chrono::steady_clock::time_point begin;
};

} // namespace heddle

#endif // HEDDLE_COMPILER_TOOLS_COMMON_KERNELTIMES_H
