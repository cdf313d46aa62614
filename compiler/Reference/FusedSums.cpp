// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/FusedSums.h"

#include "dialect/Heddle/HeddleDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace heddle::reference {

// %t = arith.addf %accumulator, %term
static bool isCombination(Operation *op) {
  auto generic = dyn_cast<GenericOp>(op->getParentOp());
  if (!generic || !generic.hasReduction())
    return false;
  unsigned first = generic.getInputs().size() + generic.getTables().size();
  return llvm::any_of(op->getOperands(), [&](mlir::Value x) {
    auto argument = dyn_cast<BlockArgument>(x);
    return argument && argument.getArgNumber() >= first;
  });
}

static bool isAddedBy(OpOperand &use) {
  Operation *user = use.getOwner();
  if (isa<arith::AddFOp, arith::SubFOp>(user))
    return !isCombination(user);
  if (isa<arith::NegFOp>(user))
    return isAddedTo(user->getResult(0));
  if (isa<YieldOp>(user))
    if (auto generic = dyn_cast<GenericOp>(user->getParentOp()))
      return isAddedTo(generic.getResult(use.getOperandNumber()));
  auto generic = dyn_cast<GenericOp>(user);
  if (!generic)
    return false;
  mlir::Value argument = generic.getBody().getArgument(use.getOperandNumber());
  return llvm::any_of(argument.getUses(), [](OpOperand &inside) {
    return isa<arith::AddFOp, arith::SubFOp, arith::NegFOp>(inside.getOwner());
  });
}

bool isAddedTo(mlir::Value x) { return llvm::any_of(x.getUses(), isAddedBy); }

bool isOverflow(const Scalar &result, ArrayRef<Scalar> operands) {
  return std::isinf(result.real) &&
         llvm::all_of(operands, [](const Scalar &operand) {
           return std::isfinite(operand.real);
         });
}

} // namespace heddle::reference
