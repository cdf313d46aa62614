// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Prepare/BodyMatchers.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

std::optional<unsigned> heddle::inputOf(GenericOp op, Value value) {
  if (auto wider = value.getDefiningOp<arith::ExtFOp>())
    value = wider.getIn();
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getOwner() != &op.getBody().front() ||
      argument.getArgNumber() >= op.getInputs().size())
    return std::nullopt;
  return argument.getArgNumber();
}

Value heddle::yielded(GenericOp op) {
  return op.getBody().front().getTerminator()->getOperand(0);
}

bool heddle::beginsAs(GenericOp op, double value) {
  auto initial = dyn_cast<FloatAttr>(op.getInitial()[0]);
  return initial && initial.getValueAsDouble() == value;
}

bool heddle::isElementwise(GenericOp op) {
  return !op.hasReduction() && op.getNumResults() == 1;
}
