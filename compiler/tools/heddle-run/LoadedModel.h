// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// A language model as the command line names it, ready to run.

#ifndef HEDDLE_TOOLS_LOADEDMODEL_H
#define HEDDLE_TOOLS_LOADEDMODEL_H

#include "compiler/Support/DeviceSession.h"
#include "compiler/tools/heddle-run/Commands.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace heddle {

struct LoadedModel {
  using Check = llvm::function_ref<llvm::Error(const heddle_model &model)>;

  /// `check` is told what the model is before its weights are opened; it may
  /// fail.
  static llvm::Expected<LoadedModel> open(const ArtifactNames &names,
                                          const ThreadOptions &threadOptions,
                                          Check check = nullptr);
  /// A model that has prefill and decode, opened the same way.
  static llvm::Expected<LoadedModel>
  openDecoder(const ArtifactNames &names, const ThreadOptions &threadOptions,
              llvm::function_ref<llvm::Error(const heddle_model &model,
                                             const heddle_decoder &decoder)>
                  check);

  /// Of its sequences, at most.
  static int64_t positionsOf(const heddle_decoder &decoder) {
    const heddle_step &step = decoder.prefill;
    return step.entry->symbols[step.capacity].maximum;
  }

  /// Of calls that run on the threads, or on the device.
  heddle_context context() const;
  /// That calls are given.
  const heddle_weights &callWeights() const {
    return *(device ? &device->weights() : weights.get());
  }

  // What comes later uses what comes before.
  Artifact artifact;
  WeightsHandle weights;
  ThreadsHandle threads;
  std::unique_ptr<DeviceSession> device; ///< null where the CPU runs the model
};

} // namespace heddle

#endif // HEDDLE_TOOLS_LOADEDMODEL_H
