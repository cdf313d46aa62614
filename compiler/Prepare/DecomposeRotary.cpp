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

// With half = d / 2 and e = c mod half, channels e and e + half of a head are a
// pair:
//   y[.., e] = x[.., e] cosine(e) - x[.., e + half] sine(e)
//   y[.., e + half] = x[.., e + half] cosine(e) + x[.., e] sine(e)
static Values decompose(RotaryOp op, OpBuilder &b) {
  Location loc = op.getLoc();
  int64_t d = op.getHeadDim(), half = d / 2;
  Type f32 = b.getF32Type();
  Value table = RotaryTableOp::create(
      b, loc,
      RankedTensorType::get(RotaryTableOp::shapeOf(d, op.getPositions()), f32),
      b.getI64IntegerAttr(d), op.getPositionsAttr(), op.getBaseAttr(),
      op.getScalingAttr());
  GenericBuilder g(b, loc, sizesOf(op.getResult()));
  AffineExpr batch = g.dim(0), token = g.dim(1), c = g.dim(2);
  AffineExpr first = c.floorDiv(d) * d + c % half;
  g.input(op.getInput(), {batch, token, first});
  g.input(op.getInput(), {batch, token, first + half});
  g.input(op.getStarts(), {batch});
  g.table(table);
  g.result(f32);
  return {g.build([&](GenericBody &body) {
    Element x = body.input(0), y = body.input(1);
    // Padding may be past the last position; its angle is anything.
    Element position = asCoordinate(body.input(2)) + body.index(1);
    position = minimum(position, position.constant(op.getPositions() - 1));
    Element channel = body.index(2);
    Angle angle =
        buildAngle(body, position, remainder(channel, channel.constant(half)));
    Element isFirst =
        remainder(channel, channel.constant(d)) < channel.constant(half);
    return select(isFirst, x * angle.cosine - y * angle.sine,
                  y * angle.cosine + x * angle.sine);
  })};
}

void registerRotaryDecompositions(MLIRContext *context) {
  attachDecompositions<RotaryOp>(context);
}

} // namespace heddle
