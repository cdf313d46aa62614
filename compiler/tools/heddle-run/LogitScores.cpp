// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/tools/heddle-run/LogitScores.h"

#include "llvm/ADT/STLExtras.h"

#include <cmath>
#include <numeric>

using namespace heddle;
using llvm::ArrayRef;

static double meanOf(ArrayRef<float> logits) {
  return std::accumulate(logits.begin(), logits.end(), 0.0) /
         double(logits.size());
}

// log(sum exp(x)), of which logits less this are the logarithms of
// probabilities.
static double logSumExp(ArrayRef<float> logits) {
  double largest = *llvm::max_element(logits), sum = 0;
  for (float logit : logits)
    sum += std::exp(logit - largest);
  return largest + std::log(sum);
}

void Perplexity::add(ArrayRef<float> logits, int32_t next) {
  sum += logSumExp(logits) - logits[next];
  ++ids;
}

double Perplexity::value() const { return std::exp(sum / double(ids)); }

void LogitDistance::add(ArrayRef<float> logits, ArrayRef<float> reference) {
  double mean = meanOf(logits), ofReference = meanOf(reference);
  double total = logSumExp(logits), totalOfReference = logSumExp(reference);
  for (auto [logit, expected] : llvm::zip_equal(logits, reference)) {
    double value = expected - ofReference, difference = logit - mean - value;
    differences += difference * difference;
    squares += value * value;
    double log = expected - totalOfReference;
    if (std::isfinite(log)) // what has no probability adds nothing
      divergences += std::exp(log) * (log - (logit - total));
  }
  ++places;
  others += llvm::max_element(logits) - logits.begin() !=
            llvm::max_element(reference) - reference.begin();
}

double LogitDistance::error() const {
  return differences == 0 ? 0 : std::sqrt(differences / squares);
}

double LogitDistance::divergence() const { return divergences / places; }

double LogitDistance::otherChoices() const { return double(others) / places; }
