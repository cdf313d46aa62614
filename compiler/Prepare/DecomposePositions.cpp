// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Prepare/Decompositions.h"
#include "compiler/Prepare/GenericBuilder.h"

using namespace mlir;

namespace heddle {

// add_positions(x, t, starts)[b, s, c] = x[b, s, c] + t[starts[b] + s, c]
static Values decompose(AddPositionsOp op, OpBuilder &b) {
  Type type = getElementTypeOrSelf(op.getResult());
  GenericBuilder g(b, op.getLoc(), sizesOf(op.getResult()));
  g.input(op.getInput());
  if (op.getStarts())
    g.input(op.getStarts(), {g.dim(0)});
  else
    g.input(op.getTable(), {g.dim(1), g.dim(2)});
  if (op.getStarts())
    g.table(op.getTable());
  g.result(type);
  return {g.build([&](GenericBody &body) {
    Element x = body.input(0), row = body.input(1);
    if (op.getStarts()) {
      // Padding may be past the last row, and reads that one.
      Element position = asCoordinate(row) + body.index(1);
      row = body.read(0, {position, body.index(2)});
    }
    return x + cast(row, type);
  })};
}

void registerPositionDecompositions(MLIRContext *context) {
  attachDecompositions<AddPositionsOp>(context);
}

} // namespace heddle
