// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Prepare/Decompositions.h"
#include "compiler/Prepare/GenericBuilder.h"

using namespace mlir;

namespace heddle {

static Type elementOf(Value value) { return getElementTypeOrSelf(value); }

// An index into a dimension of this size, as i32. With `wrap`, a negative one
// counts from the end.
static Element placeOf(GenericBody &body, Element index, SizeAttr size,
                       bool wrap) {
  index = asCoordinate(index);
  if (!wrap)
    return index;
  return select(index < index.constant(0), index + body.size(size), index);
}

// How many dimensions an index of `op` is of.
template <typename Op> static unsigned countOf(Op op) {
  return op.getCoordinates().value_or(1);
}

// Adds the numbers of the index at `point` as inputs, one for each dimension
// that it is of.
template <typename Op>
static void addIndex(GenericBuilder &g, Op op, SmallVector<AffineExpr> point) {
  for (unsigned number = 0; number < countOf(op); ++number) {
    SmallVector<AffineExpr> at = point;
    if (op.getCoordinates())
      at.push_back(getAffineConstantExpr(number, op.getContext()));
    g.input(op.getIndices(), at);
  }
}

// The place that inputs from `first` on tell, as addIndex adds them.
template <typename Op>
static SmallVector<Element> placesOf(GenericBody &body, Op op, unsigned first) {
  Sizes sizes = sizesOf(op.getInput());
  SmallVector<Element> places;
  for (unsigned number = 0; number < countOf(op); ++number)
    places.push_back(placeOf(body, body.input(first + number),
                             sizes[op.getAxis() + number], op.getWrap()));
  return places;
}

static Values decompose(GatherOp op, OpBuilder &b) {
  unsigned axis = op.getAxis(), rank = sizesOf(op.getInput()).size();
  unsigned indexRank =
      sizesOf(op.getIndices()).size() - (op.getCoordinates() ? 1 : 0);
  GenericBuilder g(b, op.getLoc(), sizesOf(op.getResult()));
  addIndex(g, op, g.dims(axis, indexRank));
  g.table(op.getInput());
  g.result(elementOf(op.getResult()));
  return {g.build([&](GenericBody &body) {
    SmallVector<Element> point = body.indices(axis);
    llvm::append_range(point, placesOf(body, op, 0));
    unsigned after = axis + indexRank;
    while (point.size() < rank)
      point.push_back(body.index(after++));
    return body.read(0, point);
  })};
}

static Values decompose(GatherElementsOp op, OpBuilder &b) {
  Sizes sizes = sizesOf(op.getInput());
  unsigned axis = op.getAxis();
  GenericBuilder g(b, op.getLoc(), sizesOf(op.getResult()));
  g.input(op.getIndices());
  g.table(op.getInput());
  g.result(elementOf(op.getResult()));
  return {g.build([&](GenericBody &body) {
    SmallVector<Element> point;
    for (unsigned dim = 0; dim < sizes.size(); ++dim)
      point.push_back(
          dim == axis ? placeOf(body, body.input(0), sizes[axis], op.getWrap())
                      : body.index(dim));
    return body.read(0, point);
  })};
}

//===-- heddle.scatter ----------------------------------------------------===//

static Value reshape(OpBuilder &b, Location loc, Value x, const Sizes &sizes) {
  return ReshapeOp::create(b, loc, tensorOf(sizes, elementOf(x)), x,
                           toArray(b.getContext(), sizes));
}

namespace {
/// A scatter whose updates are numbered along one dimension.
struct ScatterBuilder {
  ScatterOp op;
  OpBuilder &b;
  Sizes sizes = sizesOf(op.getResult());
  unsigned axis = op.getAxis(), count = countOf(op), rank = sizes.size();
  SizeAttr updates = sizesOf(op.getIndices()).front();

  /// Whether each index of the update is that of the element at dimension
  /// `first` of the body and those after it.
  Element isHit(GenericBody &body, unsigned first) {
    SmallVector<Element> places = placesOf(body, op, 0);
    Element isHere = places[0] == body.index(first);
    for (unsigned number = 1; number < count; ++number)
      isHere = isHere & (places[number] == body.index(first + number));
    return isHere;
  }

