// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Prepare/Decompositions.h"
#include "compiler/Prepare/GenericBuilder.h"

using namespace mlir;

namespace heddle {

namespace {
/// The angle of a pair of channels, from the rows of heddle.rotary_table.
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

  /// Where the first of the pair of channel `c` is.
  AffineExpr first(AffineExpr c) const {
    AffineExpr head = c.floorDiv(headDim) * headDim;
    if (isInterleaved) {
      AffineExpr pair = (c % headDim).floorDiv(2);
      return head + (isPartial() ? pair % half() : pair) * 2;
    }
    return head + (isPartial() ? c % headDim % half() : c % half());
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

// Of pair `e` at a position, which is the sum of a fine and a coarse one:
//   cos(a + b) = cos a cos b - sin a sin b
//   sin(a + b) = sin a cos b + cos a sin b
static Angle buildAngle(GenericBody &body, Element position, Element e) {
  Element rows = position.constant(RotaryTableOp::kFineRows);
  Element coarse = position / rows;
  Element fine = position - coarse * rows;
  auto read = [&](Element row, int64_t part) {
    return body.read(0, {row, row.constant(part), e});
  };
  Element cosA = read(fine, 0), sinA = read(fine, 1);
  Element cosB = read(rows + coarse, 0), sinB = read(rows + coarse, 1);
  return {cosA * cosB - sinA * sinB, sinA * cosB + cosA * sinB};
}

// Of channels a and b, which are pair e:
//   y[.., a] = x[.., a] cosine(e) - x[.., b] sine(e)
//   y[.., b] = x[.., b] cosine(e) + x[.., a] sine(e)
static Values decompose(RotaryOp op, OpBuilder &b) {
  Location loc = op.getLoc();
  Pairing pairing{op.getHeadDim(), op.getDimension(), op.getInterleaved()};
  Type f32 = b.getF32Type();
  Value table = RotaryTableOp::create(
      b, loc,
      RankedTensorType::get(
          RotaryTableOp::shapeOf(op.getDimension(), op.getPositions()), f32),
      b.getI64IntegerAttr(op.getDimension()), op.getPositionsAttr(),
      op.getBaseAttr(), op.getScalingAttr());
  GenericBuilder g(b, loc, sizesOf(op.getResult()));
  AffineExpr batch = g.dim(0), token = g.dim(1), c = g.dim(2);
  AffineExpr first = pairing.first(c);
  g.input(op.getInput(), {batch, token, first});
  g.input(op.getInput(), {batch, token, first + pairing.distance()});
  g.input(op.getStarts(), {batch});
  if (pairing.isPartial())
    g.input(op.getInput(), {batch, token, c});
  g.table(table);
  g.result(f32);
  return {g.build([&](GenericBody &body) {
    Element x = body.input(0), y = body.input(1);
    // Padding may be past the last position; its angle is anything.
    Element position = asCoordinate(body.input(2)) + body.index(1);
    position = minimum(position, position.constant(op.getPositions() - 1));
    Element channel = body.index(2);
    Angle angle = buildAngle(body, position, pairing.pair(channel));
    Element turned =
        select(pairing.isFirst(channel), x * angle.cosine - y * angle.sine,
               y * angle.cosine + x * angle.sine);
    if (!pairing.isPartial())
      return turned;
    Element turns = pairing.place(channel) < channel.constant(pairing.rotated);
    return select(turns, turned, body.input(3));
  })};
}

void registerRotaryDecompositions(MLIRContext *context) {
  attachDecompositions<RotaryOp>(context);
}

} // namespace heddle
