// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Prepare/Decompositions.h"
#include "compiler/Prepare/GenericBuilder.h"
#include "compiler/Target/MachineModel.h"

using namespace mlir;

namespace heddle {

static Type elementOf(Value value) { return getElementTypeOrSelf(value); }

//===-- heddle.arg_reduce -------------------------------------------------===//

// Whether `x` comes before `y`, which stands before it.
static Element isBetter(ExtremumKind kind, Element x, Element y) {
  Element isBeyond = kind == ExtremumKind::Max ? x > y : x < y;
  if (!x.isFloat())
    return isBeyond;
  return isBeyond | (isNaN(x) & !isNaN(y));
}

namespace {
/// The best elements along an axis, and where they are.
struct ExtremumBuilder {
  ArgReduceOp op;
  OpBuilder &b;
  unsigned axis = op.getAxis();
  Type type = elementOf(op.getInput());
  Sizes sizes = sizesOf(op.getInput());

  GenericBuilder begin(int64_t count, SizeAttr steps) {
    Sizes over = sizes;
    over[axis] = SizeAttr::number(b.getContext(), count);
    return GenericBuilder(b, op.getLoc(), over, {steps});
  }

  SmallVector<Value>
  end(GenericBuilder &g,
      llvm::function_ref<SmallVector<Element>(GenericBody &)> candidate) {
    bool isMax = op.getKind() == ExtremumKind::Max;
    g.result(type, isMax ? lowestOf(type) : highestOf(type));
    g.result(b.getI32Type(), 0);
    return g.buildAll([&](GenericBody &body) -> SmallVector<Element> {
      SmallVector<Element> next = candidate(body);
      Element best = body.accumulator(0), place = body.accumulator(1);
      Element isNew = isBetter(op.getKind(), next[0], best);
      if (next.size() > 2) // it may come before the best one
        isNew = isNew | (!isBetter(op.getKind(), best, next[0]) & next[2]);
      return {select(isNew, next[0], best), select(isNew, next[1], place)};
    });
  }

  Value ofAll() {
    unsigned rank = sizes.size();
    GenericBuilder g = begin(1, sizes[axis]);
    SmallVector<AffineExpr> at = g.dims(0, rank);
    at[axis] = g.dim(rank);
    g.input(op.getInput(), at);
    return end(g, [&](GenericBody &body) -> SmallVector<Element> {
      return {body.input(0), body.index(rank)};
    })[1];
  }

  // Threads go along strands side by side, where one would search all: what is
  // best and where it is are no reduction in any order. Strand s of n has the
  // elements s, s + n, s + 2 n and so on.
  Value ofStrands(int64_t count, int64_t steps) {
    unsigned rank = sizes.size();
    MLIRContext *context = b.getContext();
    GenericBuilder g = begin(count, SizeAttr::number(context, steps));
    SmallVector<AffineExpr> at = g.dims(0, rank);
    at[axis] = g.dim(rank) * count + g.dim(axis);
    g.input(op.getInput(), at);
    SmallVector<Value> strands =
        end(g, [&](GenericBody &body) -> SmallVector<Element> {
          Element step = body.index(rank);
          return {body.input(0),
                  step * step.constant(count) + body.index(axis)};
        });
    GenericBuilder merge = begin(1, SizeAttr::number(context, count));
    at[axis] = merge.dim(rank);
    for (Value strand : strands)
      merge.input(strand, at);
    return end(merge, [](GenericBody &body) -> SmallVector<Element> {
      return {body.input(0), body.input(1),
              body.input(1) < body.accumulator(1)};
    })[1];
  }

  Value build() {
    std::optional<int64_t> size = sizes[axis].asNumber();
    std::optional<DeviceModel> device = deviceOf(op);
    bool isLong = size && device && *size >= device->longAxis &&
                  *size % device->strands == 0;
    return isLong ? ofStrands(device->strands, *size / device->strands)
                  : ofAll();
  }
};
} // namespace

static Values decompose(ArgReduceOp op, OpBuilder &b) {
  Location loc = op.getLoc();
  unsigned axis = op.getAxis();
  Value index = ExtremumBuilder{op, b}.build();
  index = dropAxes(b, loc, index, int64_t(axis), op.getKeepSizes());
  Type indexType = elementOf(op.getResult());
  if (indexType.isInteger(32))
    return {index};
  return {buildElementwise(
      b, loc, sizesOf(index), index, indexType,
      [&](GenericBody &body) { return cast(body.input(0), indexType); })};
}

//===-- heddle.top_k ------------------------------------------------------===//

// Whether `x` at place `i` comes before `y` at place `j`.
static Element isBefore(ExtremumKind kind, Element x, Element i, Element y,
                        Element j) {
  return isBetter(kind, x, y) | (!isBetter(kind, y, x) & (i < j));
}

namespace {
/// The elements that top_k gives, and their places.
struct TopKBuilder {
  TopKOp op;
  OpBuilder &b;
  unsigned axis = op.getAxis();
  ExtremumKind kind = op.getSmallest() ? ExtremumKind::Min : ExtremumKind::Max;
  Sizes sizes = sizesOf(op.getInput());
  unsigned rank = sizes.size();
  SizeAttr size = sizes[axis];
  Type i32 = b.getI32Type();

