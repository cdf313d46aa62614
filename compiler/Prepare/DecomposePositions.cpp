// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Prepare/Decompositions.h"
#include "compiler/Prepare/GenericBuilder.h"

using namespace mlir;

namespace heddle {

// add_positions(x, t)[b, s, c] = x[b, s, c] + t[p, c], with p of the .td
static Values decompose(AddPositionsOp op, OpBuilder &b) {
  Type type = getElementTypeOrSelf(op.getResult());
  GenericBuilder g(b, op.getLoc(), sizesOf(op.getResult()));
  g.input(op.getInput());
  if (op.getStarts())
    g.input(op.getStarts(), {g.dim(0)});
  else if (op.getPositionIds())
    g.input(op.getPositionIds(), {g.dim(0), g.dim(1)});
  else
    g.input(op.getTable(), {g.dim(1), g.dim(2)});
  bool isComputed = op.getStarts() || op.getPositionIds();
  if (isComputed)
    g.table(op.getTable());
  g.result(type);
  return {g.build([&](GenericBody &body) {
    Element x = body.input(0), row = body.input(1);
    if (isComputed) {
      // Padding may be past the last row, and reads that one.
      Element position = asCoordinate(row);
      if (op.getStarts())
        position = position + body.index(1);
      row = body.read(0, {position, body.index(2)});
    }
    return x + cast(row, type);
  })};
}

void registerPositionDecompositions(MLIRContext *context) {
  attachDecompositions<AddPositionsOp>(context);
}

} // namespace heddle
