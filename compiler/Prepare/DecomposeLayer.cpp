// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Prepare/Decompositions.h"
#include "compiler/Prepare/GenericBuilder.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;
using namespace heddle;

// gated_feed_forward silu x, g, u, d
//   -> linear(activation silu (linear x, g) * (linear x, u)), d
Values heddle::decompose(GatedFeedForwardOp op, OpBuilder &b) {
  Location loc = op.getLoc();
  Value gate =
      LinearOp::create(b, loc, op.getInput(), op.getGate(), op.getGateBias());
  Value up =
      LinearOp::create(b, loc, op.getInput(), op.getUp(), op.getUpBias());
  Value active = ActivationOp::create(b, loc, op.getKindAttr(), gate);
  Value hidden = arith::MulFOp::create(b, loc, active, up);
  return {LinearOp::create(b, loc, hidden, op.getDown(), op.getDownBias())};
}

// The mean of f(x) over the last dimension, which stays as 1, in f32 at least.
static Value buildMean(OpBuilder &b, Location loc, Value input,
                       llvm::function_ref<Element(Element)> term) {
  Sizes over = sizesOf(input);
  unsigned rank = over.size();
  SizeAttr channels = over.back();
  over.back() = SizeAttr::number(b.getContext(), 1);
  Type type = accumulatorOf(getElementTypeOrSelf(input));
  GenericBuilder sum(b, loc, over, {channels});
  SmallVector<AffineExpr> at = sum.dims(0, rank);
  at.back() = sum.dim(rank);
  sum.input(input, at);
  sum.result(type, 0.0);
  Value total = sum.build([&](GenericBody &body) {
    return body.accumulator(0) + term(cast(body.input(0), type));
  });
  GenericBuilder mean(b, loc, over);
  mean.input(total);
  mean.result(type);
  return mean.build([&](GenericBody &body) {
    return body.input(0) / cast(body.size(channels), type);
  });
}

// c = x - mean(x); c / sqrt(mean(c^2) + epsilon) * w + b
Values heddle::decompose(LayerNormOp op, OpBuilder &b) {
  Location loc = op.getLoc();
  Value input = op.getInput();
  Sizes sizes = sizesOf(input);
  Type type = getElementTypeOrSelf(input), wide = accumulatorOf(type);
  Value mean = buildMean(b, loc, input, [](Element x) { return x; });
  GenericBuilder difference(b, loc, sizes);
  difference.input(input);
  difference.input(mean);
  difference.result(wide);
  Value centred = difference.build([&](GenericBody &body) {
    return cast(body.input(0), wide) - body.input(1);
  });
  Value variance = buildMean(b, loc, centred, [](Element x) { return x * x; });
  GenericBuilder root(b, loc, sizesOf(variance));
  root.input(variance);
  root.result(wide);
  Value scale = root.build([&](GenericBody &body) {
    Element x = body.input(0);
    Element epsilon = x.constant(op.getEpsilon().convertToDouble());
    return x.constant(1) / apply<math::SqrtOp>(x + epsilon);
  });
  GenericBuilder norm(b, loc, sizes);
  norm.input(centred);
  norm.input(scale);
  norm.input(op.getWeight());
  norm.input(op.getBias());
  norm.result(type);
  return {norm.build([&](GenericBody &body) {
    Element scaled = body.input(0) * body.input(1);
    Element weight = cast(body.input(2), wide),
            bias = cast(body.input(3), wide);
    return cast(scaled * weight + bias, type);
  })};
}
