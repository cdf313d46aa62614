// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Prepare/Decompositions.h"
#include "compiler/Prepare/GenericBuilder.h"
#include "runtime/heddle_abi.h"

using namespace mlir;

namespace heddle {

static Type elementOf(Value value) { return getElementTypeOrSelf(value); }

//===-- heddle.cumulative_sum ---------------------------------------------===//

// So many elements are summed for each of them; what stands before a block of
// so many is summed once. Sums of n elements take about 64 + n / 64 steps each.
static constexpr int64_t kSumBlock = 64;

namespace {
/// What `op` says of the elements that count for another.
struct SumOrder {
  bool isExclusive, isReverse;

  Element counts(Element from, Element to) const {
    if (isReverse)
      std::swap(from, to);
    return isExclusive ? from < to : from <= to;
  }
};
} // namespace

// sum over j of x[.., j, ..], where j counts for i
static Value sumEach(OpBuilder &b, Location loc, Value input, unsigned axis,
                     Type type, SumOrder order) {
  Sizes sizes = sizesOf(input);
  unsigned rank = sizes.size();
  GenericBuilder g(b, loc, sizes, {sizes[axis]});
  SmallVector<AffineExpr> at = g.dims(0, rank);
  at[axis] = g.dim(rank);
  g.input(input, at);
  g.result(type, 0.0);
  return g.build([&](GenericBody &body) {
    Element isCounted = order.counts(body.index(rank), body.index(axis));
    Element x = cast(body.input(0), type);
    return body.accumulator(0) + select(isCounted, x, x.constant(0));
  });
}

// sum over r < 64 of x[.., 64 k + r, ..], [.., k, ..]; or, for each s < 64,
// over those r that count for it, [.., k, s, ..]
static Value sumBlocks(OpBuilder &b, Location loc, Value input, unsigned axis,
                       SizeAttr blocks, Type type,
                       std::optional<SumOrder> order) {
  SizeAttr width = SizeAttr::number(b.getContext(), kSumBlock);
  Sizes over = sizesOf(input);
  unsigned rank = over.size();
  over[axis] = blocks;
  if (order)
    over.insert(over.begin() + axis + 1, width);
  unsigned reduced = over.size();
  GenericBuilder g(b, loc, over, {width});
  g.table(input);
  g.result(type, 0.0);
  return g.build([&](GenericBody &body) {
    SmallVector<Element> point;
    for (unsigned dim = 0; dim < rank; ++dim)
      point.push_back(body.index(dim + (order && dim > axis ? 1 : 0)));
    Element place = body.index(reduced);
    point[axis] = point[axis] * place.constant(kSumBlock) + place;
    Type element = elementOf(input);
    Element x =
        cast(body.read(0, point, body.constant(numberOf(element, 0))), type);
    if (order)
      x = select(order->counts(place, body.index(axis + 1)), x, x.constant(0));
    return body.accumulator(0) + x;
  });
}

// Sums of a tensor of three dimensions: those before the axis, the axis, and
// those after it.
static Values sumFlat(CumulativeSumOp op, OpBuilder &b) {
  Location loc = op.getLoc();
  Sizes sizes = sizesOf(op.getInput());
  MLIRContext *context = b.getContext();
  ArrayRef<SizeAttr> all(sizes);
  unsigned axis = op.getAxis();
  Sizes flat{product(context, all.take_front(axis)), sizes[axis],
             product(context, all.drop_front(axis + 1))};
  auto reshape = [&](Value x, const Sizes &to) {
    return ReshapeOp::create(b, loc, tensorOf(to, elementOf(x)), x,
                             toArray(context, to));
  };
  Value input = reshape(op.getInput(), flat);
  Value sum =
      CumulativeSumOp::create(b, loc, input.getType(), input,
                              /*axis=*/1, op.getExclusive(), op.getReverse());
  return {reshape(sum, sizes)};
}

static Values decompose(CumulativeSumOp op, OpBuilder &b) {
  Location loc = op.getLoc();
  Value input = op.getInput();
  Sizes sizes = sizesOf(input);
  unsigned axis = op.getAxis(), rank = sizes.size();
  Type type = elementOf(input), sumType = accumulatorOf(type);
  SumOrder order{op.getExclusive(), op.getReverse()};
  auto finish = [&](GenericBuilder &g,
                    llvm::function_ref<Element(GenericBody &)> sum) -> Values {
    g.result(type);
    return {g.build([&](GenericBody &body) { return cast(sum(body), type); })};
  };
  std::optional<int64_t> number = sizes[axis].asNumber();
  GenericBuilder g(b, loc, sizes);
  if (number && *number <= 2 * kSumBlock) {
    g.input(sumEach(b, loc, input, axis, sumType, order));
    return finish(g, [](GenericBody &body) { return body.input(0); });
  }
  // Blocks are another dimension.
  if (rank + 1 > HEDDLE_MAX_RANK)
    return sumFlat(op, b);
  SizeAttr one = SizeAttr::number(b.getContext(), 1);
  SizeAttr width = SizeAttr::number(b.getContext(), kSumBlock);
  SizeAttr blocks = floorDiv(sizes[axis] - one, width) + one;
  Value sums = sumBlocks(b, loc, input, axis, blocks, sumType, std::nullopt);
  Value others = sumEach(b, loc, sums, axis, sumType,
                         {/*isExclusive=*/true, order.isReverse});
  Value inside = sumBlocks(b, loc, input, axis, blocks, sumType, order);
  SmallVector<AffineExpr> at = g.dims(0, rank);
  at[axis] = g.dim(axis).floorDiv(kSumBlock);
  g.input(others, at);
  at.insert(at.begin() + axis + 1, g.dim(axis) % kSumBlock);
  g.input(inside, at);
  return finish(
      g, [](GenericBody &body) { return body.input(0) + body.input(1); });
}

void registerCumulativeSumDecompositions(MLIRContext *context) {
  attachDecompositions<CumulativeSumOp>(context);
}

} // namespace heddle