  /// The last update of each element that indices tell of, or -1.
  Value lastUpdate() {
    Sizes over(ArrayRef(sizes).slice(axis, count));
    GenericBuilder g(b, op.getLoc(), over, {updates});
    addIndex(g, op, {g.dim(count)});
    g.result(b.getI32Type(), -1);
    return g.build([&](GenericBody &body) {
      return select(isHit(body, 0), body.index(count), body.accumulator(0));
    });
  }

  Value assign() {
    Value last = lastUpdate();
    GenericBuilder g(b, op.getLoc(), sizes);
    g.input(op.getInput());
    g.input(last, g.dims(axis, count));
    g.table(op.getUpdates());
    g.result(elementOf(op.getResult()));
    return g.build([&](GenericBody &body) {
      SmallVector<Element> point = body.indices(axis);
      point.push_back(body.input(1));
      for (unsigned dim = axis + count; dim < rank; ++dim)
        point.push_back(body.index(dim));
      return body.read(0, point, /*fill=*/body.input(0));
    });
  }

  Element combine(Element old, Element update) {
    return op.getKind() == ScatterKind::Add   ? old + update
           : op.getKind() == ScatterKind::Max ? maximum(old, update)
                                              : minimum(old, update);
  }

  /// All updates of an element together.
  Value combined() {
    Type type = accumulatorOf(op.getResult());
    GenericBuilder g(b, op.getLoc(), sizes, {updates});
    addIndex(g, op, {g.dim(rank)});
    SmallVector<AffineExpr> at = g.dims(0, axis);
    at.push_back(g.dim(rank));
    llvm::append_range(at, g.dims(axis + count, rank - axis - count));
    g.input(op.getUpdates(), at);
    // -0 leaves what no update changes, which may be -0.
    TypedAttr neutral = op.getKind() == ScatterKind::Add ? numberOf(type, -0.0)
                        : op.getKind() == ScatterKind::Max ? lowestOf(type)
                                                           : highestOf(type);
    g.result(type, neutral);
    return g.build([&](GenericBody &body) {
      Element update = select(isHit(body, axis), cast(body.input(count), type),
                              body.constant(neutral));
      return combine(body.accumulator(0), update);
    });
  }

  Value build() {
    if (op.getKind() == ScatterKind::Assign)
      return assign();
    GenericBuilder g(b, op.getLoc(), sizes);
    g.input(op.getInput());
    g.input(combined());
    g.result(elementOf(op.getResult()));
    return g.build([&](GenericBody &body) {
      Element update = body.input(1);
      Element old = cast(body.input(0), accumulatorOf(op.getResult()));
      return cast(combine(old, update), elementOf(op.getResult()));
    });
  }
};
} // namespace

static Values decompose(ScatterOp op, OpBuilder &b) {
  unsigned hasCoordinates = op.getCoordinates() ? 1 : 0;
  Sizes indices = sizesOf(op.getIndices()), updates = sizesOf(op.getUpdates());
  unsigned indexRank = indices.size() - hasCoordinates, axis = op.getAxis();
  if (indexRank == 1)
    return {ScatterBuilder{op, b}.build()};
  SizeAttr count =
      product(b.getContext(), ArrayRef(indices).take_front(indexRank));
  auto flatten = [&](Value value, unsigned first) {
    Sizes sizes = sizesOf(value);
    auto *place = sizes.begin() + first;
    place = sizes.erase(place, place + indexRank);
    sizes.insert(place, count);
    return reshape(b, op.getLoc(), value, sizes);
  };
  return {ScatterOp::create(
      b, op.getLoc(), op.getResult().getType(), op.getKind(), op.getInput(),
      flatten(op.getIndices(), 0), flatten(op.getUpdates(), axis), op.getAxis(),
      op.getCoordinatesAttr(), op.getWrap())};
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
    Element place = placeOf(body, body.input(0), op.getDepth(), op.getWrap());
    Element isThere = place == body.index(rank);
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
