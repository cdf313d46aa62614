// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Lowering/CheckKernel.h"

#include "compiler/Fusion/Sizes.h"
#include "compiler/Lowering/AttentionTasks.h"

using namespace mlir;
using namespace heddle;

// The operands of `op` that are read in the layout of weights.
static SmallVector<Value> weightsOf(Operation *op) {
  SmallVector<Value> weights;
  if (auto embedding = dyn_cast<EmbeddingOp>(op))
    weights = {embedding.getTable()};
  if (auto norm = dyn_cast<RMSNormOp>(op))
    weights = {norm.getWeight()};
  if (auto linear = dyn_cast<LinearOp>(op))
    weights = {linear.getWeight(), linear.getBias()};
  if (auto rotary = dyn_cast<RotaryOp>(op))
    weights = {rotary.getTable()};
  return weights;
}

static bool isWeight(KernelOp kernel, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && kernel.getArgAttr(argument.getArgNumber(), kWeightAttr);
}

// Rows of f32 with channels, or one i32 for each row.
static bool canBeStored(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return true;
  if (tensor.getElementType().isInteger(32))
    return true;
  return tensor.getElementType().isF32() && tensor.getRank() > 0 &&
         !tensor.isDynamicDim(tensor.getRank() - 1);
}

static LogicalResult checkTypes(KernelOp kernel) {
  auto check = [&](Location loc, Value value) -> LogicalResult {
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    if (tensor && llvm::is_contained(tensor.getShape(), 0))
      return emitError(loc)
             << "expected a tensor with elements, found " << tensor;
    if (tensor && llvm::any_of(tensor.getShape(), [](int64_t extent) {
          return !ShapedType::isDynamic(extent) && extent > kLargestCount;
        }))
      return emitError(loc) << "expected dimensions of at most "
                            << kLargestCount << ", found " << tensor;
    return success();
  };
  bool isGeneric = !kernel.getBody().getOps<GenericOp>().empty();
  auto checkStored = [&](Location loc, Value value) -> LogicalResult {
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    bool isAnyF32 = isGeneric && tensor && tensor.getRank() > 0 &&
                    tensor.getElementType().isF32();
    if (isWeight(kernel, value) || isAnyF32 || canBeStored(value.getType()))
      return success();
    return emitError(loc)
           << "expected f32 with a static number of channels between kernels, "
              "found "
           << value.getType();
  };
  for (BlockArgument argument : kernel.getArguments())
    if (failed(check(kernel.getLoc(), argument)) ||
        failed(checkStored(kernel.getLoc(), argument)))
      return failure();
  for (Operation &op : kernel.getBody().front().without_terminator())
    for (Value result : op.getResults())
      if (failed(check(op.getLoc(), result)))
        return failure();
  Operation *yield = kernel.getBody().front().getTerminator();
  for (Value value : yield->getOperands())
    if (failed(checkStored(value.getLoc(), value)))
      return failure();
  return success();
}

// Any operand of a heddle.generic may be a weight, and those that its kernel
// computes are results of others.
static LogicalResult checkGeneric(KernelOp kernel, GenericOp op) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (operand.get().getDefiningOp<GenericOp>())
      continue;
    if (isa<BlockArgument>(operand.get()) &&
        (!isWeight(kernel, operand.get()) ||
         getElementTypeOrSelf(operand.get().getType()).isF32()))
      continue;
    return op.emitOpError("expected operand ")
           << operand.getOperandNumber()
           << " to be an argument of the function, the result of another "
              "kernel or a weight of f32, found "
           << operand.get().getType();
  }
  return success();
}

static LogicalResult checkWeights(KernelOp kernel, Operation *op) {
  if (auto generic = dyn_cast<GenericOp>(op))
    return checkGeneric(kernel, generic);
  SmallVector<Value> weights = weightsOf(op);
  for (OpOperand &operand : op->getOpOperands()) {
    bool expected = llvm::is_contained(weights, operand.get());
    if (isWeight(kernel, operand.get()) == expected)
      continue;
    return op->emitOpError("expected ")
           << (expected ? "a heddle.weight" : "a value, not a weight,")
           << " as operand " << operand.getOperandNumber();
  }
  return success();
}

// Keys and values lie in the cache in different orders.
static LogicalResult checkCacheUses(CacheReadOp op) {
  for (OpOperand &use : op->getUses()) {
    auto attention = dyn_cast<AttentionOp>(use.getOwner());
    bool isKey = use.get() == op.getKey();
    OpOperand *expected = nullptr;
    if (attention)
      expected =
          isKey ? &attention.getKeyMutable() : &attention.getValueMutable();
    if (&use == expected)
      continue;
    InFlightDiagnostic diagnostic = op.emitOpError("expected its ")
                                    << (isKey ? "keys" : "values")
                                    << " to be those of an attention";
    diagnostic.attachNote(use.getOwner()->getLoc()) << "used here";
    return diagnostic;
  }
  return success();
}

static LogicalResult checkHeads(AttentionOp op) {
  int64_t bytes = attentionRowBytes(op);
  if (bytes <= kAttentionTileBytes)
    return success();
  return op.emitOpError("expected heads that need at most ")
         << kAttentionTileBytes
         << " bytes of stack, 4 for each channel of a query and 12 for each of "
            "a value; found "
         << bytes;
}

LogicalResult heddle::checkKernel(KernelOp kernel) {
  if (failed(checkTypes(kernel)))
    return failure();
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    if (failed(checkWeights(kernel, &op)))
      return failure();
    auto read = dyn_cast<CacheReadOp>(op);
    if (read && failed(checkCacheUses(read)))
      return failure();
    auto attention = dyn_cast<AttentionOp>(op);
    if (attention && failed(checkHeads(attention)))
      return failure();
  }
  return success();
}
