// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/TextEntries/DimensionMaps.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;

static int64_t rankOf(Value value) {
  return cast<RankedTensorType>(value.getType()).getRank();
}

static DimensionMap none(Value operand) {
  auto type = dyn_cast<RankedTensorType>(operand.getType());
  return DimensionMap(type ? type.getRank() : 0, std::nullopt);
}

// All of them, the first of which is dimension `first` of the result.
static DimensionMap inOrder(Value operand, int64_t first = 0) {
  DimensionMap map;
  for (int64_t dim : llvm::seq<int64_t>(0, rankOf(operand)))
    map.push_back(first + dim);
  return map;
}

// Counted from the last.
static DimensionMap broadcast(Value operand, Value result) {
  return inOrder(operand, rankOf(result) - rankOf(operand));
}

static DimensionMap except(DimensionMap map, int64_t dim) {
  map[dim] = std::nullopt;
  return map;
}

// Those that a slice or a pad leaves as they are.
static DimensionMap unchanged(Value operand, Value result) {
  DimensionMap map = inOrder(operand);
  for (auto [dim, size] : llvm::enumerate(sizesOf(operand)))
    if (size != sizesOf(result)[dim])
      map[dim] = std::nullopt;
  return map;
}

static DimensionMap mapOf(TransposeOp op, OpOperand &operand, Value) {
  DimensionMap map = none(operand.get());
  for (auto [to, from] : llvm::enumerate(op.getPermutation()))
    map[from] = to;
  return map;
}

static DimensionMap mapOf(ExpandOp op, OpOperand &, Value result) {
  DimensionMap map;
  for (int64_t dim : llvm::seq<int64_t>(0, rankOf(result)))
    if (!llvm::is_contained(op.getAxes(), dim))
      map.push_back(dim);
  return map;
}

// Without those of `axes`.
static DimensionMap without(Value operand, ArrayRef<int64_t> axes,
                            bool keepsSizes = false) {
  DimensionMap map = none(operand);
  int64_t next = 0;
  for (int64_t dim : llvm::seq<int64_t>(0, rankOf(operand))) {
    if (!llvm::is_contained(axes, dim))
      map[dim] = next;
    next += keepsSizes || map[dim];
  }
  return map;
}

static DimensionMap mapOf(SliceOp op, OpOperand &operand, Value result) {
  DimensionMap map = unchanged(operand.get(), result);
  for (auto [dim, offset] : llvm::enumerate(toSizes(op.getOffsets())))
    if (offset.asNumber() != 0 || op.getSteps()[dim] != 1)
      map[dim] = std::nullopt;
  return map;
}

static DimensionMap mapOf(PadOp op, OpOperand &operand, Value result) {
  DimensionMap map = unchanged(operand.get(), result);
  for (auto [dim, low] : llvm::enumerate(toSizes(op.getLow())))
    if (low.asNumber() != 0)
      map[dim] = std::nullopt;
  return map;
}

static DimensionMap mapOf(LinearOp op, OpOperand &operand, Value) {
  if (operand.get() != op.getInput())
    return none(operand.get());
  return except(inOrder(operand.get()), rankOf(operand.get()) - 1);
}

static DimensionMap mapOf(MatmulOp op, OpOperand &operand, Value result) {
  bool isLeft = operand.getOperandNumber() == 0;
  int64_t rank = rankOf(operand.get()), last = rankOf(result) - 1;
  DimensionMap map = broadcast(operand.get(), result);
  bool isTransposed = isLeft ? op.getTransposeA() : op.getTransposeB();
  int64_t depth = isLeft != isTransposed ? rank - 1 : rank - 2;
  map[depth] = std::nullopt;
  map[2 * rank - 3 - depth] = isLeft ? last - 1 : last;
  return map;
}

// Norms, over the last dimension.
static DimensionMap ofRows(OpOperand &operand) {
  return operand.getOperandNumber() == 0
             ? except(inOrder(operand.get()), rankOf(operand.get()) - 1)
             : none(operand.get());
}

// By the angles of each token.
static DimensionMap mapOf(RotaryOp op, OpOperand &operand, Value result) {
  Value given = operand.get();
  return op.getCosines() ? except(broadcast(given, result), rankOf(given) - 1)
                         : none(given);
}

static DimensionMap mapOf(GatherOp op, OpOperand &operand, Value) {
  int64_t chosen = op.getCoordinates().value_or(1), axis = op.getAxis();
  int64_t places = rankOf(op.getIndices()) - (op.getCoordinates() ? 1 : 0);
  if (operand.getOperandNumber() == 1) {
    DimensionMap map = inOrder(operand.get(), axis);
    return op.getCoordinates() ? except(map, places) : map;
  }
  DimensionMap map = none(operand.get());
  for (int64_t dim : llvm::seq<int64_t>(0, map.size()))
    if (dim < axis)
      map[dim] = dim;
    else if (dim >= axis + chosen)
      map[dim] = dim - chosen + places;
  return map;
}

static DimensionMap mapOf(AttentionOp op, OpOperand &operand, Value result) {
  HeadLayout to = op.getLayoutOfOutput();
  if (operand.getOperandNumber() > 2 || result != op->getResult(0))
    return none(operand.get());
  HeadLayout from = op.getLayoutOf(operand.get());
  DimensionMap map = none(operand.get());
  if (from.batches.size() != to.batches.size())
    return map;
  for (auto [dim, other] : llvm::zip_equal(from.batches, to.batches))
    map[dim] = other;
  if (operand.get() == op.getQuery())
    map[from.length] = to.length;
  return map;
}

DimensionMap heddle::dimensionMap(OpOperand &operand, OpResult result) {
  Operation *op = operand.getOwner();
  Value value = operand.get();
  if (!isa<RankedTensorType>(value.getType()) ||
      !isa<RankedTensorType>(result.getType()))
    return none(value);
  if (op->hasTrait<OpTrait::Elementwise>())
    return inOrder(value);
  return llvm::TypeSwitch<Operation *, DimensionMap>(op)
      .Case<TransposeOp, ExpandOp, SliceOp, PadOp, LinearOp, MatmulOp, RotaryOp,
            GatherOp, AttentionOp>(
          [&](auto op) { return mapOf(op, operand, result); })
      .Case<BroadcastOp, WhereOp, CastOp, ActivationOp>(
          [&](auto) { return broadcast(value, result); })
      .Case([&](BroadcastTensorsOp) {
        return operand.getOperandNumber() == result.getResultNumber()
                   ? broadcast(value, result)
                   : none(value);
      })
      .Case([&](SqueezeOp op) { return without(value, op.getAxes()); })
      .Case([&](ReduceOp op) {
        return without(value, op.getAxes(), op.getKeepSizes());
      })
      .Case([&](ArgReduceOp op) {
        return without(value, op.getAxis(), op.getKeepSizes());
      })
      .Case<SoftmaxOp, LogSoftmaxOp, CumulativeSumOp, TopKOp, ConcatOp,
            SplitOp>(
          [&](auto op) { return except(inOrder(value), op.getAxis()); })
      .Case<RMSNormOp, LayerNormOp>([&](auto) { return ofRows(operand); })
      .Case<EmbeddingOp, OneHotOp>([&](auto) {
        return operand.getOperandNumber() == 0 ? inOrder(value) : none(value);
      })
      .Case([&](GatherElementsOp op) {
        return operand.getOperandNumber() == 0
                   ? except(inOrder(value), op.getAxis())
                   : inOrder(value);
      })
      .Default([&](Operation *) { return none(value); });
}
