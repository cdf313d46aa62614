// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Prepare/Decompositions.h"
#include "compiler/Prepare/GenericBuilder.h"

using namespace mlir;

namespace heddle {

// Where an operand is read: its batch, which is broadcast to that of the
// result, then two dimensions.
static SmallVector<AffineExpr> locate(GenericBuilder &g, Value operand,
                                      const Sizes &result, AffineExpr row,
                                      AffineExpr column) {
  Sizes sizes = sizesOf(operand);
  SmallVector<AffineExpr> at;
  for (unsigned dim = 0; dim + 2 < sizes.size(); ++dim) {
    unsigned target = result.size() - sizes.size() + dim;
    at.push_back(g.repeat(g.dim(target), sizes[dim], result[target]));
  }
  at.append({row, column});
  return at;
}

static Values decompose(MatmulOp op, OpBuilder &b) {
  Location loc = op.getLoc();
  Sizes result = sizesOf(op.getResult()), a = sizesOf(op.getA());
  SizeAttr depth = op.getTransposeA() ? a[a.size() - 2] : a.back();
  unsigned rank = result.size();
  Type type = getElementTypeOrSelf(op.getResult());
  Type sumType = isa<FloatType>(type) || type.isInteger(64)
                     ? accumulatorOf(type)
                     : b.getI32Type();
  GenericBuilder g(b, loc, result, {depth});
  AffineExpr i = g.dim(rank - 2), j = g.dim(rank - 1), k = g.dim(rank);
  auto locateMatrix = [&](Value operand, AffineExpr row, AffineExpr column,
                          bool isTransposed) {
    if (isTransposed)
      std::swap(row, column);
    g.input(operand, locate(g, operand, result, row, column));
  };
  locateMatrix(op.getA(), i, k, op.getTransposeA());
  locateMatrix(op.getB(), k, j, op.getTransposeB());
  g.result(sumType, 0.0);
  Value sum = g.build([&](GenericBody &body) {
    return body.accumulator(0) +
           cast(body.input(0), sumType) * cast(body.input(1), sumType);
  });
  if (type == sumType)
    return {sum};
  GenericBuilder rounded(b, loc, result);
  rounded.input(sum);
  rounded.result(type);
  return {rounded.build(
      [&](GenericBody &body) { return cast(body.input(0), type); })};
}

void registerProductDecompositions(MLIRContext *context) {
  attachDecompositions<MatmulOp>(context);
}

} // namespace heddle
