// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/Approx.h"
#include "compiler/Reference/Evaluate.h"
#include "compiler/Reference/Roundings.h"

#include <cmath>

using namespace mlir;

namespace heddle::reference {

// Code may keep what is as near to min_p as this, or not.
static Approx keepFrom(Approx weight, double minP) {
  bool isKept = !(weight.value < minP);
  if (weight.error > 0 && std::abs(weight.value - minP) <= weight.error)
    weight.error += weight.value;
  else if (!isKept)
    return 0;
  return {isKept ? weight.value : 0, weight.error};
}

// w of one row: 1 of the largest logits m, exp((x - m) / t) of others.
static SmallVector<Approx> weigh(ArrayRef<double> logits, double largest,
                                 double temperature, double minP) {
  SmallVector<Approx> weights;
  for (double x : logits) {
    Approx difference = Approx(x) - Approx(largest);
    weights.push_back(x == largest      ? Approx(1)
                      : temperature > 0 ? exp(difference / Approx(temperature))
                                        : Approx(0));
    weights.back() = keepFrom(weights.back(), std::min(minP, 1.0));
  }
  return weights;
}

// From 0 to the largest number below 1 that f32 has.
static double uniformOf(double number) {
  return number > 0 ? std::min(number, 1 - 0x1p-24) : 0;
}

// w, their running sums, and u times all of a row; then the first that is above
static llvm::Expected<Results> compute(SampleOp op, const Environment &values,
                                       Step step) {
  auto x = values.tensor(op.getLogits()),
       uniform = values.tensor(op.getUniform()),
       t = values.tensor(op.getTemperature()), p = values.tensor(op.getMinP());
  int64_t count = x->channels(), rows = int64_t(t->data.size());
  Tensor largest = *t, weights = *x, sums = *x, targets = *t, ids = *t;
  Bounds errors;
  for (int64_t row = 0; row < rows; ++row) {
    double most = largest.data[row] =
        maximumOf(SmallVector<Approx>(x->row(row))).value;
    auto all = weigh(x->row(row), most, t->data[row], p->data[row]);
    for (auto [to, weight] : llvm::zip_equal(weights.row(row), all)) {
      to = weight.value;
      errors.push_back(weight.error);
    }
  }
  step(weights, [&] { return errors; });
  for (int64_t row = 0; row < rows; ++row) {
    double sum = 0;
    for (int64_t i = 0; i < count; ++i)
      sums.row(row)[i] = sum += weights.row(row)[i];
  }
  step(sums, [&] {
    Bounds bounds;
    for (double sum : sums.data)
      bounds.push_back(gamma(double(count)) * std::abs(sum));
    return bounds;
  });
  for (int64_t row = 0; row < rows; ++row)
    targets.data[row] = uniformOf(uniform->data[row]) * sums.row(row).back();
  step(targets, [&] {
    Bounds bounds;
    for (double target : targets.data)
      bounds.push_back(2 * u * std::abs(target));
    return bounds;
  });
  for (int64_t row = 0; row < rows; ++row) {
    int64_t id = 0;
    while (id + 1 < count && !(sums.row(row)[id] > targets.data[row]))
      ++id;
    ids.data[row] = std::isfinite(largest.data[row]) ? double(id) : -1;
  }
  if (getElementTypeOrSelf(op.getResult()).isInteger(64))
    ids.integers.assign(ids.data.begin(), ids.data.end());
  return Results{ids};
}

void registerSampling(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HeddleDialect *) {
    attachStepwise<SampleOp>(context);
  });
}

} // namespace heddle::reference
