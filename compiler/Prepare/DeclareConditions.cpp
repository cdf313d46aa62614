// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle.broadcast %x to ["n"] : tensor<?xf32, #heddle.sizes<"b">> -> ...
//   -> func @f(...) attributes {heddle.broadcasts = [<"b" to "n">]}
// heddle.split %x axis(0) sizes [4, "n - 4"]
//   -> func @f(...) attributes {heddle.counts = ["n - 4"]}

#include "compiler/Prepare/Passes.h"
#include "dialect/Heddle/Verification.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

namespace heddle {
#define GEN_PASS_DEF_DECLARECONDITIONS
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

// A part that nobody reads is no tensor of any kernel, and still no other part
// may be larger than the whole; nor is what is reshaped and read as it was, of
// two sizes that are both negative.
static void addCounts(Operation *op, llvm::SetVector<Attribute> &counts) {
  if (!isa<SplitOp, ReshapeOp>(op))
    return;
  for (Value result : op->getResults())
    for (SizeAttr size : sizesOf(result))
      if (!isNeverNegativeIn(op, size))
        counts.insert(size);
}

static LogicalResult declareConditions(func::FuncOp function) {
  llvm::SetVector<Attribute> broadcasts, counts;
  function.walk([&](Operation *op) {
    addBroadcasts(op, broadcasts);
    addCounts(op, counts);
  });
  for (auto [name, found] : {std::pair(kBroadcastsAttr, &broadcasts),
                             std::pair(kCountsAttr, &counts)}) {
    if (function->hasAttr(name))
      return function.emitError("expected no ")
             << name << ", which is what ops say";
    if (!found->empty())
      function->setAttr(
          name, ArrayAttr::get(function.getContext(), found->getArrayRef()));
  }
  return success();
}

namespace {
struct DeclareConditions
    : heddle::impl::DeclareConditionsBase<DeclareConditions> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (failed(declareConditions(function)))
        return signalPassFailure();
  }
};
} // namespace
