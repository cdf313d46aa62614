// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Prepare/ControlFlowSizes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"

using namespace mlir;
using namespace heddle;

using ResolveBlock = llvm::function_ref<LogicalResult(Block &)>;

bool heddle::isControlFlow(Operation *op) {
  return isa<scf::ForOp, scf::WhileOp, scf::IfOp>(op);
}

bool heddle::isNumbersOnly(Operation *op) {
  auto isNumber = [](Type type) { return type.isIntOrIndexOrFloat(); };
  return op->getNumRegions() == 0 && op->getNumResults() > 0 &&
         llvm::all_of(op->getResultTypes(), isNumber) &&
         (isa<tensor::ExtractOp>(op) ||
          llvm::all_of(op->getOperandTypes(), isNumber));
}

LogicalResult heddle::checkNumbers(Operation *op) {
  if (isa<math::MathDialect>(op->getDialect()))
    return op->emitOpError("expected a tensor, which may be of rank 0; numbers "
                           "outside of tensors are computed by arith alone");
  auto extract = dyn_cast<tensor::ExtractOp>(op);
  if (!extract)
    return success();
  RankedTensorType type = extract.getTensor().getType();
  for (auto [axis, index] : llvm::enumerate(extract.getIndices())) {
    // A call in which a dynamic dimension has no element is refused.
    int64_t extent = type.isDynamicDim(axis) ? 1 : type.getDimSize(axis);
    std::optional<int64_t> number = getConstantIntValue(index);
    if (number && (*number < 0 || *number >= extent))
      return op->emitOpError("expected index ")
             << axis << " from 0 to " << extent - 1 << ", found " << *number;
  }
  return success();
}

// Sets the types of `to` to those of `from`.
static LogicalResult carry(Operation *op, ValueRange from, ValueRange to) {
  for (auto [index, pair] : llvm::enumerate(llvm::zip_equal(from, to))) {
    auto [source, target] = pair;
    if (isa<CacheType, MaskType>(source.getType()))
      return op->emitOpError("expected it to carry tensors and numbers, found ")
             << source.getType();
    target.setType(source.getType());
  }
  return success();
}

// Whether a loop hands to its next step what its step takes.
static LogicalResult checkRound(Operation *op, ValueRange handedOn,
                                ValueRange taken) {
  for (auto [index, pair] : llvm::enumerate(llvm::zip_equal(handedOn, taken))) {
    auto [found, expected] = pair;
    if (found.getType() == expected.getType())
      continue;
    InFlightDiagnostic error =
        op->emitOpError("expected value ")
        << index << " that it carries round to keep its type "
        << expected.getType() << ", found " << found.getType();
    error.attachNote(found.getLoc()) << "the value of the next step";
    return error;
  }
  return success();
}

static LogicalResult resolve(scf::ForOp op, ResolveBlock resolveBlock) {
  auto yield = cast<scf::YieldOp>(op.getBody()->getTerminator());
  if (failed(carry(op, op.getInitArgs(), op.getRegionIterArgs())) ||
      failed(resolveBlock(*op.getBody())) ||
      failed(checkRound(op, yield.getResults(), op.getRegionIterArgs())))
    return failure();
  return carry(op, op.getRegionIterArgs(), op.getResults());
}

static LogicalResult resolve(scf::WhileOp op, ResolveBlock resolveBlock) {
  ValueRange forwarded = op.getConditionOp().getArgs();
  if (failed(carry(op, op.getInits(), op.getBeforeArguments())) ||
      failed(resolveBlock(*op.getBeforeBody())) ||
      failed(carry(op, forwarded, op.getAfterArguments())) ||
      failed(resolveBlock(*op.getAfterBody())) ||
      failed(checkRound(op, op.getYieldOp().getResults(),
                        op.getBeforeArguments())))
    return failure();
  return carry(op, forwarded, op.getResults());
}

static LogicalResult resolve(scf::IfOp op, ResolveBlock resolveBlock) {
  for (Region *region : {&op.getThenRegion(), &op.getElseRegion()})
    if (!region->empty() && failed(resolveBlock(region->front())))
      return failure();
  if (op.getElseRegion().empty())
    return success();
  ValueRange first = op.thenYield().getResults();
  for (auto [one, other] : llvm::zip_equal(first, op.elseYield().getResults()))
    if (one.getType() != other.getType())
      return op.emitOpError("expected both branches to give one type, found ")
             << one.getType() << " and " << other.getType();
  return carry(op, first, op.getResults());
}

LogicalResult heddle::resolveControlFlow(Operation *op,
                                         ResolveBlock resolveBlock) {
  if (auto loop = dyn_cast<scf::ForOp>(op))
    return resolve(loop, resolveBlock);
  if (auto loop = dyn_cast<scf::WhileOp>(op))
    return resolve(loop, resolveBlock);
  return resolve(cast<scf::IfOp>(op), resolveBlock);
}
