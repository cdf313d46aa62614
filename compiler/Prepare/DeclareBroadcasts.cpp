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

// Adds the dimensions of `input` whose sizes do not tell by themselves that
// they can be broadcast to those of `result`.
static void addBroadcasts(Value input, Value result,
                          llvm::SetVector<Attribute> &broadcasts) {
  Sizes sizes = sizesOf(input), targets = sizesOf(result);
  for (auto [size, target] :
       llvm::zip_equal(sizes, ArrayRef(targets).take_back(sizes.size())))
    if (size != target && size.asNumber() != 1)
      broadcasts.insert(BroadcastAttr::get(input.getContext(), size, target));
}

static LogicalResult declareBroadcasts(func::FuncOp function) {
  if (function->hasAttr(kBroadcastsAttr))
    return function.emitError("expected no ")
           << kBroadcastsAttr << ", which is what ops say";
  llvm::SetVector<Attribute> broadcasts;
  function.walk([&](Operation *op) {
    if (isa<BroadcastOp, BroadcastTensorsOp>(op))
      for (auto [input, result] :
           llvm::zip_equal(op->getOperands(), op->getResults()))
        addBroadcasts(input, result, broadcasts);
  });
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
