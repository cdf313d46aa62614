// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/heddle-run/Session.h"

using namespace heddle;
using namespace llvm;

Expected<Session> Session::open(
    const ArtifactOptions &options, const ThreadOptions &threadOptions,
    function_ref<Expected<LanguageModel::Sizes>(int64_t)> chooseSizes) {
  Expected<Artifact> artifact = Artifact::load(options.artifact);
  if (!artifact)
    return artifact.takeError();
  Expected<int64_t> positions = LanguageModel::positions(*artifact);
  if (!positions)
    return positions.takeError();
  Expected<LanguageModel::Sizes> sizes = chooseSizes(*positions);
  if (!sizes)
    return sizes.takeError();
  Expected<WeightsHandle> weights = artifact->openWeights(options.weights);
  if (!weights)
    return weights.takeError();
  Expected<ThreadsHandle> threads = threadOptions.create();
  if (!threads)
    return threads.takeError();
  Expected<LanguageModel> model =
      LanguageModel::create(*artifact, **weights, **threads, *sizes);
  if (!model)
    return model.takeError();
  return Session{std::move(*artifact), std::move(*weights), std::move(*threads),
                 std::move(*model)};
}
