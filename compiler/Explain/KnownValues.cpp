// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Explain/KnownValues.h"

#include "compiler/Reference/EvaluateOp.h"

using namespace mlir;
using namespace heddle;
using RefValue = reference::Value;

std::optional<int64_t> KnownValues::evaluate(SizeAttr size) const {
  bool isKnown = true;
  std::optional<int64_t> value = size.evaluate([&](StringRef name) -> int64_t {
    auto found = symbols.find(name);
    if (found != symbols.end())
      return found->second;
    isKnown = false;
    return 1;
  });
  return isKnown ? value : std::nullopt;
}

KnownValues::Known KnownValues::of(mlir::Value value) {
  if (auto found = values.find(value); found != values.end())
    return found->second;
  Known known;
  if (auto result = dyn_cast<OpResult>(value))
    known = run(
        result, [this](mlir::Value operand) { return of(operand); }, values);
  values.insert_or_assign(value, known);
  return known;
}

KnownValues::Known KnownValues::of(LaunchOp launch, mlir::Value value) {
  if (auto found = inside[launch].find(value); found != inside[launch].end())
    return found->second;
  Known known;
  if (auto argument = dyn_cast<BlockArgument>(value))
    known = argumentOf(launch, argument);
  else
    known = run(
        cast<OpResult>(value),
        [&](mlir::Value operand) { return of(launch, operand); },
        inside[launch]);
  inside[launch].insert_or_assign(value, known);
  return known;
}

// Kernels may see neighbouring dimensions as one.
KnownValues::Known KnownValues::argumentOf(LaunchOp launch,
                                           BlockArgument argument) {
  Known known = of(launch.getArguments()[argument.getArgNumber()]);
  if (!known || !known->isTensor())
    return std::nullopt;
  reference::Tensor tensor = *known->tensor();
  SmallVector<int64_t> shape;
  int64_t count = 1;
  for (SizeAttr size : sizesOf(argument)) {
    std::optional<int64_t> extent = size ? evaluate(size) : std::nullopt;
    if (!extent)
      return std::nullopt;
    shape.push_back(*extent);
    count *= *extent;
  }
  if (count != int64_t(tensor.data.size()))
    return std::nullopt;
  tensor.shape = shape;
  return RefValue(std::move(tensor));
}

// Ops with bodies other than heddle.generic see values around them, and go on
// for as long as a call does.
KnownValues::Known KnownValues::run(OpResult result, Find find, Values &known) {
  Operation *op = result.getOwner();
  if (op->getNumRegions() && !isa<GenericOp>(op))
    return std::nullopt;
  SmallVector<RefValue> operands;
  for (mlir::Value operand : op->getOperands()) {
    Known value = find(operand);
    if (!value || value->isCache())
      return std::nullopt;
    operands.push_back(*value);
  }
  auto results = reference::evaluateOp(evaluator, *op, operands, symbols);
  if (!results) {
    // What it cannot tell is not known.
    llvm::consumeError(results.takeError());
    return std::nullopt;
  }
  for (auto [name, value] : llvm::zip_equal(op->getResults(), *results))
    known.insert_or_assign(name, value);
  return (*results)[result.getResultNumber()];
}
