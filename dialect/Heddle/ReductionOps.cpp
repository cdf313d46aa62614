// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/HeddleDialect.h"
#include "dialect/Heddle/Verification.h"

using namespace mlir;
using namespace heddle;

static int64_t rankOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getRank();
}

// The sizes of `input` without `axes`, or with 1 in their place.
static Sizes reducedSizes(Value input, ArrayRef<int64_t> axes, bool keep) {
  Sizes sizes;
  for (auto [dim, size] : llvm::enumerate(sizesOf(input)))
    if (!llvm::is_contained(axes, dim))
      sizes.push_back(size);
    else if (keep)
      sizes.push_back(SizeAttr::number(input.getContext(), 1));
  return sizes;
}

static LogicalResult verifyElementTypes(Operation *op, Value input,
                                        Value result) {
  Type type = getElementTypeOrSelf(input);
  if (getElementTypeOrSelf(result) == type)
    return success();
  return op->emitOpError("expected a result of ")
         << type << ", found " << result.getType();
}

//===-- heddle.reduce -----------------------------------------------------===//

LogicalResult ReduceOp::verify() {
  // C1
  if (failed(verifyAxes(*this, getAxes(), rankOf(getInput()))) ||
      failed(verifyElementTypes(*this, getInput(), getResult())))
    return failure();
  // C2
  Type type = getElementTypeOrSelf(getInput());
  bool fits;
  switch (getKind()) {
  case ReductionKind::Any:
  case ReductionKind::All:
    fits = type.isInteger(1);
    break;
  case ReductionKind::Mean:
  case ReductionKind::L2:
  case ReductionKind::LogSumExp:
    fits = isa<FloatType>(type);
    break;
  default:
    fits = !type.isInteger(1);
  }
  if (fits)
    return success();
  return emitOpError("cannot take elements of ") << type;
}

LogicalResult ReduceOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  results.push_back(reducedSizes(getInput(), getAxes(), getKeepSizes()));
  return success();
}

//===-- heddle.arg_reduce -------------------------------------------------===//

LogicalResult ArgReduceOp::verify() {
  // C1
  return verifyAxis(*this, getAxis(), rankOf(getInput()));
}

LogicalResult ArgReduceOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  results.push_back(
      reducedSizes(getInput(), int64_t(getAxis()), getKeepSizes()));
  // C2
  SizeAttr size = sizesOf(getInput())[getAxis()];
  if (!isPositiveIn(*this, size))
    return emitOpError("expected 1 element or more along axis ")
           << getAxis() << ", found " << size.str() << howToDeclare(size);
  return success();
}

//===-- Ops that keep the sizes -------------------------------------------===//

// C1 of each.
template <typename Op> static LogicalResult verifyAlongAxis(Op op) {
  return verifyAxis(op, op.getAxis(), rankOf(op.getInput()));
}

LogicalResult CumulativeSumOp::verify() {
  // C2
  if (getElementTypeOrSelf(getInput()).isInteger(1))
    return emitOpError("cannot take elements of i1");
  return verifyAlongAxis(*this);
}
LogicalResult SoftmaxOp::verify() { return verifyAlongAxis(*this); }
LogicalResult LogSoftmaxOp::verify() { return verifyAlongAxis(*this); }

LogicalResult CumulativeSumOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  results.push_back(sizesOf(getInput()));
  return success();
}

LogicalResult SoftmaxOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  results.push_back(sizesOf(getInput()));
  return success();
}

LogicalResult LogSoftmaxOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  results.push_back(sizesOf(getInput()));
  return success();
}

//===-- heddle.top_k ------------------------------------------------------===//

LogicalResult TopKOp::verify() {
  // C1
  if (failed(verifyAxis(*this, getAxis(), rankOf(getInput()))))
    return failure();
  return verifyElementTypes(*this, getInput(), getValues());
}

LogicalResult TopKOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  Sizes sizes = sizesOf(getInput());
  SizeAttr &size = sizes[getAxis()], k = getK();
  // C2
  if (!isNeverNegativeIn(*this, k))
    return emitOpError("expected k of at least 0, found ")
           << k.str() << howToDeclare(k);
  if (!isNeverNegativeIn(*this, size - k))
    return emitOpError("expected k of at most ")
           << size.str() << ", found " << k.str() << howToDeclare(size - k);
  size = k;
  results.assign(2, sizes);
  return success();
}
