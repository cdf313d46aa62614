// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/Perturbation.h"

#include "compiler/Reference/Evaluate.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace heddle::reference {

static constexpr double safetyFactor = 4;

void Perturbation::move(Tensor &tensor, ArrayRef<double> bounds) {
  for (size_t i = 0; i < bounds.size(); ++i)
    // A bound that admits any number says nothing of what is close.
    if (double sign = random() & 1 ? 1 : -1; !std::isinf(bounds[i]))
      tensor.data[i] += sign * bounds[i];
}

void Perturbation::moveByBounds(Operation *op, const Environment &values,
                                MutableArrayRef<Value> results) {
  // Without bounds for the operands, these are what the op itself adds.
  ErrorBounds bounds(Rounding::ToEither);
  bounds.follow(op, results, values);
  for (auto [name, value] : llvm::zip_equal(op->getResults(), results)) {
    ArrayRef<double> own = bounds.of(name);
    if (own.empty() || !isa<FloatType>(getElementTypeOrSelf(name.getType())))
      continue;
    Tensor result = *value.tensor();
    move(result, own);
    value = std::move(result);
  }
}

void Perturbation::follow(Operation *op, MutableArrayRef<Value> results,
                          const Environment &values) {
  if (auto known = dyn_cast<ErrorBoundOpInterface>(op))
    known.perturb(*this, values, results);
  else
    moveByBounds(op, values, results);
}

std::vector<double> tolerancesOfIntegers(ArrayRef<double> exact,
                                         ArrayRef<double> perturbed) {
  std::vector<double> tolerances;
  for (auto [one, other] : llvm::zip_equal(exact, perturbed))
    tolerances.push_back(safetyFactor * std::abs(one - other));
  return tolerances;
}

double toleranceOf(ArrayRef<double> exact, ArrayRef<double> perturbed,
                   llvm::function_ref<bool(size_t element)> isCompared) {
  double largest = 0;
  for (size_t i = 0; i < exact.size(); ++i) {
    if (!isCompared(i))
      continue;
    // Of two infinities the difference is none.
    double difference =
        perturbed[i] == exact[i] ? 0 : std::abs(perturbed[i] - exact[i]);
    if (!std::isfinite(difference))
      return std::numeric_limits<double>::quiet_NaN();
    largest = std::max(largest, difference);
  }
  return safetyFactor * largest;
}

} // namespace heddle::reference
