// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle.softmax %x -> the heddle.generic ops that it means

#include "compiler/Prepare/DecodedWeights.h"
#include "compiler/Prepare/Decompositions.h"
#include "compiler/Prepare/Passes.h"
#include "compiler/Reference/ReferenceInterfaces.h"
#include "dialect/Heddle/KernelAttributes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace heddle {
#define GEN_PASS_DEF_DECOMPOSE
#include "compiler/Prepare/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

void heddle::registerDecompositions(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HeddleDialect *) {
    registerAttentionDecompositions(context);
    registerCacheDecompositions(context);
    registerConvolutionDecompositions(context);
    registerCumulativeSumDecompositions(context);
    registerDropoutDecompositions(context);
    registerExpertDecompositions(context);
    registerExtremaDecompositions(context);
    registerIndexingDecompositions(context);
    registerLayerDecompositions(context);
    registerLikelyDecompositions(context);
    registerLinearAttentionDecompositions(context);
    registerMultiHeadAttentionDecompositions(context);
    registerPoolingDecompositions(context);
    registerPositionDecompositions(context);
    registerProductDecompositions(context);
    registerQuantizationDecompositions(context);
    registerRecurrentDecompositions(context);
    registerReductionDecompositions(context);
    registerRotaryDecompositions(context);
    registerSamplingDecompositions(context);
    registerScoreDecompositions(context);
    registerShapeDecompositions(context);
  });
}

namespace {
/// What the reference computes by a formula of its own.
bool hasFormula(Operation *op) {
  return isa<reference::ReferenceOpInterface>(op);
}

/// Bodies of weights are computed as they are.
bool isOfWeight(Operation *op) {
  return isa_and_nonnull<WeightOp>(op->getParentOp());
}

/// Layers that are made of layers, which keep their own names.
bool isMadeOfLayers(Operation *op) {
  return isa<MultiHeadAttentionOp, FeedForwardOp, GatedFeedForwardOp,
             AttentionOp, CacheAppendOp>(op);
}

/// Notes in each new heddle.generic which op of the model it comes from. Other
/// ops that a layer becomes are those that a model without the layer has, so
/// that its kernels have the same names.
struct OriginNote : OpBuilder::Listener {
  explicit OriginNote(Operation *op)
      : name(op->getName().stripDialect()), isOfLayer(isMadeOfLayers(op)) {
    if (auto earlier = op->getAttrOfType<StringAttr>(kOriginAttr))
      name = earlier.getValue();
  }

  void notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) override {
    if (isa<GenericOp>(op) || (isa<DecomposeOpInterface>(op) && !isOfLayer))
      op->setAttr(kOriginAttr, StringAttr::get(op->getContext(), name));
  }

  StringRef name;
  bool isOfLayer;
};

struct Decompose : heddle::impl::DecomposeBase<Decompose> {
  using DecomposeBase::DecomposeBase;

  void runOnOperation() override {
    WalkResult walk = getOperation()->walk([&](Operation *op) {
      if (keepLayers || isOfWeight(op) || !isOfWeightsAlone(op))
        return WalkResult::advance();
      op->emitOpError("expected what it is made of to follow from weights "
                      "alone: its results are computed when they are packed");
      return WalkResult::interrupt();
    });
    if (walk.wasInterrupted())
      return signalPassFailure();
    // Ops may decompose into others that do.
    SmallVector<DecomposeOpInterface> ops;
    do {
      ops.clear();
      // Those of regions first, which go with their op.
      getOperation()->walk([&](DecomposeOpInterface op) {
        // What has a formula is what compiled code is compared with.
        bool isKept = isOfWeight(op) || (keepLayers && hasFormula(op));
        if (!isKept && op.needsDecomposing())
          ops.push_back(op);
      });
      for (DecomposeOpInterface op : ops) {
        if (!op->use_empty()) {
          OriginNote note(op);
          OpBuilder builder(op, &note);
          op->replaceAllUsesWith(op.decompose(builder));
        }
        op->erase();
      }
    } while (!ops.empty());
  }
};
} // namespace
