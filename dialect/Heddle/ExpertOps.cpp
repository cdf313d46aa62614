// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/HeddleDialect.h"
#include "dialect/Heddle/LayerShapes.h"

using namespace mlir;
using namespace heddle;

//===-- heddle.expert_linear ----------------------------------------------===//

// [.., j, outputs]
static Sizes sizesOfChoices(Value experts, Value weight) {
  Sizes sizes = sizesOf(experts);
  sizes.push_back(sizeOf(weight, 1));
  return sizes;
}

LogicalResult ExpertLinearOp::inferReturnTypes(MLIRContext *,
                                               std::optional<Location>,
                                               Adaptor adaptor,
                                               SmallVectorImpl<Type> &results) {
  results.push_back(
      tensorOf(sizesOfChoices(adaptor.getExperts(), adaptor.getWeight()),
               getElementTypeOrSelf(adaptor.getInput().getType())));
  return success();
}

LogicalResult ExpertLinearOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  Sizes choices = sizesOf(getExperts()), input = sizesOf(getInput());
  unsigned shared = choices.size() - (hasOwnInputs() ? 0 : 1);
  for (unsigned dim = 0; dim < shared; ++dim)
    if (choices[dim] != input[dim])
      return emitOpError("expected choices of the input's sizes, found ")
             << choices[dim].str() << " in place of " << input[dim].str();
  results.push_back(sizesOfChoices(getExperts(), getWeight()));
  return success();
}

LogicalResult ExpertLinearOp::verify() {
  auto choices = cast<RankedTensorType>(getExperts().getType());
  auto input = cast<RankedTensorType>(getInput().getType());
  // C1
  if (choices.getRank() == 0 ||
      ShapedType::isDynamic(choices.getShape().back()))
    return emitOpError("expected a known number of chosen experts, found ")
           << choices;
  // C2
  int64_t own = hasOwnInputs() ? 1 : 0;
  if (input.getRank() != choices.getRank() + own)
    return emitOpError("expected an input of ")
           << choices.getRank() << " or " << choices.getRank() + 1
           << " dimensions, found " << input.getRank();
  for (int64_t dim = 0; dim < choices.getRank() - 1 + own; ++dim)
    if (input.getDimSize(dim) != choices.getDimSize(dim))
      return emitOpError("expected choices of the input's sizes, found ")
             << choices << " for " << input;
  if (channels(getInput()) != extent(getWeight(), 2))
    return emitOpError("expected a weight of ")
           << channels(getInput()) << " columns, found "
           << extent(getWeight(), 2);
  // C3
  if (getBias())
    return expectShape(*this, "a bias", getBias(),
                       {extent(getWeight(), 0), extent(getWeight(), 1)});
  return success();
}

//===-- heddle.mixture_of_experts -----------------------------------------===//

LogicalResult MixtureOfExpertsOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  results.push_back(sizesOf(getInput()));
  return success();
}

LogicalResult MixtureOfExpertsOp::verify() {
  int64_t width = channels(getInput()), experts = extent(getRouter(), 0);
  int64_t hidden = extent(getGate(), 1), top = getTop();
  // C1, C2, C3
  if (failed(expectShape(*this, "a router", getRouter(), {experts, width})) ||
      failed(
          expectShape(*this, "a gate", getGate(), {experts, hidden, width})) ||
      failed(expectShape(*this, "an up projection", getUp(),
                         {experts, hidden, width})) ||
      failed(expectShape(*this, "a down projection", getDown(),
                         {experts, width, hidden})))
    return failure();
  // C4
  if (top < 1 || top > experts)
    return emitOpError("expected a top from 1 to ")
           << experts << ", found " << top;
  // C5
  bool isShared = bool(getSharedGate());
  if (bool(getSharedUp()) != isShared || bool(getSharedDown()) != isShared)
    return emitOpError(
        "expected gate, up and down of a shared expert, or none");
  if (!isShared)
    return success();
  int64_t inner = extent(getSharedGate(), 0);
  if (failed(expectShape(*this, "a shared gate", getSharedGate(),
                         {inner, width})) ||
      failed(expectShape(*this, "a shared up projection", getSharedUp(),
                         {inner, width})))
    return failure();
  return expectShape(*this, "a shared down projection", getSharedDown(),
                     {width, inner});
}
