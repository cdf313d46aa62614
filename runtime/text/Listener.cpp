// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "runtime/text/Listener.h"

#include "runtime/text/Failure.h"

#include <algorithm>

using namespace heddle::text;

static bool isFloats(const heddle_argument &argument, uint32_t kind) {
  return argument.kind == kind && argument.type == HEDDLE_TYPE_F32;
}

Listener::Listener(const heddle_model &model, const heddle_source_step &encode,
                   const heddle_weights *weights,
                   const heddle_context *context) {
  const heddle_entry *entry = heddle_find_entry(&model, "features");
  bool isKnown = entry && entry->argument_count == 2 &&
                 entry->symbol_count == 1 &&
                 isFloats(entry->arguments[input], HEDDLE_ARGUMENT_INPUT) &&
                 isFloats(entry->arguments[output], HEDDLE_ARGUMENT_OUTPUT) &&
                 entry->arguments[input].rank == 2;
  heddle_error error = {};
  const int64_t batch = 1;
  if (isKnown)
    check(heddle_argument_size(entry, input, &batch, &samples, &error), error);
  if (samples == 0)
    throw Failure(std::string("model '") + model.name +
                  "' has no entry point 'features' that takes samples as f32 "
                  "[batch, count] and gives what its encoder reads");
  samples /= sizeof(float);
  call.emplace(model, *entry, weights, context);
  call->reserve({1});
  check(heddle_argument_size(entry, output, &batch, &featureCount, &error),
        error);
  size_t taken = 0;
  int64_t sizes[HEDDLE_STEP_SIZES] = {};
  sizes[encode.batch] = 1;
  check(heddle_argument_size(encode.entry, encode.input, sizes, &taken, &error),
        error);
  if (taken != featureCount ||
      encode.entry->arguments[encode.input].type != HEDDLE_TYPE_F32)
    throw Failure(std::string("model '") + model.name +
                  "': expected an entry point 'features' that gives what "
                  "'encode' takes, f32 of " +
                  std::to_string(taken) + " bytes, found " +
                  std::to_string(featureCount));
  featureCount /= sizeof(float);
}

const float *Listener::run(const float *recording, size_t count) {
  auto *to = call->argument<float>(input);
  std::fill(std::copy_n(recording, std::min(count, samples), to), to + samples,
            0.0f);
  call->run();
  return call->argument<float>(output);
}
