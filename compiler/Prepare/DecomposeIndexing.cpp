// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Prepare/Decompositions.h"
#include "compiler/Prepare/GenericBuilder.h"

using namespace mlir;

namespace heddle {

static Type elementOf(Value value) { return getElementTypeOrSelf(value); }

static Values decompose(GatherOp op, OpBuilder &b) {
  unsigned axis = op.getAxis(), rank = sizesOf(op.getInput()).size();
  unsigned indexRank = sizesOf(op.getIndices()).size();
  GenericBuilder g(b, op.getLoc(), sizesOf(op.getResult()));
  g.input(op.getIndices(), g.dims(axis, indexRank));
  g.table(op.getInput());
  g.result(elementOf(op.getResult()));
  return {g.build([&](GenericBody &body) {
    SmallVector<Element> point = body.indices(axis);
    point.push_back(asCoordinate(body.input(0)));
    for (unsigned dim = axis + 1; dim < rank; ++dim)
      point.push_back(body.index(dim - 1 + indexRank));
    return body.read(0, point);
  })};
}

static Values decompose(GatherElementsOp op, OpBuilder &b) {
  unsigned rank = sizesOf(op.getInput()).size();
  GenericBuilder g(b, op.getLoc(), sizesOf(op.getResult()));
  g.input(op.getIndices());
  g.table(op.getInput());
  g.result(elementOf(op.getResult()));
  return {g.build([&](GenericBody &body) {
    SmallVector<Element> point;
    for (unsigned dim = 0; dim < rank; ++dim)
      point.push_back(dim == op.getAxis() ? asCoordinate(body.input(0))
                                          : body.index(dim));
    return body.read(0, point);
  })};
}

//===-- heddle.scatter ----------------------------------------------------===//

// The last update of each index of the axis, or -1.
static Value buildLastUpdate(ScatterOp op, OpBuilder &b) {
  SizeAttr size = sizesOf(op.getInput())[op.getAxis()];
  GenericBuilder g(b, op.getLoc(), {size}, sizesOf(op.getIndices()));
  g.input(op.getIndices(), {g.dim(1)});
  g.result(b.getI32Type(), -1);
  return g.build([](GenericBody &body) {
    Element isHit = asCoordinate(body.input(0)) == body.index(0);
    return select(isHit, body.index(1), body.accumulator(0));
  });
}

static Value buildAssign(ScatterOp op, OpBuilder &b) {
  Value last = buildLastUpdate(op, b);
  Sizes sizes = sizesOf(op.getResult());
  unsigned axis = op.getAxis();
  GenericBuilder g(b, op.getLoc(), sizes);
  g.input(op.getInput());
  g.input(last, {g.dim(axis)});
  g.table(op.getUpdates());
  g.result(elementOf(op.getResult()));
  return g.build([&](GenericBody &body) {
    SmallVector<Element> point;
    for (unsigned dim = 0; dim < sizes.size(); ++dim)
      point.push_back(dim == axis ? body.input(1) : body.index(dim));
    Element isKept = body.input(1) < body.input(1).constant(0);
    return select(isKept, body.input(0), body.read(0, point));
  });
}

// All updates of an element together.
static Value buildCombined(ScatterOp op, OpBuilder &b) {
  Sizes sizes = sizesOf(op.getResult());
  unsigned axis = op.getAxis(), rank = sizes.size();
  Type type = accumulatorOf(elementOf(op.getResult()));
  GenericBuilder g(b, op.getLoc(), sizes, sizesOf(op.getIndices()));
  SmallVector<AffineExpr> at = g.dims(0, rank);
  at[axis] = g.dim(rank);
  g.input(op.getIndices(), {g.dim(rank)});
  g.input(op.getUpdates(), at);
  TypedAttr neutral = op.getKind() == ScatterKind::Add   ? numberOf(type, 0)
                      : op.getKind() == ScatterKind::Max ? lowestOf(type)
                                                         : highestOf(type);
  g.result(type, neutral);
  return g.build([&](GenericBody &body) {
    Element isHit = asCoordinate(body.input(0)) == body.index(axis);
    Element update =
        select(isHit, cast(body.input(1), type), body.constant(neutral));
    Element old = body.accumulator(0);
    return op.getKind() == ScatterKind::Add   ? old + update
           : op.getKind() == ScatterKind::Max ? maximum(old, update)
                                              : minimum(old, update);
  });
}

static Values decompose(ScatterOp op, OpBuilder &b) {
  if (op.getKind() == ScatterKind::Assign)
    return {buildAssign(op, b)};
  Value combined = buildCombined(op, b);
  GenericBuilder g(b, op.getLoc(), sizesOf(op.getResult()));
  g.input(op.getInput());
  g.input(combined);
  g.result(elementOf(op.getResult()));
  return {g.build([&](GenericBody &body) {
    Element update = body.input(1);
    Element old = cast(body.input(0), update.type());
    Element result = op.getKind() == ScatterKind::Add   ? old + update
                     : op.getKind() == ScatterKind::Max ? maximum(old, update)
                                                        : minimum(old, update);
    return cast(result, elementOf(op.getResult()));
  })};
}

//===-- Elementwise -------------------------------------------------------===//

static Values decompose(IotaOp op, OpBuilder &b) {
  GenericBuilder g(b, op.getLoc(), sizesOf(op.getResult()));
  g.result(elementOf(op.getResult()));
  return {g.build([&](GenericBody &body) {
    return cast(body.index(op.getAxis()), elementOf(op.getResult()));
  })};
}

static Values decompose(OneHotOp op, OpBuilder &b) {
  Type type = elementOf(op.getResult());
  unsigned rank = sizesOf(op.getIndices()).size();
  GenericBuilder g(b, op.getLoc(), sizesOf(op.getResult()));
  g.input(op.getIndices(), g.dims(0, rank));
  g.result(type);
  return {g.build([&](GenericBody &body) {
    Element isThere = asCoordinate(body.input(0)) == body.index(rank);
    return select(isThere, body.constant(numberOf(type, 1)),
                  body.constant(numberOf(type, 0)));
  })};
}

static Values decompose(WhereOp op, OpBuilder &b) {
  GenericBuilder g(b, op.getLoc(), sizesOf(op.getResult()));
  for (Value operand : op.getOperands())
    g.input(operand);
  g.result(elementOf(op.getResult()));
  return {g.build([](GenericBody &body) {
    return select(body.input(0), body.input(1), body.input(2));
  })};
}

static Values decompose(CastOp op, OpBuilder &b) {
  GenericBuilder g(b, op.getLoc(), sizesOf(op.getResult()));
  g.input(op.getInput());
  g.result(elementOf(op.getResult()));
  return {g.build([&](GenericBody &body) {
    return cast(body.input(0), elementOf(op.getResult()));
  })};
}

void registerIndexingDecompositions(MLIRContext *context) {
  attachDecompositions<GatherOp, GatherElementsOp, ScatterOp, IotaOp, OneHotOp,
                       WhereOp, CastOp>(context);
}

} // namespace heddle
