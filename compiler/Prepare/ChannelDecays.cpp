// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two tokens i > j of a chunk are in neighbouring blocks of exactly one size
// that is a power of two: the highest bit in which i and j differ. With e the
// end of j's block,
//   sum over c of x_ic exp(gates of c after j up to i) k_jc
//     = (x_i exp(gates after e up to i)) . (k_j exp(gates after j up to e))
// so that each size is a product of matrices, and no exponent is a difference
// of sums, which would lose small gates beside large ones.

#include "compiler/Prepare/ChannelDecays.h"

#include "compiler/Prepare/GenericBuilder.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace heddle;

Value heddle::sumUpTo(OpBuilder &b, Location loc, Value gates) {
  return CumulativeSumOp::create(b, loc, gates.getType(), gates, /*axis=*/3);
}

Value heddle::sumAfter(OpBuilder &b, Location loc, Value gates) {
  return CumulativeSumOp::create(b, loc, gates.getType(), gates, /*axis=*/3,
                                 /*exclusive=*/true, /*reverse=*/true);
}

Value heddle::multiplyExponential(OpBuilder &b, Location loc, Value x,
                                  Value sums) {
  GenericBuilder g(b, loc, sizesOf(x));
  g.input(x);
  g.input(sums, g.dims(0, sizesOf(sums).size()));
  g.result(getElementTypeOrSelf(x));
  return g.build([](GenericBody &body) {
    return body.input(0) * apply<math::ExpOp>(body.input(1));
  });
}

namespace {
class ProductBuilder {
public:
  ProductBuilder(OpBuilder &b, Location loc, const DecayedProducts &products)
      : b(b), loc(loc), p(products), type(getElementTypeOrSelf(p.x)),
        sizes(sizesOf(p.x)), tokens(*sizes[3].asNumber()) {}

  Value build();

private:
  Value inBlocks(Value x, int64_t size);
  Value everySecond(Value blocks, int64_t first);
  Value betweenBlocks(int64_t size);
  Value ofSameToken();

  OpBuilder &b;
  Location loc;
  const DecayedProducts &p;
  Type type;
  Sizes sizes;
  int64_t tokens; ///< of a chunk
};
} // namespace

// [batch, heads, n, C, channels] -> [batch, heads, n C / size, size, channels]
Value ProductBuilder::inBlocks(Value x, int64_t size) {
  Sizes blocks = sizes;
  blocks[2] = sizes[2] * (tokens / size);
  blocks[3] = SizeAttr::number(b.getContext(), size);
  return ReshapeOp::create(b, loc, tensorOf(blocks, type), x,
                           toArray(b.getContext(), blocks));
}

// Every second block, from `first` on.
Value ProductBuilder::everySecond(Value blocks, int64_t first) {
  Sizes half = sizesOf(blocks);
  half[2] = sizes[2] * (tokens / (2 * *half[3].asNumber()));
  GenericBuilder g(b, loc, half);
  g.input(blocks,
          {g.dim(0), g.dim(1), g.dim(2) * 2 + first, g.dim(3), g.dim(4)});
  g.result(type);
  return g.build([](GenericBody &body) { return body.input(0); });
}

// Of i in the second and j in the first of two blocks of `size` tokens: [batch,
// heads, n C / (2 size), size, size].
Value ProductBuilder::betweenBlocks(int64_t size) {
  Value gates = inBlocks(p.gates, size);
  Value rows =
      multiplyExponential(b, loc, inBlocks(p.x, size), sumUpTo(b, loc, gates));
  Value columns = multiplyExponential(b, loc, inBlocks(p.keys, size),
                                      sumAfter(b, loc, gates));
  rows = everySecond(rows, 1);
  columns = everySecond(columns, 0);
  Sizes products = sizesOf(rows);
  products[4] = products[3];
  return MatmulOp::create(b, loc, tensorOf(products, type), rows, columns,
                          /*transposeA=*/false, /*transposeB=*/true);
}

// x_i . k_i: [batch, heads, n, C]
Value ProductBuilder::ofSameToken() {
  GenericBuilder g(b, loc, Sizes(ArrayRef(sizes).drop_back()), {sizes[4]});
  g.input(p.x, g.dims(0, 5));
  g.input(p.keys, g.dims(0, 5));
  g.result(type, 0.0);
  return g.build([](GenericBody &body) {
    return body.accumulator(0) + body.input(0) * body.input(1);
  });
}

Value ProductBuilder::build() {
  Sizes all = sizes;
  all[4] = sizes[3];
  GenericBuilder g(b, loc, all);
  AffineExpr i = g.dim(3), j = g.dim(4);
  unsigned levels = 0;
  for (int64_t size = 1; size < tokens; size *= 2, ++levels) {
    AffineExpr pair = g.dim(2) * (tokens / (2 * size)) + i.floorDiv(2 * size);
    g.input(betweenBlocks(size),
            {g.dim(0), g.dim(1), pair, i % size, j % size});
  }
  if (p.withDiagonal)
    g.input(ofSameToken(), g.dims(0, 4));
  if (p.strengths)
    g.input(p.strengths, g.dims(0, 4));
  g.result(type);
  return g.build([&](GenericBody &body) {
    Element i = body.index(3), j = body.index(4);
    Element y = body.constant(numberOf(type, 0));
    if (p.withDiagonal)
      y = select(i == j, body.input(levels), y);
    for (unsigned level = 0; level < levels; ++level) {
      Element size = i.constant(int64_t(1) << level), both = size + size;
      Element areNeighbours = (i / both == j / both) & (j / size < i / size);
      y = select(areNeighbours, body.input(level), y);
    }
    return p.strengths ? y * body.input(levels) : y;
  });
}

Value heddle::multiplyDecayed(OpBuilder &b, Location loc,
                              const DecayedProducts &products) {
  return ProductBuilder(b, loc, products).build();
}
