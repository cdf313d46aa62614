// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/HeddleDialect.h"
#include "dialect/Heddle/LayerShapes.h"
#include "dialect/Heddle/Verification.h"

using namespace mlir;
using namespace heddle;

static SizeAttr one(Attribute any) {
  return SizeAttr::number(any.getContext(), 1);
}

// Of a size that is known and not positive there is no type; verifiers report
// it.
static SizeAttr positiveOrUnknown(SizeAttr size) {
  return size && size.asNumber().value_or(1) < 1 ? SizeAttr() : size;
}

//===-- heddle.group_norm -------------------------------------------------===//

LogicalResult GroupNormOp::verify() {
  // C1
  int64_t found = extent(getInput(), 1);
  if (ShapedType::isDynamic(found))
    return emitOpError("expected an input [batch, channels, ...] whose "
                       "channels are known, found ")
           << getInput().getType();
  // C2
  if (failed(expectChannels(*this, "a weight", getWeight(), found)) ||
      failed(expectChannels(*this, "a bias", getBias(), found)))
    return failure();
  // C3
  int64_t groups = getGroups();
  if (groups < 1 || found % groups)
    return emitOpError("expected groups that divide ")
           << found << " channels, found " << groups;
  // C4
  return verifyEpsilon(*this, getEpsilon());
}

LogicalResult GroupNormOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  results.push_back(sizesOf(getInput()));
  return success();
}

//===-- heddle.conv_1d ----------------------------------------------------===//

// How many places there are for the first tap, without the steps between them,
// less 1; null where the length is not known.
static SizeAttr reachOf(Value input, Value weight, int64_t padding,
                        int64_t dilation) {
  SizeAttr length = sizeOf(input, 2);
  int64_t taps = extent(weight, 2);
  if (!length || ShapedType::isDynamic(taps))
    return {};
  return length + one(length) * (2 * padding - dilation * (taps - 1) - 1);
}

template <typename Op> static Sizes sizesOfConvolution(Op op) {
  SizeAttr reach =
      reachOf(op.getInput(), op.getWeight(), op.getPadding(), op.getDilation());
  int64_t stride = op.getStride();
  SizeAttr length;
  if (reach && stride > 0)
    length = floorDiv(reach, one(reach) * stride) + one(reach);
  return {sizeOf(op.getInput(), 0), sizeOf(op.getWeight(), 0),
          positiveOrUnknown(length)};
}

LogicalResult Conv1DOp::inferReturnTypes(MLIRContext *context,
                                         std::optional<Location>,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &results) {
  results.push_back(
      tensorOf(sizesOfConvolution(adaptor),
               getElementTypeOrSelf(adaptor.getInput().getType())));
  return success();
}

LogicalResult Conv1DOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  // C5
  SizeAttr reach =
      reachOf(getInput(), getWeight(), getPadding(), getDilation());
  if (!isNeverNegativeIn(*this, reach))
    return emitOpError("expected a length of at least ")
           << (sizeOf(getInput(), 2) - reach).str() << ", found "
           << sizeOf(getInput(), 2).str() << howToDeclare(reach);
  results.push_back(sizesOfConvolution(*this));
  return success();
}

LogicalResult Conv1DOp::verify() {
  // C4
  constexpr int64_t most = 65535;
  std::tuple<StringLiteral, int64_t, int64_t> numbers[] = {
      {"stride", int64_t(getStride()), 1},
      {"padding", int64_t(getPadding()), 0},
      {"dilation", int64_t(getDilation()), 1}};
  for (auto [name, found, least] : numbers)
    if (found < least || found > most)
      return emitOpError("expected a ") << name << " from " << least << " to "
                                        << most << ", found " << found;
  // C1
  int64_t in = extent(getInput(), 1), out = extent(getWeight(), 0);
  int64_t groups = getGroups();
  if (ShapedType::isDynamic(in) || groups < 1 || in % groups || out % groups)
    return emitOpError("expected groups that divide the channels of ")
           << getInput().getType() << " and " << out << " rows, found "
           << groups;
  // C2
  if (in / groups != extent(getWeight(), 1))
    return emitOpError("expected a weight of ")
           << in / groups << " columns, found " << extent(getWeight(), 1);
  // C3
  if (getBias() && failed(expectChannels(*this, "a bias", getBias(), out)))
    return failure();
  // C5
  SizeAttr reach =
      reachOf(getInput(), getWeight(), getPadding(), getDilation());
  if (reach && reach.asNumber().value_or(0) < 0)
    return emitOpError("expected a length of at least ")
           << (sizeOf(getInput(), 2) - reach).str() << ", found "
           << sizeOf(getInput(), 2).str();
  return success();
}

//===-- heddle.patch_embedding --------------------------------------------===//

template <typename Op> static Sizes sizesOfPatches(Op op) {
  int64_t patch = extent(op.getWeight(), 2);
  SizeAttr height = sizeOf(op.getInput(), 2), width = sizeOf(op.getInput(), 3);
  SizeAttr patches;
  if (height && width && patch > 0) {
    SizeAttr side = one(height) * patch;
    patches = floorDiv(height, side) * floorDiv(width, side);
  }
  return {sizeOf(op.getInput(), 0), positiveOrUnknown(patches),
          sizeOf(op.getWeight(), 0)};
}

LogicalResult
PatchEmbeddingOp::inferReturnTypes(MLIRContext *context,
                                   std::optional<Location>, Adaptor adaptor,
                                   SmallVectorImpl<Type> &results) {
  results.push_back(
      tensorOf(sizesOfPatches(adaptor),
               getElementTypeOrSelf(adaptor.getInput().getType())));
  return success();
}

LogicalResult PatchEmbeddingOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  // C4
  for (unsigned dim : {2, 3}) {
    SizeAttr size = sizeOf(getInput(), dim), side = sizeOf(getWeight(), 2);
    if (!isNeverNegativeIn(*this, size - side))
      return emitOpError("expected dimension ")
             << dim << " of the image to be at least " << side.str()
             << ", found " << size.str() << howToDeclare(size - side);
  }
  results.push_back(sizesOfPatches(*this));
  return success();
}

LogicalResult PatchEmbeddingOp::verify() {
  // C1
  int64_t in = extent(getInput(), 1), side = extent(getWeight(), 2);
  if (in != extent(getWeight(), 1))
    return emitOpError("expected a weight of as many columns as ")
           << getInput().getType() << " has channels, found "
           << extent(getWeight(), 1);
  // C2
  if (side != extent(getWeight(), 3))
    return emitOpError("expected square patches, found ")
           << getWeight().getType();
  // C3
  if (getBias() && failed(expectChannels(*this, "a bias", getBias(),
                                         extent(getWeight(), 0))))
    return failure();
  // C4
  for (unsigned dim : {2, 3}) {
    int64_t size = extent(getInput(), dim);
    if (!ShapedType::isDynamic(size) && size < side)
      return emitOpError("expected dimension ")
             << dim << " of the image to be at least " << side << ", found "
             << size;
  }
  return success();
}
