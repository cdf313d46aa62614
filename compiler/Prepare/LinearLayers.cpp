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

// The last two dimensions the other way round; of what is decoded before that.
static Value transposed(OpBuilder &b, Value x) {
  if (!x)
    return {};
  if (auto decoded = x.getDefiningOp<DequantizeOp>();
      decoded && sizesOf(x).size() == 2)
    return DequantizeOp::create(
        b, x.getLoc(),
        tensorOf(llvm::to_vector(llvm::reverse(sizesOf(x))),
                 getElementTypeOrSelf(x)),
        transposed(b, decoded.getCodes()), transposed(b, decoded.getScales()),
        transposed(b, decoded.getZeros()), transposed(b, decoded.getMinimums()),
        1 - decoded.getAxis());
  Sizes sizes = sizesOf(x);
  auto order = llvm::to_vector(llvm::seq<int64_t>(0, sizes.size()));
  std::swap(sizes[sizes.size() - 1], sizes[sizes.size() - 2]);
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  return TransposeOp::create(b, x.getLoc(),
                             tensorOf(sizes, getElementTypeOrSelf(x)), x,
                             b.getDenseI64ArrayAttr(order));
}

void heddle::exposeProducts(ModuleOp module,
                            llvm::function_ref<bool(Value)> isConcerned) {
  SmallVector<MatmulOp> products;
  module.walk([&](MatmulOp op) {
    auto matrix = cast<RankedTensorType>(op.getB().getType());
    if (matrix.getRank() == 2 && isConcerned(op.getB()))
      products.push_back(op);
  });
  for (MatmulOp op : products) {
    OpBuilder b(op);
    Value x = op.getA(), matrix = op.getB();
    auto result = cast<RankedTensorType>(op.getType());
    if (!result.getElementType().isF32())
      x = CastOp::create(
          b, op.getLoc(),
          cast<RankedTensorType>(x.getType()).clone(b.getF32Type()), x);
    if (op.getTransposeA())
      x = transposed(b, x);
    if (!op.getTransposeB())
      matrix = transposed(b, matrix);
    auto layer = LinearOp::create(b, op.getLoc(), x, matrix, /*bias=*/Value());
    layer->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    Value y = layer;
    if (y.getType() != result)
      y = CastOp::create(b, op.getLoc(), result, y);
    op.replaceAllUsesWith(y);
    op.erase();
  }
}
