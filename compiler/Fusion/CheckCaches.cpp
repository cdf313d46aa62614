// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Fusion/CheckCaches.h"

using namespace mlir;
using namespace heddle;

namespace {

/// A layer of a cache, as one op sees it.
struct LayerUse {
  Operation *op;
  Value cache;
  uint64_t layer;
};

/// The layers, as the kernels leave them.
class CacheOrder {
public:
  // Checks and follows all that `kernel` reads and appends to.
  LogicalResult run(ArrayRef<Operation *> kernel) {
    std::optional<LayerUse> first;
    for (Operation *op : kernel) {
      SmallVector<LayerUse> uses;
      llvm::DenseSet<Operation *> visited;
      collect(op, kernel, visited, uses);
      for (const LayerUse &use : uses) {
        if (!first)
          first = use;
        // No kernel passes the control flow that it stands in, so that inside
        // of that the order is the one that the ops' verifiers have seen.
        bool isInside = !isa<FunctionOpInterface>(op->getParentOp());
        if (failed(checkSame(*first, use)) ||
            (!isInside && failed(checkCurrent(use))))
          return failure();
      }
      if (auto append = dyn_cast<CacheAppendOp>(op))
        last[layerOf(append)] = append;
    }
    return success();
  }

private:
  using Layer = std::pair<Value, uint64_t>;

  // What `op` uses itself or through views.
  static void collect(Operation *op, ArrayRef<Operation *> kernel,
                      llvm::DenseSet<Operation *> &visited,
                      SmallVectorImpl<LayerUse> &uses) {
    if (!visited.insert(op).second)
      return;
    if (auto append = dyn_cast<CacheAppendOp>(op))
      uses.push_back({op, append.getCache(), append.getLayer()});
    if (auto read = dyn_cast<CacheReadOp>(op))
      uses.push_back({op, read.getCache(), read.getLayer()});
    for (Value operand : op->getOperands()) {
      Operation *producer = operand.getDefiningOp();
      if (producer && !llvm::is_contained(kernel, producer) &&
          isClonedView(producer))
        collect(producer, kernel, visited, uses);
    }
  }

  static Value rootOf(Value cache) {
    while (auto append = cache.getDefiningOp<CacheAppendOp>())
      cache = append.getCache();
    return cache;
  }

  static Layer layerOf(CacheAppendOp append) {
    return {rootOf(append.getCache()), append.getLayer()};
  }

  static LogicalResult checkSame(const LayerUse &first, const LayerUse &use) {
    if (first.layer == use.layer && rootOf(first.cache) == rootOf(use.cache))
      return success();
    InFlightDiagnostic diagnostic = use.op->emitOpError(
        "expected one layer of one cache for all of a kernel, and for the keys "
        "and the values of an attention");
    diagnostic.attachNote(first.op->getLoc()) << "another is used here";
    return diagnostic;
  }

  // Whether the last append to the layer is the one that `use` builds on.
  LogicalResult checkCurrent(const LayerUse &use) {
    Operation *expected = nullptr;
    Value cache = use.cache;
    while (auto append = cache.getDefiningOp<CacheAppendOp>()) {
      if (append.getLayer() == use.layer) {
        expected = append;
        break;
      }
      cache = append.getCache();
    }
    Operation *found = last.lookup({rootOf(use.cache), use.layer});
    if (found == expected)
      return success();
    InFlightDiagnostic diagnostic = use.op->emitOpError(
        "uses an older value of the cache, whose memory has been appended to");
    if (found)
      diagnostic.attachNote(found->getLoc()) << "by this op";
    return diagnostic;
  }

  llvm::DenseMap<Layer, Operation *> last;
};

} // namespace

LogicalResult heddle::checkCaches(const FusionPlan &plan) {
  CacheOrder order;
  for (ArrayRef<Operation *> kernel : plan.kernels)
    if (failed(order.run(kernel)))
      return failure();
  return success();
}
