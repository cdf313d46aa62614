// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/HeddleDialect.h"
#include "dialect/Heddle/Verification.h"

using namespace mlir;
using namespace heddle;

//===-- heddle.dequantize -------------------------------------------------===//

LogicalResult DequantizeOp::verify() {
  auto codes = cast<RankedTensorType>(getCodes().getType());
  // C1
  if (failed(verifyAxis(*this, getAxis(), codes.getRank())))
    return failure();
  // C2
  for (Value part : {Value(getScales()), Value(getZeros())})
    if (part &&
        cast<RankedTensorType>(part.getType()).getRank() != codes.getRank())
      return emitOpError("expected scales and zeros of rank ")
             << codes.getRank() << ", found " << part.getType();
  // C4
  if (getZeros() && getElementTypeOrSelf(getZeros()) != codes.getElementType())
    return emitOpError("expected zeros of ")
           << codes.getElementType() << ", found " << getZeros().getType();
  return success();
}

LogicalResult DequantizeOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  Sizes codes = sizesOf(getCodes()), scales = sizesOf(getScales());
  // C3
  std::optional<int64_t> elements = codes[getAxis()].asNumber();
  std::optional<int64_t> groups = scales[getAxis()].asNumber();
  if (!elements || !groups || *groups < 1 || *elements % *groups)
    return emitOpError("expected groups of equal size along axis ")
           << getAxis() << ", found \"" << codes[getAxis()].str()
           << "\" elements and \"" << scales[getAxis()].str() << "\" scales";
  // C2
  for (Value part : {Value(getScales()), Value(getZeros())}) {
    if (!part)
      continue;
    Sizes sizes = sizesOf(part);
    for (size_t dim = 0; dim < codes.size(); ++dim)
      if (failed(expectSize(
              *this, "the size of dimension " + std::to_string(dim),
              dim == getAxis() ? scales[dim] : codes[dim], sizes[dim])))
        return failure();
  }
  results.push_back(codes);
  return success();
}

//===-- heddle.quantize ---------------------------------------------------===//

LogicalResult QuantizeOp::verify() {
  // C1
  return verifyAxis(*this, getAxis(),
                    cast<RankedTensorType>(getInput().getType()).getRank());
}

int64_t QuantizeOp::getLargest() {
  return llvm::maxIntN(
      getElementTypeOrSelf(getCodes()).getIntOrFloatBitWidth());
}

LogicalResult QuantizeOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  Sizes sizes = sizesOf(getInput());
  // C2
  std::optional<int64_t> elements = sizes[getAxis()].asNumber();
  if (!elements || getGroup() < 1 || *elements % getGroup())
    return emitOpError("expected groups of equal size along axis ")
           << getAxis() << ", found \"" << sizes[getAxis()].str()
           << "\" elements in groups of " << getGroup();
  results.push_back(sizes);
  sizes[getAxis()] = SizeAttr::number(getContext(), *elements / getGroup());
  results.push_back(sizes);
  return success();
}
