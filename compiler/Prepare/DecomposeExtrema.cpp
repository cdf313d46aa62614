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

// The index of the first element that comes after the one at `previous`, in
// the order of top_k; with no previous one, of the first of all.
static Value buildNext(OpBuilder &b, TopKOp op, Value previous) {
  Sizes over = sizesOf(op.getInput());
  unsigned rank = over.size();
  SizeAttr size = over.pop_back_val();
  Type type = elementOf(op.getInput());
  GenericBuilder g(b, op.getLoc(), over, {size});
  g.input(op.getInput(), g.dims(0, rank));
  if (previous)
    g.input(previous, g.dims(0, rank - 1));
  g.table(op.getInput());
  g.result(type, lowestOf(type));
  g.result(b.getI32Type(), -1);
  return g.buildAll([&](GenericBody &body) -> SmallVector<Element> {
    Element x = body.input(0), best = body.accumulator(0);
    Element at = body.index(rank - 1), bestAt = body.accumulator(1);
    Element isNew =
        (bestAt < bestAt.constant(0)) | isBetter(ExtremumKind::Max, x, best);
    if (previous) {
      SmallVector<Element> point = body.indices(rank - 1);
      point.push_back(body.input(1));
      Element before = body.read(0, point);
      Element isAfter =
          isBetter(ExtremumKind::Max, before, x) |
          ((!isBetter(ExtremumKind::Max, x, before)) & (at > body.input(1)));
      isNew = isNew & isAfter;
    }
    return {select(isNew, x, best), select(isNew, at, bestAt)};
  })[1];
}

static Values decompose(TopKOp op, OpBuilder &b) {
  Location loc = op.getLoc();
  Sizes sizes = sizesOf(op.getIndices());
  unsigned rank = sizes.size();
  SmallVector<Value> found;
  for (unsigned k = 0; k < op.getK(); ++k)
    found.push_back(buildNext(b, op, k ? found.back() : Value()));
  GenericBuilder g(b, loc, sizes);
  for (Value index : found)
    g.input(index, g.dims(0, rank - 1));
  g.result(b.getI32Type());
  Value indices = g.build([&](GenericBody &body) {
    Element k = body.index(rank - 1), index = body.input(0);
    for (unsigned next = 1; next < found.size(); ++next)
      index = select(k == k.constant(next), body.input(next), index);
    return index;
  });
  Value values = GatherElementsOp::create(b, loc, op.getValues().getType(),
                                          op.getInput(), indices, rank - 1);
  Type indexType = elementOf(op.getIndices());
  Value typed = indices;
  if (indexType != elementOf(indices))
    typed = buildElementwise(
        b, loc, sizes, indices, indexType,
        [&](GenericBody &body) { return cast(body.input(0), indexType); });
  return {values, typed};
}

void registerExtremaDecompositions(MLIRContext *context) {
  attachDecompositions<ArgReduceOp, TopKOp>(context);
}

} // namespace heddle
