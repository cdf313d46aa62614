// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is wrong with a directive in any pipeline. Whether the pipeline has the
// loops and funcs that it names is known when it is translated.

#include "dialect/Halide/HalideDialect.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace heddle::halide;

//===-- Names -------------------------------------------------------------===//

static LogicalResult verifyDistinct(Operation *op, ArrayRef<StringRef> names) {
  llvm::StringSet<> seen;
  for (StringRef name : names)
    if (!seen.insert(name).second)
      return op->emitOpError("expected distinct loops, found '")
             << name << "' twice";
  return success();
}

static SmallVector<StringRef> namesIn(ArrayRef<ArrayAttr> arrays) {
  SmallVector<StringRef> names;
  for (ArrayAttr array : arrays)
    llvm::append_range(names, array.getAsValueRange<StringAttr>());
  return names;
}

// The parts of a directive that splits several loops: an outer loop, an inner
// loop and a factor for each.
static LogicalResult verifyTile(Operation *op, ArrayAttr previous,
                                ArrayAttr outers, ArrayAttr inners,
                                ArrayRef<int64_t> factors) {
  size_t expected = previous.size();
  if (outers.size() != expected || inners.size() != expected ||
      factors.size() != expected)
    return op->emitOpError("expected ")
           << expected << " outer loops, inner loops and factors, found "
           << outers.size() << ", " << inners.size() << " and "
           << factors.size();
  for (int64_t factor : factors)
    if (factor <= 0 || factor > std::numeric_limits<int32_t>::max())
      return op->emitOpError("expected positive factors, found ") << factor;
  return success();
}

static LogicalResult verifyGpuLoops(Operation *op, ArrayAttr loops) {
  if (loops.empty() || loops.size() > 3)
    return op->emitOpError("expected one to three loops, found ")
           << loops.size();
  return success();
}

//===-- Stages ------------------------------------------------------------===//

LogicalResult SplitOp::verify() {
  // C1
  return verifyDistinct(*this, {getOuter(), getInner()});
}

LogicalResult FuseOp::verify() {
  // C1
  return verifyDistinct(*this, {getInner(), getOuter()});
}

LogicalResult TileOp::verify() {
  // C1
  if (failed(verifyTile(*this, getPrevious(), getOuters(), getInners(),
                        getFactors())))
    return failure();
  // C2
  return verifyDistinct(*this, namesIn({getOuters(), getInners()}));
}

LogicalResult ReorderOp::verify() {
  // C1
  return verifyDistinct(*this, namesIn({getVars()}));
}

LogicalResult RenameOp::verify() {
  // C1
  return verifyDistinct(*this, {getOldName(), getNewName()});
}

LogicalResult ComputeWithOp::verify() {
  // C1
  if (getStage() == getFunc() && getStageUpdate() == getUpdate())
    return emitOpError("expected another stage than its own");
  return success();
}

LogicalResult GpuBlocksOp::verify() {
  // C1
  if (failed(verifyGpuLoops(*this, getVars())))
    return failure();
  return verifyDistinct(*this, namesIn({getVars()}));
}

LogicalResult GpuThreadsOp::verify() {
  // C1
  if (failed(verifyGpuLoops(*this, getVars())))
    return failure();
  return verifyDistinct(*this, namesIn({getVars()}));
}

LogicalResult GpuTileOp::verify() {
  // C1
  if (failed(verifyGpuLoops(*this, getVars())))
    return failure();
  // C2
  if (failed(
          verifyTile(*this, getVars(), getBlocks(), getThreads(), getSizes())))
    return failure();
  // C3
  return verifyDistinct(*this, namesIn({getBlocks(), getThreads()}));
}

LogicalResult SpecializeOp::verifyRegions() {
  // C1
  for (Operation &op : getBody().front()) {
    if (op.getAttr("func") == getFuncAttr() &&
        op.getAttr("update") == getUpdateAttr())
      continue;
    InFlightDiagnostic diagnostic =
        op.emitOpError("expected a directive of the stage that is specialized");
    diagnostic.attachNote(getLoc()) << "the specialization";
    return diagnostic;
  }
  // C2
  int64_t value = getValueAttr().getInt();
  if (getComparison() == Comparison::MultipleOf && value <= 0)
    return emitOpError("expected a multiple of a positive number, found ")
           << value;
  return success();
}

//===-- Funcs -------------------------------------------------------------===//

static LogicalResult verifyConsumer(Operation *op, FlatSymbolRefAttr func,
                                    FlatSymbolRefAttr consumer) {
  if (func == consumer)
    return op->emitOpError("expected a loop of another func, found one of ")
           << func;
  return success();
}

LogicalResult ComputeAtOp::verify() {
  // C1
  return verifyConsumer(*this, getFuncAttr(), getConsumerAttr());
}

LogicalResult StoreAtOp::verify() {
  // C1
  return verifyConsumer(*this, getFuncAttr(), getConsumerAttr());
}

LogicalResult ReorderStorageOp::verify() {
  // C1
  if (getDims().size() < 2)
    return emitOpError("expected at least two dimensions, found ")
           << getDims().size();
  return verifyDistinct(*this, namesIn({getDims()}));
}

LogicalResult AlignBoundsOp::verify() {
  // C1
  int64_t remainder = getRemainder();
  if (remainder < 0 || remainder >= (int64_t)getModulus())
    return emitOpError("expected a remainder from 0 to ")
           << getModulus() - 1 << ", found " << remainder;
  return success();
}
