// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/FusedSums.h"

#include "dialect/Heddle/HeddleDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;

namespace heddle::reference {

// %t = arith.addf %accumulator, %term
static bool isCombination(Operation *op, GenericOp generic) {
  unsigned first = generic.getInputs().size() + generic.getTables().size();
  return llvm::any_of(op->getOperands(), [&](mlir::Value x) {
    auto argument = dyn_cast<BlockArgument>(x);
    return argument && argument.getOwner()->getParentOp() == generic &&
           argument.getArgNumber() >= first;
  });
}

// `own` is the generic in whose body `x` is computed, if it is in one. `seen`
// has the values that the walk has been at.
static bool isAddedTo(mlir::Value x, GenericOp own,
                      llvm::SmallPtrSetImpl<mlir::Value> &seen) {
  if (!seen.insert(x).second)
    return false;
  return llvm::any_of(x.getUses(), [&](OpOperand &use) {
    Operation *user = use.getOwner();
    if (isa<arith::AddFOp, arith::SubFOp>(user))
      return !own || !isCombination(user, own);
    if (isa<arith::NegFOp>(user))
      return isAddedTo(user->getResult(0), own, seen);
    if (auto generic = dyn_cast<GenericOp>(user))
      return isAddedTo(generic.getBody().getArgument(use.getOperandNumber()),
                       nullptr, seen);
    auto around = dyn_cast<GenericOp>(user->getParentOp());
    return isa<YieldOp>(user) && around &&
           isAddedTo(around.getResult(use.getOperandNumber()), nullptr, seen);
  });
}

bool isAddedTo(mlir::Value x) {
  llvm::SmallPtrSet<mlir::Value, 8> seen;
  return isAddedTo(x, dyn_cast<GenericOp>(x.getParentBlock()->getParentOp()),
                   seen);
}

bool isOverflow(const Scalar &result, ArrayRef<Scalar> operands) {
  return std::isinf(result.real) &&
         llvm::all_of(operands, [](const Scalar &operand) {
           return std::isfinite(operand.real);
         });
}

} // namespace heddle::reference
