// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/heddle-run/LanguageModel.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Error.h"

using namespace heddle;
using namespace llvm;

// The entry point `name` of a model that continues sequences.
static Expected<const heddle_entry *> findStep(const Artifact &artifact,
                                               StringRef name) {
  if (const heddle_entry *entry =
          heddle_find_entry(&artifact.model(), name.str().c_str()))
    return entry;
  return createStringError("model '" + Twine(artifact.model().name) +
                           "' does not continue sequences: it has no entry "
                           "point '" +
                           name + "'");
}

Expected<int64_t> LanguageModel::positions(const Artifact &artifact) {
  Expected<const heddle_entry *> entry = findStep(artifact, "prefill");
  if (!entry)
    return entry.takeError();
  if (std::optional<uint32_t> symbol = findSymbol(**entry, "capacity"))
    return (*entry)->symbols[*symbol].maximum;
  return createStringError("entry point 'prefill' has no size 'capacity'");
}

Expected<LanguageModel::Step>
LanguageModel::createStep(const Artifact &artifact, StringRef name,
                          Sizes sizes) {
  Expected<const heddle_entry *> entry = findStep(artifact, name);
  if (!entry)
    return entry.takeError();
  std::vector<int64_t> values;
  for (uint32_t s = 0; s < (*entry)->symbol_count; ++s) {
    StringRef symbol = (*entry)->symbols[s].name;
    if (symbol != "batch" && symbol != "length" && symbol != "capacity")
      return createStringError("entry point '" + name + "' has a size '" +
                               symbol +
                               "', expected batch, length and capacity");
    values.push_back(symbol == "batch"    ? sizes.batch
                     : symbol == "length" ? sizes.length
                                          : sizes.capacity);
  }
  const char *const names[] = {"ids", "starts", "lengths", "cache", "logits"};
  uint32_t found[std::size(names)];
  for (auto [argument, index] : zip(names, found)) {
    std::optional<uint32_t> position = findArgument(**entry, argument);
    if (!position)
      return createStringError("entry point '" + name + "' has no argument '" +
                               argument + "'");
    index = *position;
  }
  if ((*entry)->arguments[found[4]].type != HEDDLE_TYPE_F32)
    return createStringError("the logits of entry point '" + name +
                             "' are not f32");
  auto call = EntryCall::create(artifact, **entry, std::move(values));
  if (!call)
    return call.takeError();
  return Step{std::move(*call), found[0], found[1],
              found[2],         found[3], found[4]};
}

Expected<LanguageModel> LanguageModel::create(const Artifact &artifact,
                                              const heddle_weights &weights,
                                              heddle_threads &threads,
                                              Sizes sizes) {
  Expected<Step> prefillStep = createStep(artifact, "prefill", sizes);
  if (!prefillStep)
    return prefillStep.takeError();
  Expected<Step> decodeStep = createStep(artifact, "decode", sizes);
  if (!decodeStep)
    return decodeStep.takeError();
  decodeStep->call.share(decodeStep->cache, prefillStep->call,
                         prefillStep->cache);
  LanguageModel model(std::move(*prefillStep), std::move(*decodeStep));
  model.weights = &weights;
  model.context.parallel_for = heddle_threads_parallel_for;
  model.context.parallel_for_data = &threads;
  model.sizes = sizes;
  return model;
}

int64_t LanguageModel::vocabularySize() const {
  return prefillStep.call.shape(prefillStep.logits).back();
}

Error LanguageModel::run(Step &step, ArrayRef<int32_t> ids, int64_t length) {
  copy(ids, step.call.integers(step.ids).begin());
  fill(step.call.integers(step.starts), static_cast<int32_t>(filled));
  fill(step.call.integers(step.lengths), static_cast<int32_t>(length));
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

ArrayRef<float> LanguageModel::logits(int64_t sequence) const {
  size_t size = static_cast<size_t>(vocabularySize());
  const Step &last = hasDecoded ? decodeStep : prefillStep;
  return last.call.floats(last.logits).slice(sequence * size, size);
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
