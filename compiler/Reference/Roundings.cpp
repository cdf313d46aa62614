// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/Roundings.h"

#include "compiler/Reference/FloatRange.h"
#include "compiler/Reference/ScalarMath.h"

#include "mlir/IR/TypeUtilities.h"

using namespace mlir;

namespace heddle::reference {

// Ops are evaluated one after the other, each maybe by many threads.
static Precision current{u, kOverflow};

const Precision &precision() { return current; }

PrecisionOf::PrecisionOf(Operation *op) : before(current) {
  auto isDouble = [](Type type) { return getElementTypeOrSelf(type).isF64(); };
  if (llvm::any_of(op->getOperandTypes(), isDouble) ||
      llvm::any_of(op->getResultTypes(), isDouble))
    current = {unitRoundoff(Float64Type::get(op->getContext())), kInfinity};
  else
    current = {u, kOverflow};
}

PrecisionOf::~PrecisionOf() { current = before; }

} // namespace heddle::reference
