// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle.broadcast %x to ["n"] : tensor<?xf32, #heddle.sizes<"b">> -> ...
//   -> func @f(...) attributes {heddle.broadcasts = [<"b" to "n">]}

#include "compiler/Prepare/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

namespace heddle {
#define GEN_PASS_DEF_DECLAREBROADCASTS
#include "compiler/Prepare/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

// Adds the sizes that do not tell by themselves that they can be broadcast to
// the last of `targets`.
static void addBroadcasts(ArrayRef<SizeAttr> sizes, ArrayRef<SizeAttr> targets,
                          llvm::SetVector<Attribute> &broadcasts) {
  for (auto [size, target] :
       llvm::zip_equal(sizes, targets.take_back(sizes.size())))
    if (size != target && size.asNumber() != 1)
      broadcasts.insert(BroadcastAttr::get(size.getContext(), size, target));
}

static void addBroadcasts(Operation *op,
                          llvm::SetVector<Attribute> &broadcasts) {
  // The last two sizes of a product are those of matrices.
  unsigned others = isa<MatmulOp>(op) ? 2 : 0;
  if (!isa<BroadcastOp, BroadcastTensorsOp, WhereOp, MatmulOp>(op))
    return;
  Sizes targets = sizesOf(op->getResult(0));
  for (Value operand : op->getOperands()) {
    Sizes sizes = sizesOf(operand);
    addBroadcasts(ArrayRef(sizes).drop_back(others),
                  ArrayRef(targets).drop_back(others), broadcasts);
  }
}

static LogicalResult declareBroadcasts(func::FuncOp function) {
  if (function->hasAttr(kBroadcastsAttr))
    return function.emitError("expected no ")
           << kBroadcastsAttr << ", which is what ops say";
  llvm::SetVector<Attribute> broadcasts;
  function.walk([&](Operation *op) { addBroadcasts(op, broadcasts); });
  if (!broadcasts.empty())
    function->setAttr(
        kBroadcastsAttr,
        ArrayAttr::get(function.getContext(), broadcasts.getArrayRef()));
  return success();
}

namespace {
struct DeclareBroadcasts
    : heddle::impl::DeclareBroadcastsBase<DeclareBroadcasts> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(declareBroadcasts(function)))
        return signalPassFailure();
  }
};
} // namespace
