// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/HeddleDialect.h"
#include "dialect/Heddle/Verification.h"

using namespace mlir;
using namespace heddle;

// Whether `count`, of groups or of the elements of each, divides the elements.
static LogicalResult verifyGroups(Operation *op, int64_t axis,
                                  SizeAttr elements,
                                  std::optional<int64_t> count,
                                  const Twine &found) {
  std::optional<int64_t> known = elements.asNumber();
  if (known && count && *known >= 1 && *count >= 1 && *known % *count == 0)
    return success();
  return op->emitOpError("expected groups of equal size along axis ")
         << axis << ", found \"" << elements.str() << "\" elements " << found;
}

//===-- heddle.dequantize -------------------------------------------------===//

void DequantizeOp::build(OpBuilder &b, OperationState &state, Value codes,
                         Value scales, int64_t axis) {
  auto type = cast<RankedTensorType>(codes.getType());
  build(b, state, type.clone(b.getF32Type()), codes, scales, /*zeros=*/Value(),
        /*minimums=*/Value(), axis);
}

LogicalResult DequantizeOp::verify() {
  auto codes = cast<RankedTensorType>(getCodes().getType());
  // C1
  if (failed(verifyAxis(*this, getAxis(), codes.getRank())))
    return failure();
  // C2
  for (Value part : getParts())
    if (cast<RankedTensorType>(part.getType()).getRank() != codes.getRank())
      return emitOpError("expected scales, zeros and minimums of rank ")
             << codes.getRank() << ", found " << part.getType();
  return success();
}

SmallVector<Value, 3> DequantizeOp::getParts() {
  SmallVector<Value, 3> parts{getScales()};
  for (Value part : {getZeros(), getMinimums()})
    if (part)
      parts.push_back(part);
  return parts;
}

LogicalResult DequantizeOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  Sizes codes = sizesOf(getCodes()), scales = sizesOf(getScales());
  // C3
  if (failed(verifyGroups(*this, getAxis(), codes[getAxis()],
                          scales[getAxis()].asNumber(),
                          "and \"" + scales[getAxis()].str() + "\" scales")))
    return failure();
  // C2
  for (Value part : getParts()) {
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
  if (failed(verifyGroups(*this, getAxis(), sizes[getAxis()], getGroup(),
                          "in groups of " + Twine(getGroup()))))
    return failure();
  results.push_back(sizes);
  sizes[getAxis()] =
      SizeAttr::number(getContext(), *sizes[getAxis()].asNumber() / getGroup());
  results.push_back(sizes);
  return success();
}

//===-- heddle.unpack -----------------------------------------------------===//

int64_t UnpackOp::getWordBits() {
  return getElementTypeOrSelf(getWords()).getIntOrFloatBitWidth();
}

LogicalResult UnpackOp::verify() {
  auto words = cast<RankedTensorType>(getWords().getType());
  auto type = cast<RankedTensorType>(getResult().getType());
  int64_t axis = getAxis(), bits = getBits();
  // C1
  if (failed(verifyAxis(*this, axis, words.getRank())))
    return failure();
  if (bits < 1 || bits > 8)
    return emitOpError("expected 1 to 8 bits, found ") << bits;
  // C2
  SmallVector<int64_t> expected(words.getShape());
  bool hasRank = type.getRank() == words.getRank();
  if (hasRank && !type.isDynamicDim(axis))
    expected[axis] =
        llvm::divideCeil(type.getDimSize(axis) * bits, getWordBits());
  if (!hasRank || expected != words.getShape())
    return emitOpError("expected words for ")
           << type << " of " << bits << " bits each, found " << words;
  for (int64_t dim = 0; dim < type.getRank(); ++dim)
    if (dim != axis && type.getDimSize(dim) != words.getDimSize(dim))
      return emitOpError("expected the sizes of ")
             << words << " but for that of axis " << axis << ", found " << type;
  // C3
  unsigned width = type.getElementType().getIntOrFloatBitWidth();
  bool hasSign = !type.getElementType().isUnsignedInteger();
  int64_t lowest = hasSign ? llvm::minIntN(width) : 0;
  int64_t highest =
      hasSign ? llvm::maxIntN(width) : int64_t(llvm::maxUIntN(width));
  int64_t last = int64_t(llvm::maxUIntN(bits)) + getOffset();
  if (int64_t(getOffset()) >= lowest && last <= highest)
    return success();
  return emitOpError("expected a type with the integers from ")
         << getOffset() << " to " << last << ", found "
         << type.getElementType();
}

LogicalResult UnpackOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  results.push_back(sizesOf(getResult()));
  return success();
}

//===-- heddle.offset_binary ----------------------------------------------===//

LogicalResult OffsetBinaryOp::verify() {
  // C1
  auto codes = cast<RankedTensorType>(getCodes().getType());
  auto bits = codes.getElementType().getIntOrFloatBitWidth();
  auto expected =
      codes.clone(IntegerType::get(getContext(), bits, IntegerType::Unsigned));
  if (!codes.getElementType().isUnsignedInteger() &&
      getResult().getType() == expected)
    return success();
  return emitOpError("expected integers with a sign, and a result of ")
         << expected << ", found " << codes << " and " << getResult().getType();
}

LogicalResult OffsetBinaryOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  results.push_back(sizesOf(getCodes()));
  return success();
}
