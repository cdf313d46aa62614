// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/HeddleDialect.h"
#include "dialect/Heddle/LayerShapes.h"

using namespace mlir;
using namespace heddle;

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
