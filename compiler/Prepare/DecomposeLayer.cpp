// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Prepare/Decompositions.h"
#include "compiler/Prepare/GenericBuilder.h"

#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace heddle {

// embedding(ids, t)[.., c] = t[clamp(ids[..]), c]
static Values decompose(EmbeddingOp op, OpBuilder &b) {
  Sizes over = sizesOf(op.getResult());
  Type type = getElementTypeOrSelf(op.getResult());
  unsigned channels = over.size() - 1;
  GenericBuilder g(b, op.getLoc(), over);
  g.input(op.getIds(), g.dims(0, channels));
  g.table(op.getTable());
  g.result(type);
  return {g.build([&](GenericBody &body) {
    Element id = asCoordinate(body.input(0));
    return cast(body.read(0, {id, body.index(channels)}), type);
  })};
}

// last_token(x, n)[b, c] = x[b, n[b] - 1, c]
static Values decompose(LastTokenOp op, OpBuilder &b) {
  GenericBuilder g(b, op.getLoc(), sizesOf(op.getResult()));
  g.input(op.getLengths(), {g.dim(0)});
  g.table(op.getInput());
  g.result(getElementTypeOrSelf(op.getResult()));
  return {g.build([](GenericBody &body) {
    Element length = body.input(0);
    Element last = asCoordinate(length - length.constant(1));
    return body.read(0, {body.index(0), last, body.index(1)});
  })};
}

// pool_tokens mean (x, n)[b, c] = sum over s < n[b] of x[b, s, c], over n[b]
static Values decompose(PoolTokensOp op, OpBuilder &b) {
  Location loc = op.getLoc();
  Value x = op.getInput();
  Type type = getElementTypeOrSelf(x), wide = accumulatorOf(type);
  bool isMaximum = op.getKind() == ReductionKind::Max;
  Sizes over = sizesOf(op.getResult());
  GenericBuilder g(b, loc, over, {sizesOf(x)[1]});
  g.input(x, {g.dim(0), g.dim(2), g.dim(1)});
  g.input(op.getLengths(), {g.dim(0)});
  g.result(wide, isMaximum ? lowestOf(wide) : numberOf(wide, 0));
  Value pooled = g.build([&](GenericBody &body) {
    Element element = cast(body.input(0), wide), best = body.accumulator(0);
    Element isValid = body.index(2) < asCoordinate(body.input(1));
    return isMaximum ? select(isValid, maximum(best, element), best)
                     : best + select(isValid, element, element.constant(0));
  });
  GenericBuilder rounded(b, loc, over);
  rounded.input(pooled);
  rounded.input(op.getLengths(), {rounded.dim(0)});
  rounded.result(type);
  return {rounded.build([&](GenericBody &body) {
    Element sum = body.input(0);
    bool isMean = op.getKind() == ReductionKind::Mean;
    return cast(isMean ? sum / cast(body.input(1), wide) : sum, type);
  })};
}

// linear(x, W, b)[.., n] = sum_k x[.., k] W[n, k] + b[n]
static Values decompose(LinearOp op, OpBuilder &b) {
  Location loc = op.getLoc();
  Sizes over = sizesOf(op.getResult());
  unsigned rank = over.size();
  Type type = getElementTypeOrSelf(op.getResult()), wide = accumulatorOf(type);
  GenericBuilder g(b, loc, over, {sizesOf(op.getInput()).back()});
  SmallVector<AffineExpr> at = g.dims(0, rank);
  at.back() = g.dim(rank);
  g.input(op.getInput(), at);
  g.input(op.getWeight(), {g.dim(rank - 1), g.dim(rank)});
  g.result(wide, 0.0);
  Value sum = g.build([&](GenericBody &body) {
    return body.accumulator(0) +
           cast(body.input(0), wide) * cast(body.input(1), wide);
  });
  if (!op.getBias() && type == wide)
    return {sum};
  GenericBuilder biased(b, loc, over);
  biased.input(sum);
  if (op.getBias())
    biased.input(op.getBias());
  biased.result(type);
  return {biased.build([&](GenericBody &body) {
    Element result = body.input(0);
    return cast(op.getBias() ? result + cast(body.input(1), wide) : result,
                type);
  })};
}

/// x sigmoid(c x) is near gelu (Hendrycks and Gimpel, arXiv:1606.08415).
static constexpr double kQuickGelu = 1.702;

// y / (1 + exp(-x))
static Element logistic(Element x, Element y) {
  return y / (x.constant(1) + apply<math::ExpOp>(apply<arith::NegFOp>(x)));
}

// x / 2 * (1 + y)
static Element halved(Element x, Element y) {
  return x * x.constant(0.5) * (x.constant(1) + y);
}

