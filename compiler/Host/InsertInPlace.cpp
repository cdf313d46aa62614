// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Host/InsertInPlace.h"

#include "dialect/Heddle/Loops.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;
using namespace heddle;

// Control flow may hand on the memory itself, which kernels and numbers do not.
// What they read must be there until they have.
bool heddle::isInPlace(InsertOp op) {
  if (!isa<scf::ForOp>(op->getParentOp()) ||
      !replacesCarried(op.getResult(), op.getTensor()) ||
      op.getPart() == op.getTensor())
    return false;
  return llvm::all_of(op.getTensor().getUsers(), [&](Operation *user) {
    Operation *around = op->getBlock()->findAncestorOpInBlock(*user);
    return user == op || (isa<LaunchOp, tensor::ExtractOp>(user) &&
                          around->isBeforeInBlock(op));
  });
}

InsertOp heddle::insertInPlace(Value value) {
  auto op = value.getDefiningOp<InsertOp>();
  return op && isInPlace(op) ? op : nullptr;
}

bool heddle::isInsertedInto(Value argument) {
  return llvm::any_of(argument.getUsers(), [&](Operation *user) {
    auto op = dyn_cast<InsertOp>(user);
    return op && op.getTensor() == argument && isInPlace(op);
  });
}
