// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle.linear %x, gather(%w, order) -> heddle.linear gather(%x, places), %w

#include "compiler/Prepare/LinearLayers.h"
#include "compiler/Prepare/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

namespace heddle {
#define GEN_PASS_DEF_REORDERINPUTS
#include "compiler/Prepare/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

// The matrix that has the inputs of `matrix` in another order.
static GatherOp reorderedOf(Value matrix) {
  auto gather = matrix.getDefiningOp<GatherOp>();
  bool isOfInputs =
      gather && gather.getAxis() == 1 &&
      gather.getInput().getType() == gather.getType() &&
      !gather.getCoordinates() && !gather.getWrap() &&
      llvm::cast<RankedTensorType>(matrix.getType()).getRank() == 2;
  return isOfInputs ? gather : GatherOp();
}

// Where each input of that matrix is among those of the other; empty if that is
// not known, or not for each input one place.
static SmallVector<int32_t> placesOf(GatherOp gather) {
  DenseIntElementsAttr order;
  auto type = cast<RankedTensorType>(gather.getIndices().getType());
  if (type.getRank() != 1 ||
      !matchPattern(gather.getIndices(), m_Constant(&order)))
    return {};
  int64_t count = type.getNumElements();
  SmallVector<int32_t> places(count, -1);
  for (auto [input, index] : llvm::enumerate(order.getValues<llvm::APInt>())) {
    int64_t from = index.getSExtValue();
    if (from < 0 || from >= count || places[from] >= 0)
      return {};
    places[from] = int32_t(input);
  }
  return places;
}

static void reorder(LinearOp op) {
  GatherOp gather = reorderedOf(op.getWeight());
  SmallVector<int32_t> places =
      gather ? placesOf(gather) : SmallVector<int32_t>();
  if (places.empty())
    return;
  OpBuilder b(op);
  auto type = RankedTensorType::get({int64_t(places.size())}, b.getI32Type());
  Value indices = arith::ConstantOp::create(
      b, gather.getLoc(), DenseElementsAttr::get(type, ArrayRef(places)));
  auto input = cast<RankedTensorType>(op.getInput().getType());
  Value moved = GatherOp::create(b, op.getLoc(), input, op.getInput(), indices,
                                 b.getI64IntegerAttr(input.getRank() - 1),
                                 IntegerAttr(), UnitAttr());
  op.getInputMutable().assign(moved);
  op.getWeightMutable().assign(gather.getInput());
  if (gather.use_empty())
    gather.erase();
}

namespace {
struct ReorderInputs : heddle::impl::ReorderInputsBase<ReorderInputs> {
  using ReorderInputsBase::ReorderInputsBase;

  void runOnOperation() override {
    exposeLinearLayers(getOperation(), [](Value matrix) {
      GatherOp gather = reorderedOf(matrix);
      return gather && !placesOf(gather).empty();
    });
    getOperation().walk([](LinearOp op) { reorder(op); });
  }
};
} // namespace
