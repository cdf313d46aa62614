// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/Roundings.h"

#include "compiler/Reference/FloatRange.h"
#include "compiler/Reference/MathErrors.h"
#include "compiler/Reference/ScalarMath.h"
#include "dialect/Heddle/HeddleDialect.h"

#include "mlir/IR/TypeUtilities.h"

#include <limits>

using namespace mlir;

namespace heddle::reference {

// Ops are evaluated one after the other, each maybe by many threads.
static constexpr Precision ofF32{u, kOverflow, exp2Error, exp2Smallest,
                                 kLeastError};
static Precision current = ofF32;

const Precision &precision() { return current; }

static bool isOfDoubles(Operation *op) {
  auto isDouble = [](Type type) { return getElementTypeOrSelf(type).isF64(); };
  // Their regions may read others.
  if (isa<AttentionOp, ActivationsOpInterface>(op))
    return isDouble(op->getOperand(0).getType());
  return llvm::any_of(op->getOperandTypes(), isDouble) ||
         llvm::any_of(op->getResultTypes(), isDouble);
}

PrecisionOf::PrecisionOf(Operation *op) : before(current) {
  current = ofF32;
  // Results below 2^-126 may be 0 (Attention.md), those of its regions, too.
  if (isa<AttentionOp>(op) || op->getParentOfType<AttentionOp>())
    current.leastError += 0x1p-126;
  if (!isOfDoubles(op))
    return;
  double roundoff = unitRoundoff(Float64Type::get(op->getContext()));
  current = {roundoff, kInfinity, 4 * roundoff,
             std::numeric_limits<double>::min(),
             2 * std::numeric_limits<double>::denorm_min()};
}

PrecisionOf::~PrecisionOf() { current = before; }

} // namespace heddle::reference
