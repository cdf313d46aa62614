// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/HeddleDialect.h"
#include "dialect/Heddle/Verification.h"

using namespace mlir;
using namespace heddle;

//===-- heddle.matmul -----------------------------------------------------===//

LogicalResult MatmulOp::verify() {
  Type type = getElementTypeOrSelf(getResult());
  for (Value operand : {getA(), getB()}) {
    // C1
    if (cast<RankedTensorType>(operand.getType()).getRank() < 2)
      return emitOpError("expected operands of rank 2 or more, found ")
             << operand.getType();
    // C4
    if (getElementTypeOrSelf(operand) != type)
      return emitOpError("expected elements of ")
             << type << ", found " << operand.getType();
  }
  return success();
}

LogicalResult MatmulOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  Sizes a = sizesOf(getA()), b = sizesOf(getB());
  auto takeMatrix = [](Sizes &sizes, bool isTransposed) {
    SizeAttr columns = sizes.pop_back_val(), rows = sizes.pop_back_val();
    return isTransposed ? std::pair(columns, rows) : std::pair(rows, columns);
  };
  auto [rows, depth] = takeMatrix(a, getTransposeA());
  auto [depthOfB, columns] = takeMatrix(b, getTransposeB());
  // C2
  if (failed(expectSize(*this, "the number of rows of B", depth, depthOfB)))
    return failure();
  // C3
  FailureOr<Sizes> batch = broadcastSizes(*this, {a, b});
  if (failed(batch))
    return failure();
  results.push_back(*batch);
  results.back().append({rows, columns});
  return success();
}
