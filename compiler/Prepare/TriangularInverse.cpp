// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inverse of a block of 2n rows is made of those of its halves,
//
//   [[L, 0], [B, M]]^-1 = [[L^-1, 0], [-M^-1 B L^-1, M^-1]],
//
// for all diagonal blocks of all matrices at once. The inverses on the way are
// blocks of the one that comes out, while powers of A, which a product of
// (I + A^(2^n)) has, may be larger by many orders.

#include "compiler/Prepare/TriangularInverse.h"

#include "compiler/Prepare/GenericBuilder.h"

using namespace mlir;
using namespace heddle;

namespace {
class Inversion {
public:
  Inversion(OpBuilder &b, Location loc, Value a)
      : b(b), loc(loc), type(getElementTypeOrSelf(a)), a(a), sizes(sizesOf(a)),
        row(sizes.size() - 2), column(sizes.size() - 1) {}

  Value run() {
    int64_t rows = *sizes[row].asNumber();
    Value x = invertPairs();
    for (int64_t half = 2; half < rows; half *= 2)
      x = join(x, corners(x, half), half);
    return x;
  }

private:
  /// The inverses of the diagonal blocks of two rows, [[1, 0], [-a, 1]], or of
  /// one.
  Value invertPairs() {
    GenericBuilder g(b, loc, sizes);
    g.input(a);
    g.result(type);
    return g.build([&](GenericBody &body) {
      Element below = body.input(0), i = body.index(row);
      Element j = body.index(column), zero = below.constant(0);
      Element one = below.constant(1);
      Element isPair = (j == i - i.constant(1)) &
                       (remainder(i, i.constant(2)) == i.constant(1));
      return select(i == j, one, select(isPair, zero - below, zero));
    });
  }

  /// M^-1 B L^-1 of each block of 2 `half` rows, where the diagonal blocks of x
  /// are L^-1 and M^-1: [.., blocks, half, half].
  Value corners(Value x, int64_t half) {
    // B L^-1
    Value right = multiply(half, [&](GenericBuilder &g, const Point &at) {
      g.input(a, inBlock(g, half, at.row + half, at.inner));
      g.input(x, inBlock(g, half, at.inner, at.column));
    });
    return multiply(half, [&](GenericBuilder &g, const Point &at) {
      g.input(x, inBlock(g, half, at.row + half, at.inner + half));
      SmallVector<AffineExpr> point = g.dims(0, row + 1);
      point.append({at.inner, at.column});
      g.input(right, point);
    });
  }

  struct Point {
    AffineExpr row, column, inner;
  };

  /// Products of two matrices for each block of 2 `half` rows.
  Value multiply(
      int64_t half,
      llvm::function_ref<void(GenericBuilder &, const Point &)> addInputs) {
    auto number = [&](int64_t n) {
      return SizeAttr::number(b.getContext(), n);
    };
    Sizes over(sizes.begin(), sizes.end() - 2);
    over.append({number(*sizes[row].asNumber() / (2 * half)), number(half),
                 number(half)});
    GenericBuilder g(b, loc, over, {number(half)});
    addInputs(g, {g.dim(row + 1), g.dim(row + 2), g.dim(row + 3)});
    g.result(type, 0.0);
    return g.build([](GenericBody &body) {
      return body.accumulator(0) + body.input(0) * body.input(1);
    });
  }

  /// Where a row and a column of a block lie in its matrix.
  SmallVector<AffineExpr> inBlock(GenericBuilder &g, int64_t half,
                                  AffineExpr ofRow, AffineExpr ofColumn) {
    AffineExpr first = g.dim(row) * (2 * half);
    SmallVector<AffineExpr> point = g.dims(0, row);
    point.append({first + ofRow, first + ofColumn});
    return point;
  }

  /// x with the negated corners in its blocks of 2 `half` rows.
  Value join(Value x, Value corners, int64_t half) {
    GenericBuilder g(b, loc, sizes);
    g.input(x);
    AffineExpr i = g.dim(row), j = g.dim(column);
    SmallVector<AffineExpr> point = g.dims(0, row);
    point.append({i.floorDiv(2 * half), i % half, j % half});
    g.input(corners, point);
    g.result(type);
    return g.build([&](GenericBody &body) {
      Element i = body.index(row), j = body.index(column);
      Element middle = i.constant(half), rows = i.constant(2 * half);
      Element isCorner = (i / rows == j / rows) &
                         (remainder(i, rows) >= middle) &
                         (remainder(j, rows) < middle);
      Element corner = body.input(1);
      return select(isCorner, corner.constant(0) - corner, body.input(0));
    });
  }

  OpBuilder &b;
  Location loc;
  Type type;
  Value a;
  Sizes sizes;
  unsigned row, column;
};
} // namespace

Value heddle::invertUnitTriangular(OpBuilder &b, Location loc, Value a) {
  return Inversion(b, loc, a).run();
}
