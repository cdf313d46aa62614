// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Prepare/LogitRows.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;
using namespace heddle;

void LogitRows::addInput(GenericBuilder &g, Value value, AffineExpr last) {
  SmallVector<AffineExpr> at = g.dims(0, rank());
  at.push_back(last);
  g.input(value, at);
}

void LogitRows::addRowInputs(GenericBuilder &g, ValueRange values) {
  for (Value value : values)
    g.input(value, g.dims(0, rank()));
}

void LogitRows::addTables(GenericBuilder &g, ValueRange others) {
  g.table(logits);
  for (Value table : others)
    g.table(table);
}

Element LogitRows::read(GenericBody &body, unsigned table, Element place,
                        std::optional<Element> fill) {
  SmallVector<Element> point = body.indices(rank());
  point.push_back(place);
  return body.read(table, point, fill);
}

Element LogitRows::readRow(GenericBody &body, unsigned table) {
  return body.read(table, body.indices(rank()));
}

Element LogitRows::logit(GenericBody &body, Element place) {
  Type type = getElementTypeOrSelf(logits);
  return cast(read(body, 0, place, body.constant(lowestOf(type))), f32);
}

Element LogitRows::weight(Element x, Element largest, Element temperature) {
  Element zero = x.constant(0);
  Element none(x.builder(),
               arith::ConstantOp::create(x.builder(), lowestOf(f32)));
  Element power = apply<math::ExpOp>((x - largest) / temperature);
  return select(x == largest, x.constant(1),
                select((temperature > zero) & (x > none), power, zero));
}

Value LogitRows::reduce(
    double initial, llvm::function_ref<void(GenericBuilder &)> add,
    llvm::function_ref<Element(GenericBody &, Element)> term,
    llvm::function_ref<Element(Element, Element)> combine) {
  SizeAttr parts = countOf(vocabulary, width);
  GenericBuilder ofParts = begin({parts}, {number(width)});
  add(ofParts);
  ofParts.result(f32, initial);
  Value partial = ofParts.build([&](GenericBody &body) {
    Element part = body.index(rank());
    Element place = part * part.constant(width) + body.index(rank() + 1);
    return combine(body.accumulator(0), term(body, place));
  });
  GenericBuilder g = begin({}, {parts});
  g.table(partial);
  g.result(f32, initial);
  return g.build([&](GenericBody &body) {
    return combine(body.accumulator(0), read(body, 0, body.index(rank())));
  });
}

Value LogitRows::largest() {
  return reduce(
      -std::numeric_limits<double>::infinity(),
      [&](GenericBuilder &g) { addTables(g, {}); },
      [&](GenericBody &body, Element place) { return logit(body, place); },
      maximum);
}
