// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/heddle-run/LoadedModel.h"

using namespace heddle;
using namespace llvm;

Expected<LoadedModel> LoadedModel::open(const ArtifactNames &names,
                                        const ThreadOptions &threadOptions,
                                        Check check) {
  Expected<Artifact> artifact = Artifact::load(names.artifact, names.target);
  if (!artifact)
    return artifact.takeError();
  if (check)
    if (Error failure = check(artifact->model()))
      return failure;
  Expected<WeightsHandle> weights = artifact->openWeights(names.weights);
  if (!weights)
    return weights.takeError();
  Expected<ThreadsHandle> threads = threadOptions.create();
  if (!threads)
    return threads.takeError();
  std::unique_ptr<DeviceSession> device;
  if (artifact->model().device_kind != HEDDLE_DEVICE_NONE) {
    auto opened = DeviceSession::open(artifact->model(), **weights);
    if (!opened)
      return opened.takeError();
    device = std::move(*opened);
  }
  return LoadedModel{std::move(*artifact), std::move(*weights),
                     std::move(*threads), std::move(device)};
}

Expected<LoadedModel> LoadedModel::openDecoder(
    const ArtifactNames &names, const ThreadOptions &threadOptions,
    function_ref<Error(const heddle_model &, const heddle_decoder &)> check) {
  return open(names, threadOptions, [&](const heddle_model &model) -> Error {
    heddle_decoder decoder = {};
    heddle_error error = {};
    if (Error failure =
            toError(heddle_find_decoder(&model, &decoder, &error), error))
      return failure;
    return check(model, decoder);
  });
}

heddle_context LoadedModel::context() const {
  heddle_context context = {};
  context.parallel_for = heddle_threads_parallel_for;
  context.parallel_for_data = threads.get();
  context.stream = device ? &device->stream() : nullptr;
  return context;
}
