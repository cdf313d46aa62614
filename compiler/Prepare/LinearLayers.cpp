// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Prepare/LinearLayers.h"

#include "compiler/Prepare/Decompositions.h"

using namespace mlir;
using namespace heddle;

std::optional<LinearLayer> LinearLayer::of(Operation *op) {
  return isa<LinearOp, ExpertLinearOp>(op) ? std::optional(LinearLayer(op))
                                           : std::nullopt;
}

OpOperand &LinearLayer::input() const {
  if (auto experts = dyn_cast<ExpertLinearOp>(op))
    return experts.getInputMutable();
  return cast<LinearOp>(op).getInputMutable();
}

OpOperand &LinearLayer::weight() const {
  if (auto experts = dyn_cast<ExpertLinearOp>(op))
    return experts.getWeightMutable();
  return cast<LinearOp>(op).getWeightMutable();
}

RankedTensorType LinearLayer::type() const {
  return cast<RankedTensorType>(weight().get().getType());
}

Value LinearLayer::build(OpBuilder &b, Value input, Value weight,
                         bool hasBias) const {
  if (auto experts = dyn_cast<ExpertLinearOp>(op))
    return ExpertLinearOp::create(b, op->getLoc(), input, experts.getExperts(),
                                  weight,
                                  hasBias ? experts.getBias() : Value());
  return LinearOp::create(b, op->getLoc(), input, weight,
                          hasBias ? cast<LinearOp>(op).getBias() : Value());
}

SmallVector<LinearLayer> heddle::linearLayersOf(ModuleOp module) {
  SmallVector<LinearLayer> layers;
  module.walk([&](Operation *op) {
    if (auto layer = LinearLayer::of(op))
      layers.push_back(*layer);
  });
  return layers;
}

void heddle::exposeLinearLayers(ModuleOp module,
                                llvm::function_ref<bool(Value)> isConcerned) {
  SmallVector<Operation *> layers;
  // Mixtures of experts may have a feed-forward layer that all tokens take.
  do {
    layers.clear();
    module.walk([&](Operation *op) {
      if (isa<FeedForwardOp, GatedFeedForwardOp, MultiHeadAttentionOp,
              MixtureOfExpertsOp>(op) &&
          llvm::any_of(op->getOperands(), isConcerned))
        layers.push_back(op);
    });
    for (Operation *op : layers) {
      OpBuilder b(op);
      op->replaceAllUsesWith(cast<DecomposeOpInterface>(op).decompose(b));
      op->erase();
    }
  } while (!layers.empty());
}
