// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle.cache.append to elements of i8 -> scales and elements, and an append
// of those; heddle.cache.select -> reads, gathers and appends of each layer;
// return heddle.cache.read -> return of a copy.

#include "compiler/Prepare/Decompositions.h"
#include "compiler/Prepare/GenericBuilder.h"
#include "dialect/Heddle/CachePart.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;

namespace heddle {

static bool isQuantized(Value source, Type stored) {
  return stored.isInteger() && !getElementTypeOrSelf(source).isInteger();
}

//===-- heddle.cache.append -----------------------------------------------===//

// A 127th of the largest magnitude of each head of [batch, length, heads *
// dim].
static Value scalesOf(OpBuilder &b, Location loc, Value source, int64_t dim) {
  Sizes sizes = sizesOf(source);
  SizeAttr width = SizeAttr::number(b.getContext(), dim);
  sizes.back() =
      SizeAttr::number(b.getContext(), *sizes.back().asNumber() / dim);
  GenericBuilder largest(b, loc, sizes, {width});
  largest.input(source, {largest.dim(0), largest.dim(1),
                         largest.dim(2) * dim + largest.dim(3)});
  largest.result(b.getF32Type(), 0.0);
  Value magnitudes = largest.build([](GenericBody &body) {
    Element x = apply<math::AbsFOp>(body.input(0));
    x = select(isNaN(x), x.constant(0), x);
    return maximum(body.accumulator(0), x);
  });
  GenericBuilder scales(b, loc, sizes);
  scales.input(magnitudes);
  scales.result(b.getF32Type());
  return scales.build([](GenericBody &body) {
    Element x = body.input(0);
    x = minimum(x / x.constant(127), x.constant(kLargestCacheScale));
    Element least = x.constant(std::numeric_limits<float>::min());
    return select(x < least, x.constant(1), x);
  });
}

// x / s, rounded, for the scale of its head.
static Value quantize(OpBuilder &b, Location loc, Value source, Value scales,
                      int64_t dim) {
  GenericBuilder g(b, loc, sizesOf(source));
  g.input(source);
  g.input(scales, {g.dim(0), g.dim(1), g.dim(2).floorDiv(dim)});
  g.result(b.getI8Type());
  return g.build([&](GenericBody &body) {
    Element x = body.input(0) / body.input(1);
    x = select(isNaN(x), x.constant(0), x);
    x = maximum(minimum(x, x.constant(127)), x.constant(-127));
    return cast(apply<math::RoundEvenOp>(x), b.getI8Type());
  });
}

static Values decompose(CacheAppendOp op, OpBuilder &b) {
  auto append = llvm::cast<CacheAppendOp>(b.clone(*op));
  CacheType cache = op.getCache().getType();
  if (isQuantized(op.getKey(), cache.getElementType())) {
    Value scales = scalesOf(b, op.getLoc(), op.getKey(), cache.getHeadDim());
    append.getKeyMutable().assign(
        quantize(b, op.getLoc(), op.getKey(), scales, cache.getHeadDim()));
    append.getKeyScalesMutable().assign(scales);
  }
  if (isQuantized(op.getValue(), cache.getValueType())) {
    Value scales = scalesOf(b, op.getLoc(), op.getValue(), cache.getValueDim());
    append.getValueMutable().assign(
        quantize(b, op.getLoc(), op.getValue(), scales, cache.getValueDim()));
    append.getValueScalesMutable().assign(scales);
  }
  append->moveBefore(b.getInsertionBlock(), b.getInsertionPoint());
  return {append.getResult()};
}

static bool needsDecomposing(CacheAppendOp op) {
  CacheType cache = op.getCache().getType();
  return isQuantized(op.getKey(), cache.getElementType()) ||
         isQuantized(op.getValue(), cache.getValueType());
}

//===-- heddle.cache.read -------------------------------------------------===//

// Control flow passes tensors on, and no views of caches that change.
static bool takesTensor(OpOperand &use) {
  Operation *user = use.getOwner();
  return isa<RegionBranchOpInterface>(user) ||
         user->hasTrait<OpTrait::IsTerminator>();
}

static Values decompose(CacheReadOp op, OpBuilder &b) {
  auto read = llvm::cast<CacheReadOp>(b.clone(*op));
  for (auto [old, view] : llvm::zip(op->getResults(), read->getResults())) {
    if (llvm::none_of(old.getUses(), takesTensor))
      continue;
    GenericBuilder g(b, op.getLoc(), sizesOf(view));
    g.input(view);
    g.result(b.getF32Type());
    Value copy = g.build([](GenericBody &body) { return body.input(0); });
    old.replaceUsesWithIf(copy, takesTensor);
  }
  return read->getResults();
}

static bool needsDecomposing(CacheReadOp op) {
  return llvm::any_of(op->getUses(), takesTensor);
}

//===-- heddle.cache.select -----------------------------------------------===//

// What is at `positions` of `from`, [batch, positions, channels].
static Value gather(CacheSelectOp op, OpBuilder &b, Value from) {
  Sizes sizes = sizesOf(op.getPositions());
  sizes.push_back(sizesOf(from).back());
  GenericBuilder g(b, op.getLoc(), sizes);
  g.input(op.getPositions(), {g.dim(0), g.dim(1)});
  if (op.getSequences())
    g.input(op.getSequences(), {g.dim(0)});
  g.table(from);
  g.result(b.getF32Type());
  return g.build([&](GenericBody &body) {
    Element sequence =
        op.getSequences() ? asCoordinate(body.input(1)) : body.index(0);
    return body.read(0, {sequence, asCoordinate(body.input(0)), body.index(2)});
  });
}

static Values decompose(CacheSelectOp op, OpBuilder &b) {
  Location loc = op.getLoc();
  GenericBuilder zeros(b, loc, {sizesOf(op.getCache())[0]});
  zeros.result(b.getI32Type());
  Value starts = zeros.build(
      [&](GenericBody &body) { return body.constant(b.getI32IntegerAttr(0)); });
  Value cache = op.getCache();
  for (int64_t layer = 0; layer < op.getCache().getType().getLayers();
       ++layer) {
    auto read = CacheReadOp::create(b, loc, cache, layer);
    cache = CacheAppendOp::create(b, loc, cache, gather(op, b, read.getKey()),
                                  gather(op, b, read.getValue()), starts,
                                  op.getLengths(), layer);
  }
  return {cache};
}

void registerCacheDecompositions(MLIRContext *context) {
  attachDecompositions<CacheSelectOp>(context);
  CacheAppendOp::attachInterface<ConditionalDecomposition<CacheAppendOp>>(
      *context);
  CacheReadOp::attachInterface<ConditionalDecomposition<CacheReadOp>>(*context);
}

} // namespace heddle
