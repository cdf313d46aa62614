// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/Approx.h"
#include "compiler/Reference/Evaluate.h"
#include "compiler/Reference/Roundings.h"

#include <cmath>
#include <numeric>

using namespace mlir;

namespace heddle::reference {

// w of one row: 1 of the largest logits, exp((x - m) / t) of others.
static SmallVector<Approx> weigh(ArrayRef<double> logits, double largest,
                                 double temperature) {
  SmallVector<Approx> weights;
  for (double x : logits) {
    Approx difference = Approx(x) - Approx(largest);
    bool hasPower = temperature > 0 && x > -INFINITY;
    weights.push_back(x == largest ? Approx(1)
                      : hasPower   ? exp(difference / Approx(temperature))
                                   : Approx(0));
  }
  return weights;
}

static double sumOf(ArrayRef<double> numbers) {
  return std::accumulate(numbers.begin(), numbers.end(), 0.0);
}

static double largestOf(ArrayRef<double> logits) {
  return maximumOf(SmallVector<Approx>(logits)).value;
}

namespace {
/// The weights of all rows, as a step.
struct Weights {
  Tensor values;
  Bounds errors;

  void set(int64_t row, ArrayRef<Approx> weights) {
    for (auto [to, weight] : llvm::zip_equal(values.row(row), weights)) {
      to = weight.value;
      errors.push_back(weight.error);
    }
  }
};
} // namespace

//===-- heddle.keep_likely ------------------------------------------------===//

// The least of the `count` largest.
static double leastOf(ArrayRef<double> logits, int64_t count) {
  SmallVector<double> sorted(logits);
  llvm::sort(sorted, std::greater<>());
  return sorted[count - 1];
}

// The largest logit that those with at least as much have `target` together.
static double findLeast(ArrayRef<double> logits, ArrayRef<double> weights,
                        double target) {
  SmallVector<int64_t> order =
      llvm::to_vector(llvm::seq<int64_t>(weights.size()));
  llvm::stable_sort(
      order, [&](int64_t i, int64_t j) { return logits[i] > logits[j]; });
  double sum = 0;
  for (int64_t i : order)
    if ((sum += weights[i]) >= target)
      return logits[i];
  return logits[order.back()];
}

// Makes others -infinity, without weight.
static void keepTopK(MutableArrayRef<double> logits,
                     MutableArrayRef<Approx> weights, int64_t topK) {
  if (topK <= 0 || topK >= int64_t(logits.size()))
    return;
  double least = leastOf(logits, topK);
  for (auto [logit, weight] : llvm::zip_equal(logits, weights))
    if (logit < least) {
      logit = -INFINITY;
      weight = 0;
    }
}

static void keepTopP(MutableArrayRef<double> logits, ArrayRef<double> weights,
                     double target) {
  double least = findLeast(logits, weights, std::max(target, 1.0));
  for (double &logit : logits)
    if (logit < least)
      logit = -INFINITY;
}

// What top_k keeps, its weights, and top_p of all of these; then what that
// keeps
static llvm::Expected<Results> compute(KeepLikelyOp op,
                                       const Environment &values, Step step) {
  auto x = values.tensor(op.getLogits()),
       t = values.tensor(op.getTemperature()), k = values.tensor(op.getTopK()),
       p = values.tensor(op.getTopP());
  Weights weights = {*x, {}};
  Tensor y = *x, targets = *t;
  auto rows = llvm::seq<int64_t>(t->data.size());
  for (int64_t row : rows) {
    double largest = largestOf(x->row(row));
    SmallVector<Approx> all = weigh(x->row(row), largest, t->data[row]);
    if (std::isfinite(largest))
      keepTopK(y.row(row), all, int64_t(k->data[row]));
    weights.set(row, all);
  }
  step(weights.values, [&] { return weights.errors; });
  for (int64_t row : rows)
    targets.data[row] =
        std::max(p->data[row], 0.0) * sumOf(weights.values.row(row));
  // Sums in other orders, of which one is compared with the other.
  step(targets, [&] {
    Bounds bounds;
    for (int64_t row : rows)
      bounds.push_back(2 * gamma(double(x->channels())) *
                       sumOf(weights.values.row(row)));
    return bounds;
  });
  for (int64_t row : rows)
    if (std::isfinite(largestOf(x->row(row))) && p->data[row] < 1)
      keepTopP(y.row(row), weights.values.row(row), targets.data[row]);
  return Results{y};
}

//===-- heddle.sample -----------------------------------------------------===//

// Code may keep what is as near to min_p as this, or not.
static Approx keepFrom(Approx weight, double minP) {
  bool isKept = !(weight.value < minP);
  if (weight.error > 0 && std::abs(weight.value - minP) <= weight.error)
    weight.error += weight.value;
  else if (!isKept)
    return 0;
  return {isKept ? weight.value : 0, weight.error};
}

// From 0 to the largest number below 1 that f32 has.
static double uniformOf(double number) {
  return number > 0 ? std::min(number, 1 - 0x1p-24) : 0;
}

// The bounds of what is off by this share of itself.
static Bounds shareOf(const Tensor &tensor, double share) {
  Bounds bounds;
  for (double element : tensor.data)
    bounds.push_back(share * std::abs(element));
  return bounds;
}

// w, their running sums, and u times all of a row; then the first that is above
static llvm::Expected<Results> compute(SampleOp op, const Environment &values,
                                       Step step) {
  auto x = values.tensor(op.getLogits()),
       uniform = values.tensor(op.getUniform()),
       t = values.tensor(op.getTemperature()), p = values.tensor(op.getMinP());
  Weights weights = {*x, {}};
  Tensor sums = *x, targets = *t, ids = *t;
  auto rows = llvm::seq<int64_t>(t->data.size());
  for (int64_t row : rows) {
    SmallVector<Approx> all =
        weigh(x->row(row), largestOf(x->row(row)), t->data[row]);
    for (Approx &weight : all)
      weight = keepFrom(weight, std::min(p->data[row], 1.0));
    weights.set(row, all);
  }
  step(weights.values, [&] { return weights.errors; });
  for (int64_t row : rows) {
    ArrayRef<double> terms = weights.values.row(row);
    std::partial_sum(terms.begin(), terms.end(), sums.row(row).begin());
  }
  step(sums, [&] { return shareOf(sums, gamma(double(x->channels()))); });
  for (int64_t row : rows)
    targets.data[row] = uniformOf(uniform->data[row]) * sums.row(row).back();
  step(targets, [&] { return shareOf(targets, 2 * u); });
  for (int64_t row : rows) {
    ArrayRef<double> terms = sums.row(row).drop_back();
    auto isAbove = [&](double sum) { return sum > targets.data[row]; };
    int64_t id = llvm::find_if(terms, isAbove) - terms.begin();
    ids.data[row] = std::isfinite(largestOf(x->row(row))) ? double(id) : -1;
  }
  if (getElementTypeOrSelf(op.getResult()).isInteger(64))
    ids.integers.assign(ids.data.begin(), ids.data.end());
  return Results{ids};
}

void registerSampling(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HeddleDialect *) {
    attachStepwise<KeepLikelyOp, SampleOp>(context);
  });
}

} // namespace heddle::reference
