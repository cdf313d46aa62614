// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// pool_2d mean x -> s[n, c, p, q] = sum over (j, k) of padded x
//                   n_0[p] = how many j there are in x, n_1[q] = how many k
//                   s / (n_0 * n_1)

#include "compiler/Prepare/Decompositions.h"
#include "compiler/Prepare/GenericBuilder.h"

using namespace mlir;

namespace heddle {

static SizeAttr number(OpBuilder &b, int64_t value) {
  return SizeAttr::number(b.getContext(), value);
}

static bool isPadded(const Window &window) {
  return window.low != 0 || window.high != 0;
}

// `x` with `value` around it, where windows reach past its ends.
static Value pad(OpBuilder &b, Location loc, Value x, const Windows &windows,
                 TypedAttr value) {
  if (llvm::none_of(windows, isPadded))
    return x;
  Sizes sizes = sizesOf(x), low(2, number(b, 0)), high = low;
  for (auto [k, window] : llvm::enumerate(windows)) {
    low.push_back(number(b, window.low));
    high.push_back(number(b, window.high));
    sizes[2 + k] = sizes[2 + k] + number(b, window.low + window.high);
  }
  MLIRContext *context = b.getContext();
  return PadOp::create(b, loc, tensorOf(sizes, getElementTypeOrSelf(x)), x,
                       toArray(context, low), toArray(context, high), value);
}

// combine(initial, x...) of all taps of each window of `x`, which has them all.
static Value reduceWindows(OpBuilder &b, Pool2DOp op, Value x,
                           TypedAttr initial,
                           Element (*combine)(Element, Element)) {
  Sizes taps;
  Windows windows = op.getWindows();
  for (const Window &window : windows)
    taps.push_back(number(b, window.taps));
  GenericBuilder g(b, op.getLoc(), sizesOf(op.getResult()), taps);
  SmallVector<AffineExpr> at = g.dims(0, 2);
  for (auto [k, window] : llvm::enumerate(windows))
    at.push_back(g.dim(2 + k) * window.stride + g.dim(4 + k) * window.dilation);
  g.input(x, at);
  g.result(getElementTypeOrSelf(x), initial);
  return g.build([&](GenericBody &body) {
    return combine(body.accumulator(0), body.input(0));
  });
}

// How many taps of each window along a dimension of that length are in it.
static Value countTaps(OpBuilder &b, Location loc, Type type,
                       const Window &window, SizeAttr length,
                       SizeAttr windows) {
  GenericBuilder g(b, loc, {windows}, {number(b, window.taps)});
  g.result(type, 0.0);
  return g.build([&](GenericBody &body) {
    Element place = body.index(0), tap = body.index(1);
    place = place * place.constant(window.stride) +
            tap * place.constant(window.dilation);
    Element first = place.constant(window.low);
    Element isInside = (place >= first) & (place < body.size(length) + first);
    return body.accumulator(0) + cast(isInside, type);
  });
}

static Values decompose(Pool2DOp op, OpBuilder &b) {
  Location loc = op.getLoc();
  Value x = op.getInput();
  Type type = getElementTypeOrSelf(x);
  Windows windows = op.getWindows();
  if (op.getKind() == ReductionKind::Max) {
    TypedAttr lowest = lowestOf(type);
    return {
        reduceWindows(b, op, pad(b, loc, x, windows, lowest), lowest, maximum)};
  }
  TypedAttr zero = numberOf(type, 0);
  Value sums =
      reduceWindows(b, op, pad(b, loc, x, windows, zero), zero,
                    [](Element sum, Element element) { return sum + element; });
  Sizes over = sizesOf(op.getResult()), sizes = sizesOf(x);
  GenericBuilder g(b, loc, over);
  g.input(sums);
  for (auto [k, window] : llvm::enumerate(windows))
    if (isPadded(window))
      g.input(countTaps(b, loc, type, window, sizes[2 + k], over[2 + k]),
              {g.dim(2 + k)});
  g.result(type);
  return {g.build([&](GenericBody &body) {
    Element sum = body.input(0), count = sum.constant(1);
    unsigned input = 1;
    for (const Window &window : windows)
      count = count * (isPadded(window) ? body.input(input++)
                                        : sum.constant(window.taps));
    // Of no elements the sum is 0, too.
    return sum / maximum(count, sum.constant(1));
  })};
}

void registerPoolingDecompositions(MLIRContext *context) {
  attachDecompositions<Pool2DOp>(context);
}

} // namespace heddle
