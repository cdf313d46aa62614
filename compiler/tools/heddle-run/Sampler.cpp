// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/heddle-run/Sampler.h"

#include "llvm/ADT/STLExtras.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

using namespace llvm;
using namespace heddle;

Expected<Sampler> Sampler::create(const SamplingOptions &options) {
  if (!std::isfinite(options.temperature) || options.temperature < 0)
    return createStringError("expected a finite temperature >= 0, got " +
                             std::to_string(options.temperature));
  if (options.topK < 0)
    return createStringError("expected top-k >= 0, got " +
                             std::to_string(options.topK));
  if (!(options.topP >= 0 && options.topP <= 1))
    return createStringError("expected top-p in [0, 1], got " +
                             std::to_string(options.topP));
  return Sampler(options);
}

Sampler::Sampler(const SamplingOptions &options)
    : options(options), random(options.seed) {}

/// The id of the largest logit, of equal ones the lowest.
static Expected<int32_t> largest(ArrayRef<float> logits) {
  if (logits.empty())
    return createStringError("expected at least one logit");
  int32_t best = 0;
  for (auto [id, logit] : enumerate(logits)) {
    if (std::isnan(logit) || logit == HUGE_VALF)
      return createStringError("logit of token " + std::to_string(id) +
                               ": expected a number below infinity, got " +
                               std::to_string(logit));
    if (logit > logits[best])
      best = id;
  }
  if (logits[best] == -HUGE_VALF)
    return createStringError("expected a logit above -infinity, got none");
  return best;
}

/// In [0, 1). std::uniform_real_distribution differs between libraries.
static double uniform(std::mt19937_64 &random) {
  return double(random() >> 11) * 0x1p-53;
}

Expected<int32_t> Sampler::next(ArrayRef<float> logits) {
  Expected<int32_t> best = largest(logits);
  if (!best || options.temperature == 0)
    return best;

  std::vector<int32_t> ids(logits.size());
  std::iota(ids.begin(), ids.end(), 0);
  auto larger = [&](int32_t a, int32_t b) {
    return logits[a] != logits[b] ? logits[a] > logits[b] : a < b;
  };
  // Dividing by the temperature keeps the order, so top-k can come first.
  if (options.topK > 0 && size_t(options.topK) < ids.size()) {
    std::nth_element(ids.begin(), ids.begin() + options.topK, ids.end(),
                     larger);
    ids.resize(options.topK);
  }
  // With top-p off the order is free, but it must not depend on nth_element.
  if (options.topP < 1)
    llvm::sort(ids, larger);
  else
    llvm::sort(ids);

  // Probabilities up to a common factor; the largest logit gets 1.
  std::vector<double> weights;
  for (int32_t id : ids)
    weights.push_back(
        std::exp((double(logits[id]) - logits[*best]) / options.temperature));
  if (options.topP < 1) {
    double enough =
        options.topP * std::accumulate(weights.begin(), weights.end(), 0.0);
    size_t kept = 0;
    for (double sum = 0; kept == 0 || (kept < ids.size() && sum < enough);)
      sum += weights[kept++];
    weights.resize(kept);
  }

  double target =
      uniform(random) * std::accumulate(weights.begin(), weights.end(), 0.0);
  double sum = 0;
  for (auto [id, weight] : zip(ids, weights)) {
    sum += weight;
    if (target < sum)
      return id;
  }
  // Only where rounding made the target the whole sum.
  return best;
}
