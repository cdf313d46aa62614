// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Host/Liveness.h"

using namespace mlir;
using namespace heddle;

Liveness::Liveness(func::FuncOp function) {
  unsigned step = 0;
  for (Operation &op : function.front())
    step = number(&op, step);
}

unsigned Liveness::number(Operation *op, unsigned step) {
  unsigned first = step++;
  for (Region &region : op->getRegions())
    for (Operation &inside : region.getOps())
      step = number(&inside, step);
  steps[op] = {first, step - 1};
  return step;
}

unsigned Liveness::lastUse(Value value) {
  if (auto known = lastUses.find(value); known != lastUses.end())
    return known->second;
  Operation *definition = value.getDefiningOp();
  unsigned last = end(definition);
  for (Operation *user : value.getUsers()) {
    Operation *around = definition->getBlock()->findAncestorOpInBlock(*user);
    last = std::max(last, end(around));
    if (around->getNumRegions() > 0)
      for (Value result : around->getResults())
        last = std::max(last, lastUse(result));
  }
  return lastUses[value] = last;
}
