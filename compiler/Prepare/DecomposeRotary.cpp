// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Prepare/Decompositions.h"
#include "compiler/Prepare/GenericBuilder.h"

using namespace mlir;

namespace heddle {

namespace {
/// The angle of a pair of channels.
struct Angle {
  Element cosine, sine;
};

/// Which channels of a head turn together. The `rotated` channels are n pairs:
/// e and e + n, or, interleaved, 2 e and 2 e + 1. The other channels of a head
/// keep their values; what is said of their pairs means nothing.
struct Pairing {
  int64_t headDim, rotated;
  bool isInterleaved;

  bool isPartial() const { return rotated < headDim; }
  int64_t half() const { return rotated / 2; }
  int64_t distance() const { return isInterleaved ? 1 : half(); }

  /// The number of the pair of channel `c`.
  AffineExpr pair(AffineExpr c) const {
    if (isInterleaved) {
      AffineExpr pair = (c % headDim).floorDiv(2);
      return isPartial() ? pair % half() : pair;
    }
    return isPartial() ? c % headDim % half() : c % half();
  }
  /// Where the first of the pair is.
  AffineExpr first(AffineExpr c) const {
    return c.floorDiv(headDim) * headDim + pair(c) * (isInterleaved ? 2 : 1);
  }

  Element place(Element c) const { return remainder(c, c.constant(headDim)); }
  Element pair(Element c) const {
    Element pairs = c.constant(half());
    if (isInterleaved)
      return remainder(place(c) / c.constant(2), pairs);
    return remainder(isPartial() ? place(c) : c, pairs);
  }
  Element isFirst(Element c) const {
    if (isInterleaved)
      return remainder(place(c), c.constant(2)) == c.constant(0);
    return place(c) < c.constant(half());
  }
};
} // namespace

// Of pair `e` at a position, which is the sum of a fine and a coarse one, from
// the rows of heddle.rotary_table:
//   cos(a + b) = cos a cos b - sin a sin b
//   sin(a + b) = sin a cos b + cos a sin b
static Angle readAngle(GenericBody &body, unsigned table, Element position,
                       Element e) {
  Element rows = position.constant(RotaryTableOp::kFineRows);
  Element coarse = position / rows;
  Element fine = position - coarse * rows;
  auto read = [&](Element row, int64_t part) {
    return body.read(table, {row, row.constant(part), e});
  };
  Element cosA = read(fine, 0), sinA = read(fine, 1);
  Element cosB = read(rows + coarse, 0), sinB = read(rows + coarse, 1);
  return {cosA * cosB - sinA * sinB, sinA * cosB + cosA * sinB};
}

// The tables of all positions; of frequencies that depend on the position those
// of the first ones, and of all later ones.
static SmallVector<RopeScalingAttr> scalingsOf(RotaryOp op) {
  RopeScalingAttr scaling = op.getScalingAttr();
  if (!scaling || !scaling.isByPosition())
    return {scaling};
  int64_t original = scaling.getOriginal().getInt();
  return {scaling.withLength(original), scaling.withLength(original + 1)};
}

static Angle buildAngle(RotaryOp op, GenericBody &body, Element position,
                        Element e) {
  Angle first = readAngle(body, 0, position, e);
  if (scalingsOf(op).size() == 1)
    return first;
  Angle later = readAngle(body, 1, position, e);
  // Positions count from 0, and lengths from 1.
  Element isFirst =
      position < position.constant(op.getScaling()->getOriginal().getInt());
  return {select(isFirst, first.cosine, later.cosine),
          select(isFirst, first.sine, later.sine)};
}

static Value tableOf(RotaryOp op, RopeScalingAttr scaling, OpBuilder &b) {
  auto type = RankedTensorType::get(
      RotaryTableOp::shapeOf(op.getDimension(), *op.getPositions()),
      accumulatorOf(op.getInput()));
  return RotaryTableOp::create(
      b, op.getLoc(), type, b.getI64IntegerAttr(op.getDimension()),
      op.getPositionsAttr(), op.getBaseAttr(), scaling);
}

// Where a tensor of angles is read: those of one sequence are those of all.
static SmallVector<AffineExpr> placeOfAngle(RotaryOp op, GenericBuilder &g,
                                            AffineExpr pair) {
  Sizes sizes = sizesOf(op.getCosines());
  if (sizes.size() == 2)
    return {g.dim(1), pair};
  AffineExpr batch = g.dim(0);
  return {sizes[0].asNumber() == 1 ? batch * 0 : batch, g.dim(1), pair};
}

// Of channels a and b, which are pair e:
//   y[.., a] = x[.., a] cosine(e) - x[.., b] sine(e)
//   y[.., b] = x[.., b] cosine(e) + x[.., a] sine(e)
static Values decompose(RotaryOp op, OpBuilder &b) {
  Pairing pairing{op.getHeadDim(), op.getDimension(), op.getInterleaved()};
  Type type = accumulatorOf(op.getInput());
  GenericBuilder g(b, op.getLoc(), sizesOf(op.getResult()));
  AffineExpr batch = g.dim(0), token = g.dim(1), c = g.dim(2);
  AffineExpr first = pairing.first(c);
  g.input(op.getInput(), {batch, token, first});
  g.input(op.getInput(), {batch, token, first + pairing.distance()});
  if (op.getCosines()) {
    SmallVector<AffineExpr> place = placeOfAngle(op, g, pairing.pair(c));
    g.input(op.getCosines(), place);
    g.input(op.getSines(), place);
  } else {
    for (RopeScalingAttr scaling : scalingsOf(op))
      g.table(tableOf(op, scaling, b));
  }
  if (op.getStarts())
    g.input(op.getStarts(), {batch});
  if (op.getPositionIds())
    g.input(op.getPositionIds(), {batch, token});
  unsigned own = op.getCosines()                         ? 4
                 : op.getStarts() || op.getPositionIds() ? 3
                                                         : 2;
  if (pairing.isPartial())
    g.input(op.getInput(), {batch, token, c});
  g.result(type);
  return {g.build([&](GenericBody &body) {
    Element x = body.input(0), y = body.input(1), channel = body.index(2);
    auto angleOfPosition = [&] {
      Element position = body.index(1);
      if (op.getStarts())
        position = asCoordinate(body.input(2)) + position;
      if (op.getPositionIds())
        position = asCoordinate(body.input(2));
      // Padding may be past the last position; its angle is anything.
      position = minimum(position, position.constant(*op.getPositions() - 1));
      return buildAngle(op, body, position, pairing.pair(channel));
    };
    Angle angle = op.getCosines() ? Angle{cast(body.input(2), type),
                                          cast(body.input(3), type)}
                                  : angleOfPosition();
    Element turned =
        select(pairing.isFirst(channel), x * angle.cosine - y * angle.sine,
               y * angle.cosine + x * angle.sine);
    if (!pairing.isPartial())
      return turned;
    Element turns = pairing.place(channel) < channel.constant(pairing.rotated);
    return select(turns, turned, body.input(own));
  })};
}

void registerRotaryDecompositions(MLIRContext *context) {
  attachDecompositions<RotaryOp>(context);
}

} // namespace heddle
