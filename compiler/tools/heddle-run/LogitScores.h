// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How well logits expect a text, and how far those of two models are apart.

#ifndef HEDDLE_TOOLS_LOGITSCORES_H
#define HEDDLE_TOOLS_LOGITSCORES_H

#include "llvm/ADT/ArrayRef.h"

#include <cstdint>

namespace heddle {

/// Of ids that logits were asked for: exp(-mean of log p), where p is the
/// probability of the id that came.
class Perplexity {
public:
  /// `next` came after what `logits` [vocabulary] follow.
  void add(llvm::ArrayRef<float> logits, int32_t next);

  int64_t count() const { return ids; }
  double value() const;

private:
  int64_t ids = 0;
  double sum = 0; ///< of -log p
};

/// Of logits from those of a reference at the same places. What all logits of a
/// place have in common changes no probability and is left out.
class LogitDistance {
public:
  void add(llvm::ArrayRef<float> logits, llvm::ArrayRef<float> reference);

  /// The root mean square of differences, in parts of the reference's standard
  /// deviation.
  double error() const;
  /// The mean of sum p log(p / q), for the probabilities p of the reference and
  /// q of the others: the Kullback-Leibler divergence, in nats.
  double divergence() const;
  /// The part of the places whose likeliest id is another.
  double otherChoices() const;

private:
  int64_t places = 0, others = 0;
  double differences = 0, squares = 0, divergences = 0;
};

} // namespace heddle

#endif // HEDDLE_TOOLS_LOGITSCORES_H