// As heddle.activation says.
static Element activate(ActivationKind kind, Element x) {
  switch (kind) {
  case ActivationKind::Silu:
    return logistic(x, x);
  case ActivationKind::Relu:
    return maximum(x, x.constant(0));
  case ActivationKind::Gelu:
    return halved(x,
                  apply<math::ErfOp>(x * x.constant(llvm::numbers::sqrt2 / 2)));
  case ActivationKind::GeluTanh: {
    Element factor = x.constant(std::sqrt(2 * llvm::numbers::inv_pi));
    Element inner = factor * (x + x.constant(0.044715) * x * x * x);
    return halved(x, apply<math::TanhOp>(inner));
  }
  case ActivationKind::Sigmoid:
    return logistic(x, x.constant(1));
  case ActivationKind::Tanh:
    return apply<math::TanhOp>(x);
  case ActivationKind::QuickGelu:
    return logistic(x.constant(kQuickGelu) * x, x);
  }
  llvm_unreachable("covered switch");
}

static Values decompose(ActivationOp op, OpBuilder &b) {
  Type type = getElementTypeOrSelf(op.getResult()), wide = accumulatorOf(type);
  GenericBuilder g(b, op.getLoc(), sizesOf(op.getResult()));
  g.input(op.getInput());
  g.result(type);
  return {g.build([&](GenericBody &body) {
    return cast(activate(op.getKind(), cast(body.input(0), wide)), type);
  })};
}

// feed_forward relu x, u, d -> linear(activation relu (linear x, u)), d
static Values decompose(FeedForwardOp op, OpBuilder &b) {
  Location loc = op.getLoc();
  Value up =
      LinearOp::create(b, loc, op.getInput(), op.getUp(), op.getUpBias());
  Value hidden = ActivationOp::create(b, loc, op.getKindAttr(), up);
  return {LinearOp::create(b, loc, hidden, op.getDown(), op.getDownBias())};
}

// gated_feed_forward silu x, g, u, d
//   -> linear(activation silu (linear x, g) * (linear x, u)), d
static Values decompose(GatedFeedForwardOp op, OpBuilder &b) {
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
  Type type = accumulatorOf(input);
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
    return body.input(0) / body.size(channels, type);
  });
}

// 1 / sqrt(mean + epsilon)
static Value buildInverseRoot(OpBuilder &b, Location loc, Value mean,
                              const APFloat &epsilon) {
  GenericBuilder g(b, loc, sizesOf(mean));
  g.input(mean);
  g.result(getElementTypeOrSelf(mean));
  return g.build([&](GenericBody &body) {
    Element x = body.input(0);
    return x.constant(1) /
           apply<math::SqrtOp>(x + x.constant(epsilon.convertToDouble()));
  });
}

// x / sqrt(mean(x^2) + epsilon) * w
static Values decompose(RMSNormOp op, OpBuilder &b) {
  Location loc = op.getLoc();
  Value input = op.getInput();
  Type type = getElementTypeOrSelf(input), wide = accumulatorOf(type);
  Value squares = buildMean(b, loc, input, [](Element x) { return x * x; });
  Value scale = buildInverseRoot(b, loc, squares, op.getEpsilon());
  GenericBuilder norm(b, loc, sizesOf(input));
  norm.input(input);
  norm.input(scale);
  norm.input(op.getWeight());
  norm.result(type);
  return {norm.build([&](GenericBody &body) {
    Element scaled = cast(body.input(0), wide) * body.input(1);
    return cast(scaled * cast(body.input(2), wide), type);
  })};
}

// c = x - mean(x); c / sqrt(mean(c^2) + epsilon) * w + b
static Values decompose(LayerNormOp op, OpBuilder &b) {
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
  Value scale = buildInverseRoot(b, loc, variance, op.getEpsilon());
  GenericBuilder norm(b, loc, sizes);
  norm.input(centred);
  norm.input(scale);
  norm.input(op.getWeight());
  if (op.getBias())
    norm.input(op.getBias());
  norm.result(type);
  return {norm.build([&](GenericBody &body) {
    Element scaled = body.input(0) * body.input(1);
    Element result = scaled * cast(body.input(2), wide);
    return cast(op.getBias() ? result + cast(body.input(3), wide) : result,
                type);
  })};
}

void registerLayerDecompositions(MLIRContext *context) {
  attachDecompositions<EmbeddingOp, RMSNormOp, LayerNormOp, LinearOp,
                       ActivationOp, FeedForwardOp, GatedFeedForwardOp,
                       LastTokenOp, PoolTokensOp>(context);
}

} // namespace heddle
