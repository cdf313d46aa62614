// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Recordings as what an encoder reads.

#ifndef HEDDLE_TEXT_LISTENER_H
#define HEDDLE_TEXT_LISTENER_H

#include "runtime/text/EntryCall.h"

#include <optional>

namespace heddle::text {

/// Calls a model's entry point `features`, f32 samples [batch, count] -> f32
/// [batch, ...], which is what its encoder takes.
class Listener {
public:
  /// Fails where the model has none, or `encode` does not take what it gives.
  /// All must outlive this.
  Listener(const heddle_model &model, const heddle_source_step &encode,
           const heddle_weights *weights, const heddle_context *context);

  /// How many samples a call reads.
  size_t window() const { return samples; }
  /// The features of `count` samples and silence behind them: `size()` numbers,
  /// valid until the next call.
  const float *run(const float *recording, size_t count);
  size_t size() const { return featureCount; }

private:
  std::optional<EntryCall> call;
  static constexpr uint32_t input = 0, output = 1; ///< arguments
  size_t samples = 0, featureCount = 0;
};

} // namespace heddle::text

#endif // HEDDLE_TEXT_LISTENER_H
