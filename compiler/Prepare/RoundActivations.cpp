// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// %y = heddle.linear %x, %w                      (%w of bf16)
//   -> %r = heddle.cast %x to bf16; %d = heddle.cast %r to f32
//      %y = heddle.linear %d, %w
//
// and so with heddle.expert_linear.

#include "compiler/Prepare/DecodedWeights.h"
#include "compiler/Prepare/LinearLayers.h"
#include "compiler/Prepare/Passes.h"
#include "dialect/Heddle/SumOfProducts.h"

namespace heddle {
#define GEN_PASS_DEF_ROUNDACTIVATIONS
#include "compiler/Prepare/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

// Whether `op` is a layer with such a matrix, or a product with one.
static bool readsBFloats(Operation *op) {
  return isa<LinearOp, ExpertLinearOp, MatmulOp, FeedForwardOp,
             GatedFeedForwardOp, MultiHeadAttentionOp, MixtureOfExpertsOp>(
             op) &&
         llvm::any_of(op->getOperands(), isOfBFloats);
}

// Whether a matrix of bf16 has pairs of terms, `depth` in all, and as many
// columns as a register tile.
static bool hasPairs(Value matrix, int64_t depth, int64_t columns) {
  return isOfBFloats(matrix) && depth % kPair == 0 &&
         columns >= kFewestTileColumns;
}

// The factor of `op` that is rounded, beside a matrix of bf16.
static OpOperand *roundedOf(Operation *op) {
  OpOperand *factor = nullptr;
  if (auto layer = LinearLayer::of(op);
      layer &&
      hasPairs(layer->weight().get(), layer->inputs(), layer->outputs()))
    factor = &layer->input();
  if (auto product = dyn_cast<MatmulOp>(op);
      product && isOfBFloats(product.getB())) {
    auto type = cast<RankedTensorType>(product.getB().getType());
    unsigned axis = product.getTransposeB() ? 1 : 0;
    if (type.getRank() == 2 && hasPairs(product.getB(), type.getDimSize(axis),
                                        type.getDimSize(1 - axis)))
      factor = &product.getAMutable();
  }
  bool isF32 = factor && getElementTypeOrSelf(factor->get()).isF32();
  return isF32 ? factor : nullptr;
}

namespace {
struct RoundActivations : heddle::impl::RoundActivationsBase<RoundActivations> {
  using RoundActivationsBase::RoundActivationsBase;

  void runOnOperation() override {
    bool isFound = false;
    getOperation()->walk([&](Operation *op) { isFound |= readsBFloats(op); });
    if (required && !isFound) {
      getOperation().emitError("bf16 arithmetic: expected a linear layer whose "
                               "matrix is bf16, which "
                               "--weight-type=bf16 makes, found none");
      return signalPassFailure();
    }
    if (!round || !isFound)
      return;
    exposeLinearLayers(getOperation(), isOfBFloats);
    SmallVector<OpOperand *> factors;
    getOperation()->walk([&](Operation *op) {
      if (OpOperand *factor = roundedOf(op))
        factors.push_back(factor);
    });
    for (OpOperand *factor : factors)
      factor->set(rounded(factor->get()));
  }

private:
  // Once for all that read `x`.
  Value rounded(Value x) {
    Value &value = known[x];
    if (value)
      return value;
    OpBuilder b(x.getContext());
    b.setInsertionPointAfterValue(x);
    auto type = cast<RankedTensorType>(x.getType());
    Value narrow =
        CastOp::create(b, x.getLoc(), type.clone(b.getBF16Type()), x);
    return value = CastOp::create(b, x.getLoc(), type, narrow);
  }

  llvm::DenseMap<Value, Value> known;
};
} // namespace
