// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/HeddleDialect.h"
#include "dialect/Heddle/Verification.h"

using namespace mlir;
using namespace heddle;

static int64_t channels(Value value) {
  return cast<RankedTensorType>(value.getType()).getShape().back();
}

//===-- heddle.cache.append, heddle.cache.read ----------------------------===//

static LogicalResult verifyLayer(Operation *op, int64_t layer,
                                 CacheType cache) {
  if (layer >= 0 && layer < cache.getLayers())
    return success();
  return op->emitOpError("expected a layer below ")
         << cache.getLayers() << ", found " << layer;
}

// Whether `user` only reads layers of a cache other than `layer`.
static bool readsOtherLayer(Operation *user, int64_t layer) {
  if (auto read = dyn_cast<CacheReadOp>(user))
    return int64_t(read.getLayer()) != layer;
  if (auto launch = dyn_cast<LaunchOp>(user))
    return launch.getLayer() && int64_t(*launch.getLayer()) != layer &&
           llvm::none_of(launch.getResultTypes(), llvm::IsaPred<CacheType>);
  return false;
}

LogicalResult heddle::verifyLastUse(OpOperand &cache, int64_t layer) {
  Operation *op = cache.getOwner();
  auto isBefore = [&](Operation *user) {
    Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*user);
    return ancestor && ancestor != op && ancestor->isBeforeInBlock(op);
  };
  for (OpOperand &use : cache.get().getUses()) {
    if (&use == &cache || readsOtherLayer(use.getOwner(), layer))
      continue;
    // What was read is a view: who uses it reads the cache.
    SmallVector<Operation *> readers{use.getOwner()};
    if (isa<CacheReadOp>(use.getOwner()))
      llvm::append_range(readers, use.getOwner()->getUsers());
    auto *late = llvm::find_if_not(readers, isBefore);
    if (late == readers.end())
      continue;
    InFlightDiagnostic diagnostic =
        op->emitOpError("expected no use of the cache's old value after this, "
                        "which changes it in place");
    diagnostic.attachNote((*late)->getLoc()) << "used here";
    return diagnostic;
  }
  return success();
}

LogicalResult CacheAppendOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  results.push_back(sizesOf(getCache()));
  SizeAttr batch = results.back()[0];
  Sizes key = sizesOf(getKey()), value = sizesOf(getValue());
  return failure(
      failed(expectSize(*this, "the batch of the key", batch, key[0])) ||
      failed(expectSize(*this, "the batch of the value", batch, value[0])) ||
      failed(expectSize(*this, "the length of the value", key[1], value[1])) ||
      failed(expectSize(*this, "the number of starts", batch,
                        sizesOf(getStarts())[0])) ||
      failed(expectSize(*this, "the number of lengths", batch,
                        sizesOf(getLengths())[0])));
}

LogicalResult CacheAppendOp::verify() {
  CacheType cache = getCache().getType();
  // C1
  if (failed(verifyLayer(*this, getLayer(), cache)))
    return failure();
  // C2
  int64_t expected = cache.getKvHeads() * cache.getHeadDim();
  for (Value value : {getKey(), getValue()})
    if (channels(value) != expected)
      return emitOpError("expected keys and values of ")
             << expected << " channels, found " << channels(value);
  // C3
  return verifyLastUse(getCacheMutable(), getLayer());
}

// [batch, capacity, channels]
static Sizes cacheReadSizes(CacheType cache) {
  Sizes sizes = sizesOf(cache);
  sizes.push_back(SizeAttr::number(cache.getContext(),
                                   cache.getKvHeads() * cache.getHeadDim()));
  return sizes;
}

LogicalResult CacheReadOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location>,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &results) {
  auto cache = cast<CacheType>(adaptor.getCache().getType());
  results.assign(2, tensorOf(cacheReadSizes(cache), cache.getElementType()));
  return success();
}

LogicalResult CacheReadOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  results.assign(2, cacheReadSizes(getCache().getType()));
  return success();
}

LogicalResult CacheReadOp::verify() {
  // C1
  return verifyLayer(*this, getLayer(), getCache().getType());
}
