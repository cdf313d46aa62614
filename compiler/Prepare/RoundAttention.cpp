// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle.attention %q, %k, %v -> heddle.attention %q, %k, %v products(bf16)

#include "compiler/Prepare/DecodedWeights.h"
#include "compiler/Prepare/LinearLayers.h"
#include "compiler/Prepare/Passes.h"
#include "compiler/Target/MachineModel.h"
#include "dialect/Heddle/SumOfProducts.h"

namespace heddle {
#define GEN_PASS_DEF_ROUNDATTENTION
#include "compiler/Prepare/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

// Whether what `op` multiplies with a matrix has become bytes, or bf16 beside
// one of bf16.
static bool multipliesNarrow(Operation *op) {
  Value x, matrix;
  if (auto layer = LinearLayer::of(op)) {
    x = layer->input().get();
    matrix = layer->weight().get();
  } else if (auto product = dyn_cast<MatmulOp>(op)) {
    x = product.getA();
    matrix = product.getB();
  } else {
    return false;
  }
  if (auto decoded = x.getDefiningOp<DequantizeOp>())
    return getElementTypeOrSelf(decoded.getCodes()).isInteger(8) &&
           !followsFromWeights(decoded);
  auto widened = x.getDefiningOp<CastOp>();
  return widened && getElementTypeOrSelf(widened.getInput()).isBF16() &&
         isOfBFloats(matrix);
}

// Whether keys or values are those of a cache, as they are or in another shape.
static bool isCached(Value operand) {
  Operation *op = operand.getDefiningOp();
  while (isa_and_nonnull<CastOp, ReshapeOp, SliceOp, TransposeOp>(op))
    op = op->getOperand(0).getDefiningOp();
  return isa_and_nonnull<CacheReadOp>(op);
}

// Whether attention may round its factors, of which there are pairs.
static bool mayRound(AttentionOp op) {
  return op.getNormalize() == Normalization::Softmax && !op.hasTerm() &&
         !op.hasFactors() && op.getComputedType().isF32() &&
         op.getHeadDim() % kPair == 0;
}

// Whether the CPU multiplies pairs that it packs, or those of a cache.
static bool multipliesPairs(AttentionOp op, const MachineModel &machine) {
  if (isCached(op.getKey()) || isCached(op.getValue()))
    return machine.bfloatTerms == kPair &&
           op.readsCacheOf(BFloat16Type::get(op->getContext()));
  return machine.packsPairs(op);
}

namespace {
struct RoundAttention : heddle::impl::RoundAttentionBase<RoundAttention> {
  using RoundAttentionBase::RoundAttentionBase;

  void runOnOperation() override {
    WalkResult walk = getOperation()->walk([](Operation *op) {
      return multipliesNarrow(op) ? WalkResult::interrupt()
                                  : WalkResult::advance();
    });
    if (!walk.wasInterrupted())
      return;
    llvm::Expected<MachineModel> machine = MachineModel::forCpu(cpu);
    if (!machine) {
      getOperation().emitError() << llvm::toString(machine.takeError());
      return signalPassFailure();
    }
    getOperation()->walk([&](AttentionOp op) {
      if (mayRound(op) && multipliesPairs(op, *machine))
        op.setProducts(BFloat16Type::get(&getContext()));
    });
  }
};
} // namespace
