// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/HeddleDialect.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

//===-- heddle.dropout ----------------------------------------------------===//

LogicalResult DropoutOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  results.push_back(sizesOf(getInput()));
  return success();
}

LogicalResult DropoutOp::verify() {
  // C1
  double rate = getRate().convertToDouble();
  if (rate >= 0 && rate < 1)
    return success();
  return emitOpError("expected a rate from 0 that is below 1, found ") << rate;
}

uint64_t DropoutOp::getThreshold() {
  return std::llround(getRate().convertToDouble() * 0x1p32);
}