  /// The place of the first element that comes after the one at `previous`;
  /// with no previous one, of the first of all. Neither has the dimension
  /// `axis`.
  Value next(Value previous) {
    Sizes over = sizes;
    over.erase(over.begin() + axis);
    GenericBuilder g(b, op.getLoc(), over, {size});
    SmallVector<AffineExpr> at = g.dims(0, rank - 1);
    if (previous) {
      g.input(previous, at);
      g.table(op.getInput());
    }
    at.insert(at.begin() + axis, g.dim(rank - 1));
    g.input(op.getInput(), at);
    Type type = elementOf(op.getInput());
    bool isMax = kind == ExtremumKind::Max;
    g.result(type, isMax ? lowestOf(type) : highestOf(type));
    g.result(i32, -1);
    return g.buildAll([&](GenericBody &body) -> SmallVector<Element> {
      Element x = body.input(previous ? 1 : 0), best = body.accumulator(0);
      Element at = body.index(rank - 1), bestAt = body.accumulator(1);
      Element isNew = (bestAt < bestAt.constant(0)) | isBetter(kind, x, best);
      if (previous) {
        SmallVector<Element> point = body.indices(rank - 1);
        point.insert(point.begin() + axis, body.input(0));
        Element before = body.read(0, point);
        isNew = isNew & isBefore(kind, before, body.input(0), x, at);
      }
      return {select(isNew, x, best), select(isNew, at, bestAt)};
    })[1];
  }

  /// One after the other.
  Value search(int64_t k) {
    SmallVector<Value> found;
    for (int64_t j = 0; j < k; ++j)
      found.push_back(next(j ? found.back() : Value()));
    GenericBuilder g(b, op.getLoc(), sizesOf(op.getIndices()));
    SmallVector<AffineExpr> at = g.dims(0, rank);
    at.erase(at.begin() + axis);
    for (Value place : found)
      g.input(place, at);
    g.result(i32);
    return g.build([&](GenericBody &body) {
      Element j = body.index(axis), place = body.input(0);
      for (int64_t other = 1; other < k; ++other)
        place = select(j == j.constant(other), body.input(other), place);
      return place;
    });
  }

  /// How many elements come before each.
  Value ranks() {
    GenericBuilder g(b, op.getLoc(), sizes, {size});
    SmallVector<AffineExpr> at = g.dims(0, rank);
    g.input(op.getInput(), at);
    at[axis] = g.dim(rank);
    g.input(op.getInput(), at);
    g.result(i32, 0);
    return g.build([&](GenericBody &body) {
      Element isFirst = isBefore(kind, body.input(1), body.index(rank),
                                 body.input(0), body.index(axis));
      return body.accumulator(0) + cast(isFirst, i32);
    });
  }

  /// Of a k that is no number: element j is that which has j others before it.
  SmallVector<Value> selectByRank() {
    Value ranks = this->ranks();
    GenericBuilder g(b, op.getLoc(), sizesOf(op.getIndices()), {size});
    SmallVector<AffineExpr> at = g.dims(0, rank);
    at[axis] = g.dim(rank);
    g.input(ranks, at);
    g.input(op.getInput(), at);
    g.result(elementOf(op.getInput()), 0);
    g.result(i32, 0);
    return g.buildAll([&](GenericBody &body) -> SmallVector<Element> {
      Element isIt = body.input(0) == body.index(axis);
      return {select(isIt, body.input(1), body.accumulator(0)),
              select(isIt, body.index(rank), body.accumulator(1))};
    });
  }

  /// The elements, and their places as i32.
  SmallVector<Value> build() {
    std::optional<int64_t> k = op.getK().asNumber();
    if (!k || *k == 0)
      return selectByRank();
    Value places = search(*k);
    Value values = GatherElementsOp::create(
        b, op.getLoc(), op.getValues().getType(), op.getInput(), places, axis,
        /*wrap=*/false);
    return {values, places};
  }
};
} // namespace

static Values decompose(TopKOp op, OpBuilder &b) {
  SmallVector<Value> results = TopKBuilder{op, b}.build();
  Type indexType = elementOf(op.getIndices());
  if (indexType != elementOf(results[1]))
    results[1] = buildElementwise(
        b, op.getLoc(), sizesOf(results[1]), results[1], indexType,
        [&](GenericBody &body) { return cast(body.input(0), indexType); });
  return results;
}

void registerExtremaDecompositions(MLIRContext *context) {
  attachDecompositions<ArgReduceOp, TopKOp>(context);
}

} // namespace heddle
