// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/Perturbation.h"

#include "compiler/Reference/ErrorBounds.h"
#include "compiler/Reference/Evaluate.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace heddle::reference {

static constexpr double safetyFactor = 4;

void Perturbation::move(Tensor &tensor, ArrayRef<double> bounds) {
  for (size_t i = 0; i < bounds.size(); ++i)
    tensor.data[i] += random() & 1 ? bounds[i] : -bounds[i];
}

void Perturbation::follow(Operation *op, ArrayRef<Value> operands,
                          MutableArrayRef<Value> results,
                          const Environment &environment) {
  // The ops that it runs have been here.
  if (isa<LaunchOp, CallOpInterface, RegionBranchOpInterface>(op))
    return;
  if (auto layer = dyn_cast<GatedFeedForwardOp>(op)) {
    results[0] = compute(layer, operands);
    return;
  }
  // Without bounds for the operands, these are what the op itself adds.
  ErrorBounds bounds(Rounding::ToEither);
  bounds.follow(op, operands, results, environment);
  for (auto [name, value] : llvm::zip_equal(op->getResults(), results)) {
    ArrayRef<double> own = bounds.of(name);
    if (own.empty() || !isa<FloatType>(getElementTypeOrSelf(name.getType())))
      continue;
    Tensor result = *value.tensor();
    move(result, own);
    value = std::move(result);
  }
}

// linear(activation(linear(x, gate)) * linear(x, up), down), with each of the
// five steps moved.
Tensor Perturbation::compute(GatedFeedForwardOp op, ArrayRef<Value> operands) {
  auto valueOf = [&](mlir::Value name) -> const Value * {
    for (auto [operand, value] : llvm::zip_equal(op->getOperands(), operands))
      if (operand == name)
        return &value;
    return nullptr;
  };
  auto movedLinear = [&](const Tensor &x, mlir::Value weight,
                         mlir::Value bias) {
    const Value &w = *valueOf(weight), *b = bias ? valueOf(bias) : nullptr;
    Tensor result = linear(x, w, b);
    move(result, linearBounds(x, {}, w, b, result));
    return result;
  };
  auto x = valueOf(op.getInput())->tensor();
  Tensor gate = movedLinear(*x, op.getGate(), op.getGateBias());
  Tensor up = movedLinear(*x, op.getUp(), op.getUpBias());
  Tensor hidden = gate;
  activate(op.getKind(), hidden);
  move(hidden, activationBounds(op.getKind(), gate, {}, hidden));
  std::vector<double> roundings(hidden.data.size());
  for (size_t i = 0; i < hidden.data.size(); ++i) {
    hidden.data[i] *= up.data[i];
    roundings[i] = 0x1p-24 * std::abs(hidden.data[i]);
  }
  move(hidden, roundings);
  return movedLinear(hidden, op.getDown(), op.getDownBias());
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
    if (std::isnan(difference))
      return std::numeric_limits<double>::infinity();
    largest = std::max(largest, difference);
  }
  return safetyFactor * largest;
}

} // namespace heddle::reference
