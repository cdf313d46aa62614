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

// A number for each token of `input`.
static LogicalResult checkPositionIds(Operation *op, Value input,
                                      Value positionIds) {
  return failure(failed(expectSize(op, "the batch of the position ids",
                                   sizeOf(input, 0), sizeOf(positionIds, 0))) ||
                 failed(expectSize(op, "the length of the position ids",
                                   sizeOf(input, 1), sizeOf(positionIds, 1))));
}

// C9
LogicalResult RotaryOp::checkAngles() {
  Sizes input = sizesOf(getInput()), angles = sizesOf(getCosines());
  bool hasBatch = angles.size() == 3;
  if (failed(expectSize(*this, "the length of the cosines", input[1],
                        angles[hasBatch])))
    return failure();
  return hasBatch && angles[0] && angles[0].asNumber() != 1
             ? expectSize(*this, "the batch of the cosines", input[0],
                          angles[0])
             : success();
}

// The length of `input` is at most `most`, which `what` describes.
static LogicalResult checkLength(Operation *op, Value input, SizeAttr most,
                                 StringRef what) {
  SizeAttr length = sizeOf(input, 1), distance = most - length;
  if (isNeverNegativeIn(op, distance))
    return success();
  return op->emitOpError("expected a length of at most the ")
         << most.str() << " " << what << ", found " << length.str()
         << howToDeclare(distance);
}

LogicalResult RotaryOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  results.push_back(sizesOf(getInput()));
  if (getCosines())
    return checkAngles();
  if (getPositionIds())
    return checkPositionIds(*this, getInput(), getPositionIds());
  if (getStarts())
    return expectSize(*this, "the number of starts", sizeOf(getInput(), 0),
                      sizeOf(getStarts(), 0));
  // C10
  return checkLength(*this, getInput(),
                     SizeAttr::number(getContext(), *getPositions()),
                     "positions");
}

LogicalResult RotaryOp::verifyAngles() {
  // C7
  if (bool(getCosines()) != bool(getSines()) ||
      bool(getStarts()) + bool(getPositionIds()) + bool(getCosines()) > 1)
    return emitOpError("expected at most one of 'at', 'position_ids', and "
                       "'cosines' with 'sines'");
  // C8
  if (getCosines()) {
    if (getPositions() || getBase() || getScaling())
      return emitOpError("expected no 'positions', 'base' or 'scaling' where "
                         "cosines are given");
    // C9
    int64_t pairs = channels(getCosines());
    if (getCosines().getType() != getSines().getType())
      return emitOpError("expected cosines and sines of one type, found ")
             << getCosines().getType() << " and " << getSines().getType();
    if (pairs != getDimension() / 2)
      return emitOpError("expected a cosine for each of ")
             << getDimension() / 2 << " pairs of channels, found " << pairs;
    return success();
  }
  if (!getPositions() || !getBase())
    return emitOpError("expected 'positions' and 'base' where no cosines are "
                       "given");
  // C3
  double base = getBase()->convertToDouble();
  if (!(base >= 1) || std::isinf(base))
    return emitOpError("expected a finite base of at least 1, found ") << base;
  // C6
  if (getScaling() &&
      failed(getScaling()->verifyFor(*this, getDimension(), base)))
    return failure();
  // C4
  return RotaryTableOp::verifyPositions(
      getOperation(), getDimension(), *getPositions(),
      getInput().getType().getElementType().isF64());
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
  // C3, C4, C6, C7, C8, C9
  return verifyAngles();
}

//===-- heddle.sinusoidal_positions ---------------------------------------===//

LogicalResult
SinusoidalPositionsOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  results.push_back(sizesOf(getResult()));
  return success();
}

LogicalResult SinusoidalPositionsOp::verify() {
  // C4
  if (getHalves() && getSplit())
    return emitOpError("expected 'halves' or 'split', found both");
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
      bytesOfElement(getType().getElementType()));
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
  if (getPositionIds())
    return checkPositionIds(*this, getInput(), getPositionIds());
  // C2
  return checkLength(*this, getInput(), sizeOf(getTable(), 0),
                     "rows of the table");
}

LogicalResult AddPositionsOp::verify() {
  // C3
  if (getStarts() && getPositionIds())
    return emitOpError("expected 'at' or 'position_ids', found both");
  // C1
  if (channels(getInput()) == extent(getTable(), 1))
    return success();
  return emitOpError("expected a table of ")
         << channels(getInput()) << " columns, found " << extent(getTable(), 1);
}
