// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Prepare/LinearLayers.h"

#include "compiler/Prepare/Decompositions.h"

using namespace mlir;
using namespace heddle;

void heddle::exposeLinearLayers(ModuleOp module,
                                llvm::function_ref<bool(Value)> isConcerned) {
  SmallVector<Operation *> layers;
  module.walk([&](Operation *op) {
    if (isa<FeedForwardOp, GatedFeedForwardOp, MultiHeadAttentionOp>(op) &&
        llvm::any_of(op->getOperands(), isConcerned))
      layers.push_back(op);
  });
  for (Operation *op : layers) {
    OpBuilder b(op);
    op->replaceAllUsesWith(cast<DecomposeOpInterface>(op).decompose(b));
    op->erase();
  }
}
