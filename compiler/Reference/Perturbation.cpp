// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/Perturbation.h"

#include "compiler/Reference/Evaluate.h"
#include "compiler/Reference/FloatRange.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace heddle::reference {

static constexpr double safetyFactor = 4;

// The finalizer of SplitMix64 (Steele, Lea and Flood, 2014).
static uint64_t mix(uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

void Perturbation::move(Tensor &tensor, ArrayRef<double> bounds) {
  uint64_t key = seed;
  if (directions != Directions::OfElements)
    key = mix(mix(key) + op) + step;
  if (directions == Directions::OfExecutions)
    key = mix(key) + execution;
  key = mix(key);
  ++step;
  bool isMoved = false;
  for (size_t i = 0; i < bounds.size(); ++i) {
    assert(!std::isnan(bounds[i]) && "each op has bounds (OpFormulasTest)");
    double sign = bool(mix(key + i) & 1) != (side == Side::Backward) ? 1 : -1;
    double error = errorInRange(tensor.data[i], bounds[i]);
    isMoved |= !isOfSign(error);
    if (isUnknown(error))
      tensor.data[i] = std::numeric_limits<double>::quiet_NaN();
    else if (tensor.data[i] == 0 && error != 0 && isOfSign(error))
      tensor.data[i] = -tensor.data[i];
    else if (side == Side::Zero && error >= std::abs(tensor.data[i]))
      tensor.data[i] = std::copysign(0.0, tensor.data[i]);
    else
      tensor.data[i] += sign * error;
  }
  bringIntoRange(tensor.data);
  moved += isMoved;
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
  unsigned next = ops.size();
  Known &known = ops.try_emplace(op, Known{next}).first->second;
  this->op = known.number;
  execution = known.executions++;
  hasRepeated |= execution > 0;
  step = 0;
  if (auto bounded = dyn_cast<ErrorBoundOpInterface>(op))
    bounded.perturb(*this, values, results);
  else
    moveByBounds(op, values, results);
}

std::vector<double> tolerancesOfIntegers(ArrayRef<double> exact,
                                         ArrayRef<double> perturbed) {
  std::vector<double> tolerances;
  for (auto [one, other] : llvm::zip_equal(exact, perturbed)) {
    double difference = std::abs(one - other);
    tolerances.push_back(difference > 1 ? kInfinity
                                        : safetyFactor * difference);
  }
  return tolerances;
}

std::vector<double>
tolerancesOf(ArrayRef<double> exact, ArrayRef<double> perturbed,
             double overflow,
             llvm::function_ref<bool(size_t element)> isCompared) {
  double largest = 0;
  auto differenceAt = [&](size_t i) {
    return differenceOf(exact[i], perturbed[i]);
  };
  for (size_t i = 0; i < exact.size(); ++i)
    if (isCompared(i) && std::isfinite(differenceAt(i)))
      largest = std::max(largest, differenceAt(i));
  std::vector<double> tolerances(exact.size(), safetyFactor * largest);
  for (auto [i, tolerance] : llvm::enumerate(tolerances))
    tolerance =
        isUnknown(differenceAt(i)) ? kInfinity
        : std::isfinite(exact[i]) && std::abs(exact[i]) + tolerance >= overflow
            ? kInfinity
            : tolerance;
  return tolerances;
}

} // namespace heddle::reference
