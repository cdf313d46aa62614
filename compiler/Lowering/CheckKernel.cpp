// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Lowering/CheckKernel.h"

#include "compiler/Lowering/AttentionTasks.h"
#include "dialect/Heddle/BodyCoordinates.h"
#include "dialect/Heddle/Coordinates.h"
#include "dialect/Heddle/KernelAttributes.h"

using namespace mlir;
using namespace heddle;

static bool isWeight(KernelOp kernel, Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && kernel.getArgAttr(argument.getArgNumber(), kWeightAttr);
}

static LogicalResult checkTypes(KernelOp kernel) {
  auto check = [&](Location loc, Value value) -> LogicalResult {
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    if (tensor && llvm::any_of(tensor.getShape(), [](int64_t extent) {
          return !ShapedType::isDynamic(extent) && extent > kLargestCount;
        }))
      return emitError(loc) << "expected dimensions of at most "
                            << kLargestCount << ", found " << tensor;
    return success();
  };
  for (BlockArgument argument : kernel.getArguments())
    if (failed(check(kernel.getLoc(), argument)))
      return failure();
  for (Operation &op : kernel.getBody().front().without_terminator())
    for (Value result : op.getResults())
      if (failed(check(op.getLoc(), result)))
        return failure();
  return success();
}

// Queries, keys and values are what kernels compute; weights are in layouts of
// theirs. What masks, sinks and changes of scores read may be weights.
static LogicalResult checkWeights(KernelOp kernel, Operation *op) {
  unsigned checked = isa<AttentionOp>(op)     ? 3
                     : isa<CacheAppendOp>(op) ? op->getNumOperands()
                                              : 0;
  for (OpOperand &operand : op->getOpOperands().take_front(checked))
    if (isWeight(kernel, operand.get()))
      return op->emitOpError("expected a value, not a weight, as operand ")
             << operand.getOperandNumber();
  return success();
}

// Of sizes that are not known, calls are checked.
static LogicalResult checkDividends(GenericOp op) {
  LogicalResult result = success();
  forEachDividend(op, [&](SizeAttr dividend) {
    std::optional<int64_t> number = dividend.asNumber();
    if (number && *number > kLargestCount && succeeded(result))
      result = op.emitOpError("expected elements that 32 bits count, up to ")
               << kLargestCount << ", where they are numbered to find their "
               << "place; found " << *number;
  });
  return result;
}

// What a region makes of scores, or of terms, is computed where one is made, of
// that one alone: of the first `own` arguments.
static LogicalResult checkRegion(Region &region, unsigned own, StringRef what) {
  if (region.empty())
    return success();
  Block &body = region.front();
  auto arguments = body.getArguments().take_front(own);
  llvm::SmallPtrSet<Value, 8> scores(arguments.begin(), arguments.end());
  for (Operation &inside : body.without_terminator()) {
    auto generic = dyn_cast<GenericOp>(inside);
    if (!generic || generic.hasReduction())
      return inside.emitOpError("cannot make ")
             << what
             << " of attention: expected ops that compute each element "
                "of one of them, and of other tensors";
    if (failed(checkDividends(generic)))
      return failure();
    Sizes extents = generic.getExtents();
    auto isAtPoint = [&](unsigned input) {
      Sizes at = generic.getCoordinates(input);
      for (auto [dim, coordinate] : llvm::enumerate(at))
        if (coordinate !=
            simplify(dimensionSymbol(generic.getContext(), dim), extents))
          return false;
      return at.size() == extents.size();
    };
    bool usesScores = false;
    for (auto [index, input] : llvm::enumerate(generic.getInputs())) {
      if (!scores.contains(input))
        continue;
      usesScores = true;
      if (!isAtPoint(index))
        return generic.emitOpError("cannot make ")
               << what
               << " of attention: it reads those of other queries or keys";
    }
    for (Value table : generic.getTables())
      if (scores.contains(table))
        return generic.emitOpError("cannot make ")
               << what
               << " of attention: it reads those of other queries or keys";
    if (usesScores)
      scores.insert_range(generic.getResults());
  }
  return success();
}

static LogicalResult checkConfiguration(KernelOp kernel) {
  if (kernel->hasAttr(kConfigurationAttr))
    return success();
  return kernel.emitOpError("expected the attribute ")
         << kConfigurationAttr << ", which --heddle-configure-kernels writes";
}

LogicalResult heddle::checkKernel(KernelOp kernel) {
  if (failed(checkConfiguration(kernel)) || failed(checkTypes(kernel)))
    return failure();
  for (Operation &op : kernel.getBody().front().without_terminator()) {
    if (failed(checkWeights(kernel, &op)))
      return failure();
    auto generic = dyn_cast<GenericOp>(op);
    if (generic && failed(checkDividends(generic)))
      return failure();
    auto attention = dyn_cast<AttentionOp>(op);
    if (attention &&
        (failed(checkRegion(attention.getTerm(), 2, "terms")) ||
         failed(checkRegion(attention.getScore(), 1, "scores")) ||
         failed(checkRegion(attention.getFactors(), 1, "factors"))))
      return failure();
  }
  return success();
}
