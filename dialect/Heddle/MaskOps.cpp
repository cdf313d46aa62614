// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/HeddleDialect.h"

using namespace mlir;
using namespace heddle;

LogicalResult CausalMaskOp::verify() {
  // C1
  if (bool(getOffset()) == bool(getAlignAttr()))
    return emitOpError("expected exactly one of 'offset' and 'align'");
  return success();
}

// m and m = m
OpFoldResult AndMaskOp::fold(FoldAdaptor) {
  return getLhs() == getRhs() ? getLhs() : Value();
}

// m or m = m
OpFoldResult OrMaskOp::fold(FoldAdaptor) {
  return getLhs() == getRhs() ? getLhs() : Value();
}

// not not m = m
OpFoldResult NotMaskOp::fold(FoldAdaptor) {
  auto inner = getOperand().getDefiningOp<NotMaskOp>();
  return inner ? inner.getOperand() : Value();
}
