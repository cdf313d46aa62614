// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/HeddleDialect.h"
#include "dialect/Heddle/LayerShapes.h"
#include "dialect/Heddle/Verification.h"

using namespace mlir;
using namespace heddle;

static LogicalResult verifyBase(Operation *op, double base) {
  if (base > 0 && !std::isinf(base))
    return success();
  return op->emitOpError("expected a finite positive base, found ") << base;
}

//===-- heddle.rotary -----------------------------------------------------===//

LogicalResult RotaryOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  results.push_back(sizesOf(getInput()));
  return expectSize(*this, "the number of starts", sizeOf(getInput(), 0),
                    sizeOf(getStarts(), 0));
}

LogicalResult RotaryOp::verify() {
  // C2
  int64_t width = channels(getInput()), heads = getHeads();
  if (heads <= 0 || width % heads || (!getRotated() && width / heads % 2))
    return emitOpError("expected heads that divide ")
           << width
           << (getRotated() ? " channels, found "
                            : " channels into an even number, found ")
           << heads;
  // C5
  if (std::optional<int64_t> rotated = getRotated())
    if (*rotated < 2 || *rotated % 2 || *rotated > getHeadDim())
      return emitOpError("expected an even number from 2 to ")
             << getHeadDim() << " of rotated channels, found " << *rotated;
  // C3
  double base = getBase().convertToDouble();
  if (!(base >= 1) || std::isinf(base))
    return emitOpError("expected a finite base of at least 1, found ") << base;
  // C6
  if (getScaling() &&
      failed(getScaling()->verifyFor(*this, getDimension(), base)))
    return failure();
  // C4
  return RotaryTableOp::verifyPositions(getOperation(), getDimension(),
                                        getPositions());
}

//===-- heddle.sinusoidal_positions ---------------------------------------===//

LogicalResult
SinusoidalPositionsOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  results.push_back(sizesOf(getResult()));
  return success();
}

LogicalResult SinusoidalPositionsOp::verify() {
  // C1
  int64_t channels = getType().getDimSize(1), fewest = getHalves() ? 4 : 2;
  if (channels < fewest || channels % 2)
    return emitOpError("expected an even number of channels from ")
           << fewest << ", found " << channels;
  // C2
  if (failed(verifyBase(*this, getBase().convertToDouble())))
    return failure();
  // C3
  uint64_t bytes = llvm::SaturatingMultiply<uint64_t>(
      llvm::SaturatingMultiply<uint64_t>(getType().getDimSize(0), channels),
      sizeof(float));
  if (bytes > RotaryTableOp::kLargestBytes)
    return emitOpError("expected a table of at most ")
           << RotaryTableOp::kLargestBytes << " bytes, found " << bytes;
  return success();
}

//===-- heddle.add_positions ----------------------------------------------===//

LogicalResult AddPositionsOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  results.push_back(sizesOf(getInput()));
  if (getStarts())
    return expectSize(*this, "the number of starts", sizeOf(getInput(), 0),
                      sizeOf(getStarts(), 0));
  // C2
  SizeAttr length = sizeOf(getInput(), 1), rows = sizeOf(getTable(), 0);
  SizeAttr distance = rows - length;
  if (isNeverNegativeIn(*this, distance))
    return success();
  return emitOpError("expected a length of at most the ")
         << rows.str() << " rows of the table, found " << length.str()
         << howToDeclare(distance);
}

LogicalResult AddPositionsOp::verify() {
  // C1
  if (channels(getInput()) == extent(getTable(), 1))
    return success();
  return emitOpError("expected a table of ")
         << channels(getInput()) << " columns, found " << extent(getTable(), 1);
}
