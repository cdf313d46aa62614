// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/HeddleDialect.h"
#include "dialect/Heddle/KernelAttributes.h"
#include "dialect/Heddle/LayerShapes.h"
#include "dialect/Heddle/Verification.h"

using namespace mlir;
using namespace heddle;

//===-- heddle.embedding --------------------------------------------------===//

LogicalResult EmbeddingOp::inferReturnTypes(MLIRContext *context,
                                            std::optional<Location>,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &results) {
  Sizes sizes = sizesOf(adaptor.getIds());
  sizes.push_back(sizeOf(adaptor.getTable(), 1));
  Type type = getElementTypeOrSelf(adaptor.getTable().getType());
  results.push_back(
      tensorOf(sizes, type.isF64() ? type : Float32Type::get(context)));
  return success();
}

LogicalResult EmbeddingOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  results.push_back(sizesOf(getIds()));
  results.back().push_back(sizeOf(getTable(), 1));
  return success();
}

//===-- heddle.rms_norm ---------------------------------------------------===//

LogicalResult RMSNormOp::verify() {
  // C1
  if (failed(
          expectChannels(*this, "a weight", getWeight(), channels(getInput()))))
    return failure();
  // C2
  return verifyEpsilon(*this, getEpsilon());
}

LogicalResult RMSNormOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  results.push_back(sizesOf(getInput()));
  return success();
}

//===-- heddle.layer_norm -------------------------------------------------===//

LogicalResult LayerNormOp::verify() {
  // C3
  if (failed(verifyPrecision(*this)))
    return failure();
  // C1
  int64_t width = channels(getInput());
  if (failed(expectChannels(*this, "a weight", getWeight(), width)) ||
      (getBias() && failed(expectChannels(*this, "a bias", getBias(), width))))
    return failure();
  // C2
  return verifyEpsilon(*this, getEpsilon());
}

LogicalResult LayerNormOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  results.push_back(sizesOf(getInput()));
  return success();
}

//===-- heddle.linear -----------------------------------------------------===//

LogicalResult LinearOp::inferReturnTypes(MLIRContext *, std::optional<Location>,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &results) {
  results.push_back(
      tensorOf(withChannels(adaptor.getInput(), sizeOf(adaptor.getWeight(), 0)),
               getElementTypeOrSelf(adaptor.getInput().getType())));
  return success();
}

LogicalResult LinearOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  results.push_back(withChannels(getInput(), sizeOf(getWeight(), 0)));
  return success();
}

LogicalResult LinearOp::verify() {
  // C1
  if (channels(getInput()) != extent(getWeight(), 1))
    return emitOpError("expected a weight of ")
           << channels(getInput()) << " columns, found "
           << extent(getWeight(), 1);
  // C3
  Attribute bits = (*this)->getAttr(kLeastBitsAttr);
  auto number = dyn_cast_or_null<IntegerAttr>(bits);
  if (bits && (!number || !number.getType().isSignlessInteger(64) ||
               number.getInt() < 1 || number.getInt() > 64))
    return emitOpError("expected 1 to 64 as ")
           << kLeastBitsAttr << ", found " << bits;
  // C2
  if (getBias())
    return expectChannels(*this, "a bias", getBias(), extent(getWeight(), 0));
  return success();
}

//===-- Feed-forward layers -----------------------------------------------===//

LogicalResult ActivationOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  results.push_back(sizesOf(getInput()));
  return success();
}

LogicalResult GatedFeedForwardOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  results.push_back(sizesOf(getInput()));
  return success();
}

LogicalResult FeedForwardOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  results.push_back(sizesOf(getInput()));
  return success();
}

LogicalResult FeedForwardOp::verify() {
  int64_t width = channels(getInput()), hidden = extent(getUp(), 0);
  // C1, C2
  if (failed(
          expectShape(*this, "an up projection", getUp(), {hidden, width})) ||
      failed(
          expectShape(*this, "a down projection", getDown(), {width, hidden})))
    return failure();
  // C3
  if (bool(getUpBias()) != bool(getDownBias()))
    return emitOpError("expected biases of up and down, or none");
  if (!getUpBias())
    return success();
  return failure(
      failed(expectChannels(*this, "an up bias", getUpBias(), hidden)) ||
      failed(expectChannels(*this, "a down bias", getDownBias(), width)));
}

LogicalResult GatedFeedForwardOp::verify() {
  int64_t width = channels(getInput()), hidden = extent(getGate(), 0);
  // C1, C2
  if (failed(expectShape(*this, "a gate", getGate(), {hidden, width})) ||
      failed(
          expectShape(*this, "an up projection", getUp(), {hidden, width})) ||
      failed(
          expectShape(*this, "a down projection", getDown(), {width, hidden})))
    return failure();
  // C3
  bool hasBias = bool(getGateBias());
  if (bool(getUpBias()) != hasBias || bool(getDownBias()) != hasBias)
    return emitOpError("expected biases of gate, up and down, or none");
  if (!hasBias)
    return success();
  if (failed(expectChannels(*this, "a gate bias", getGateBias(), hidden)) ||
      failed(expectChannels(*this, "an up bias", getUpBias(), hidden)))
    return failure();
  return expectChannels(*this, "a down bias", getDownBias(), width);
}

//===-- heddle.last_token, heddle.pool_tokens -----------------------------===//

// [batch, channels] of tokens [batch, length, channels].
static Sizes sizesOfOneToken(Value tokens) {
  return {sizeOf(tokens, 0), sizeOf(tokens, 2)};
}

static Type typeOfOneToken(Value tokens) {
  return tensorOf(sizesOfOneToken(tokens),
                  getElementTypeOrSelf(tokens.getType()));
}

static LogicalResult expectLengths(Operation *op, Value tokens, Value lengths) {
  return expectSize(op, "the number of lengths", sizeOf(tokens, 0),
                    sizeOf(lengths, 0));
}

LogicalResult LastTokenOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location>,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &results) {
  results.push_back(typeOfOneToken(adaptor.getInput()));
  return success();
}

LogicalResult LastTokenOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  results.push_back(sizesOfOneToken(getInput()));
  return expectLengths(*this, getInput(), getLengths());
}

LogicalResult PoolTokensOp::inferReturnTypes(MLIRContext *,
                                             std::optional<Location>,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &results) {
  results.push_back(typeOfOneToken(adaptor.getInput()));
  return success();
}

LogicalResult PoolTokensOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  results.push_back(sizesOfOneToken(getInput()));
  return expectLengths(*this, getInput(), getLengths());
}

LogicalResult PoolTokensOp::verify() {
  switch (getKind()) {
  case ReductionKind::Sum:
  case ReductionKind::Mean:
  case ReductionKind::Max:
    return success();
  default:
    return emitOpError("expected a sum, a mean or a max, found ")
           << stringifyReductionKind(getKind());
  }
}
