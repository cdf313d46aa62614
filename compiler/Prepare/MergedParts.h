// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_COMPILER_PREPARE_MERGEDPARTS_H
#define HEDDLE_COMPILER_PREPARE_MERGEDPARTS_H

#include "compiler/Prepare/GenericBuilder.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

namespace heddle {

/// What the sums of a part of the keys are multiplied by, where attention over
/// several parts is merged: e^(own - largest) of their maxima, and 0 of a part
/// that keeps no key.
inline Element factorOfPart(Element own, Element largest) {
  Element isNone =
      own == own.constant(-std::numeric_limits<double>::infinity());
  return select(isNone, own.constant(0),
                apply<mlir::math::ExpOp>(own - largest));
}

} // namespace heddle

#endif // HEDDLE_COMPILER_PREPARE_MERGEDPARTS_H
