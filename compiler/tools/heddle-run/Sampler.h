// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Chooses the next token from a model's logits.

#ifndef HEDDLE_TOOLS_SAMPLER_H
#define HEDDLE_TOOLS_SAMPLER_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <random>

namespace heddle {

struct SamplingOptions {
  /// Divides the logits; 0 takes the largest logit and uses no chance.
  double temperature = 0;
  /// Keeps the tokens with the `topK` largest logits; 0 keeps all.
  int32_t topK = 0;
  /// Keeps the most probable tokens until their probabilities reach `topP`, and
  /// always one; 1 keeps all.
  double topP = 1;
  uint64_t seed = 0;
};

/// Draws tokens as the generation of Hugging Face transformers does, in its
/// order: temperature, then top-k, then top-p over what top-k left, then one
/// token by the probabilities of the rest.
///
/// Of equal logits the lower id counts as the larger: top-k keeps exactly k.
/// The same logits, options and seed give the same tokens with every standard
/// library. One object serves one sequence at a time.
class Sampler {
public:
  static llvm::Expected<Sampler> create(const SamplingOptions &options);

  /// The id of the next token. A logit that is NaN or +infinity is an error;
  /// -infinity excludes its token, and not every token may be excluded.
  llvm::Expected<int32_t> next(llvm::ArrayRef<float> logits);

private:
  explicit Sampler(const SamplingOptions &options);

  SamplingOptions options;
  std::mt19937_64 random;
};

} // namespace heddle

#endif // HEDDLE_TOOLS_SAMPLER_H
