// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/heddle-run/LanguageModel.h"

#include "llvm/ADT/STLExtras.h"

using namespace heddle;
using namespace llvm;

static Expected<heddle_decoder> findDecoder(const Artifact &artifact) {
  heddle_decoder decoder = {};
  heddle_error error = {};
  if (Error failure = toError(
          heddle_find_decoder(&artifact.model(), &decoder, &error), error))
    return failure;
  return decoder;
}

Expected<int64_t> LanguageModel::positions(const Artifact &artifact) {
  Expected<heddle_decoder> decoder = findDecoder(artifact);
  if (!decoder)
    return decoder.takeError();
  const heddle_step &prefill = decoder->prefill;
  return prefill.entry->symbols[prefill.capacity].maximum;
}

Expected<LanguageModel::Step>
LanguageModel::createStep(const Artifact &artifact, const heddle_step &step,
                          Sizes sizes, const Step *before) {
  std::vector<int64_t> values(HEDDLE_STEP_SIZES);
  heddle_step_sizes(&step, sizes.batch, sizes.length, sizes.capacity,
                    values.data());
  values.resize(step.entry->symbol_count);
  std::optional<EntryCall::Shared> cache;
  if (before)
    cache = {step.cache, before->call.bytes(before->cache)};
  auto call =
      EntryCall::create(artifact, *step.entry, std::move(values), cache);
  if (!call)
    return call.takeError();
  return Step{step, std::move(*call)};
}

Expected<LanguageModel> LanguageModel::create(const Artifact &artifact,
                                              const heddle_weights &weights,
                                              heddle_threads &threads,
                                              Sizes sizes) {
  Expected<heddle_decoder> decoder = findDecoder(artifact);
  if (!decoder)
    return decoder.takeError();
  Expected<Step> prefillStep = createStep(artifact, decoder->prefill, sizes);
  if (!prefillStep)
    return prefillStep.takeError();
  Expected<Step> decodeStep =
      createStep(artifact, decoder->decode, sizes, &*prefillStep);
  if (!decodeStep)
    return decodeStep.takeError();
  LanguageModel model(std::move(*prefillStep), std::move(*decodeStep));
  model.weights = &weights;
  model.context.parallel_for = heddle_threads_parallel_for;
  model.context.parallel_for_data = &threads;
  model.sizes = sizes;
  return model;
}

int64_t LanguageModel::vocabularySize() const { return prefillStep.vocabulary; }

Error LanguageModel::run(Step &step, ArrayRef<int32_t> ids, int64_t length) {
  step.call.store(step.ids, ids);
  step.call.fill(step.starts, filled);
  step.call.fill(step.lengths, length);
  if (Error error = step.call.invoke(weights, context))
    return error;
  filled += length;
  return Error::success();
}

Error LanguageModel::prefill(ArrayRef<int32_t> ids) {
  filled = 0;
  hasDecoded = false;
  return run(prefillStep, ids, sizes.length);
}

Error LanguageModel::decode(ArrayRef<int32_t> ids) {
  hasDecoded = true;
  return run(decodeStep, ids, 1);
}

Error LanguageModel::reorder(ArrayRef<int32_t> parents) {
  return decodeStep.call.reorder(decodeStep.cache, parents);
}

ArrayRef<float> LanguageModel::logits() const {
  const Step &last = hasDecoded ? decodeStep : prefillStep;
  return last.call.floats(last.logits);
}

void LanguageModel::observe(heddle_observer observer, void *data) {
  context.observer = observer;
  context.observer_data = data;
}

bool LanguageModel::contains(const void *pointer) const {
  return prefillStep.call.contains(pointer) ||
         decodeStep.call.contains(pointer);
}

bool LanguageModel::isIds(const void *pointer) const {
  return pointer == prefillStep.call.bytes(prefillStep.ids).data() ||
         pointer == decodeStep.call.bytes(decodeStep.ids).data();
}
