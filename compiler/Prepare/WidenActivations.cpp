// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle.linear of bf16 -> heddle.cast to f32, heddle.linear, heddle.cast to
// bf16

#include "compiler/Prepare/Passes.h"

#include "dialect/Heddle/HeddleDialect.h"

#include "mlir/IR/IRMapping.h"

namespace heddle {
#define GEN_PASS_DEF_WIDENACTIVATIONS
#include "compiler/Prepare/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

// The type with elements of f32; null where it is no tensor of shorter floats.
static RankedTensorType widened(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !isa<FloatType>(tensor.getElementType()) ||
      tensor.getElementTypeBitWidth() >= 32)
    return {};
  return tensor.clone(Float32Type::get(type.getContext()));
}

// Weights are read as they are stored.
static bool isWeight(Value value) {
  return isa_and_nonnull<WeightRefOp>(value.getDefiningOp());
}

// The type that an operand is cast to; null where it stays.
static RankedTensorType typeOfCast(ActivationsOpInterface op,
                                   OpOperand &operand) {
  if (isWeight(operand.get()) || !op.isActivation(operand))
    return {};
  return widened(operand.get().getType());
}

static void widen(ActivationsOpInterface op) {
  auto isCast = [&](OpOperand &operand) { return typeOfCast(op, operand); };
  if (llvm::none_of(op->getResultTypes(), widened) &&
      llvm::none_of(op->getOpOperands(), isCast))
    return;
  OpBuilder b(op);
  Location loc = op->getLoc();
  Operation *wide = b.clone(*op);
  b.setInsertionPoint(wide);
  // Of a value that is several operands there is one cast: ops ask whether they
  // are the same.
  llvm::SmallDenseMap<Value, Value> casts;
  for (auto [operand, same] :
       llvm::zip_equal(op->getOpOperands(), wide->getOpOperands()))
    if (RankedTensorType type = typeOfCast(op, operand)) {
      Value &cast = casts[operand.get()];
      if (!cast)
        cast = CastOp::create(b, loc, type, operand.get());
      same.set(cast);
    }
  b.setInsertionPointAfter(wide);
  for (auto [result, same] :
       llvm::zip_equal(op->getResults(), wide->getResults())) {
    Value narrow = same;
    if (RankedTensorType type = widened(result.getType())) {
      same.setType(type);
      narrow = CastOp::create(b, loc, result.getType(), same);
    }
    result.replaceAllUsesWith(narrow);
  }
  op->erase();
}

namespace {
struct WidenActivations : heddle::impl::WidenActivationsBase<WidenActivations> {
  void runOnOperation() override {
    SmallVector<ActivationsOpInterface> ops;
    getOperation()->walk([&](ActivationsOpInterface op) { ops.push_back(op); });
    for (ActivationsOpInterface op : ops)
      widen(op);
  }
};
} // namespace
