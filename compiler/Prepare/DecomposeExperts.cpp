// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Prepare/Decompositions.h"
#include "compiler/Prepare/ExpertGroups.h"
#include "compiler/Prepare/GenericBuilder.h"

using namespace mlir;

namespace heddle {

namespace {
/// What the router gives each token: [.., top].
struct Choice {
  Value shares, experts;
};

/// Builds what a token's experts compute.
class ExpertLayers {
public:
  ExpertLayers(OpBuilder &b, MixtureOfExpertsOp op)
      : b(b), op(op), loc(op.getLoc()), tokens(sizesOf(op.getInput())),
        channels(tokens.pop_back_val()),
        top(SizeAttr::number(b.getContext(), op.getTop())),
        type(accumulatorOf(op.getInput())) {}

  Choice choose() {
    Value logits = LinearOp::create(b, loc, op.getInput(), op.getRouter(),
                                    /*bias=*/Value());
    Value shares =
        SoftmaxOp::create(b, loc, logits.getType(), logits, tokens.size());
    Sizes chosen = with({top});
    auto largest = TopKOp::create(b, loc, tensorOf(chosen, type),
                                  tensorOf(chosen, b.getI32Type()), shares,
                                  tokens.size(), top, /*smallest=*/false);
    Value kept = largest.getValues();
    if (op.getNormalized())
      kept = normalize(kept);
    return {kept, largest.getIndices()};
  }

  // activation(W_gate x) * W_up x, and W_down of that: [.., j, channels]
  Value compute(const Choice &choice) {
    auto linear = [&](Value x, Value weight) -> Value {
      return ExpertLinearOp::create(b, loc, x, choice.experts, weight,
                                    /*bias=*/Value());
    };
    Value gate = ActivationOp::create(b, loc, op.getKindAttr(),
                                      linear(op.getInput(), op.getGate()));
    Value up = linear(op.getInput(), op.getUp());
    Value hidden = arith::MulFOp::create(b, loc, gate, up);
    return linear(hidden, op.getDown());
  }

  // sum_j q[.., j] y[.., j, c]
  Value combine(Value outputs, const Choice &choice) {
    GenericBuilder g(b, loc, with({channels}), {top});
    SmallVector<AffineExpr> at = g.dims(0, tokens.size());
    unsigned c = tokens.size(), j = c + 1;
    at.push_back(g.dim(j));
    g.input(choice.shares, at);
    at.push_back(g.dim(c));
    g.input(outputs, at);
    g.result(type, 0.0);
    return g.build([](GenericBody &body) {
      return body.accumulator(0) + body.input(0) * body.input(1);
    });
  }

private:
  // The sizes of tokens, and others after them.
  Sizes with(std::initializer_list<SizeAttr> others) const {
    Sizes sizes = tokens;
    sizes.append(others);
    return sizes;
  }

  // q[.., j] / sum_i q[.., i]
  Value normalize(Value shares) {
    GenericBuilder sum(b, loc, tokens, {top});
    sum.input(shares, sum.dims(0, tokens.size() + 1));
    sum.result(type, 0.0);
    Value total = sum.build(
        [](GenericBody &body) { return body.accumulator(0) + body.input(0); });
    GenericBuilder quotient(b, loc, with({top}));
    quotient.input(shares);
    quotient.input(total, quotient.dims(0, tokens.size()));
    quotient.result(type);
    return quotient.build(
        [](GenericBody &body) { return body.input(0) / body.input(1); });
  }

  OpBuilder &b;
  MixtureOfExpertsOp op;
  Location loc;
  Sizes tokens;
  SizeAttr channels, top;
  Type type;
};
} // namespace

// sum_k x[.., (j,) k] W[e[.., j], n, k]: [.., j, n]
static Value buildProduct(ExpertLinearOp op, OpBuilder &b) {
  if (areWorthGrouping(op))
    return buildGroupedProduct(b, op);
  Sizes over = sizesOf(op.getResult());
  GenericBuilder g(b, op.getLoc(), over, {sizesOf(op.getWeight())[2]});
  unsigned n = over.size() - 1, k = n + 1;
  SmallVector<AffineExpr> choice = g.dims(0, n), at = choice;
  if (!op.hasOwnInputs())
    at.pop_back();
  at.push_back(g.dim(k));
  g.input(op.getInput(), at);
  g.input(op.getExperts(), choice);
  g.table(op.getWeight());
  Type type = accumulatorOf(op.getInput());
  g.result(type, 0.0);
  return g.build([&](GenericBody &body) {
    Element w = body.read(
        0, {asCoordinate(body.input(1)), body.index(n), body.index(k)});
    return body.accumulator(0) + body.input(0) * cast(w, type);
  });
}

// The product, + b[e[.., j], n]
static Values decompose(ExpertLinearOp op, OpBuilder &b) {
  Value sum = buildProduct(op, b);
  if (!op.getBias())
    return {sum};
  Sizes over = sizesOf(op.getResult());
  unsigned n = over.size() - 1;
  Type type = getElementTypeOrSelf(sum);
  GenericBuilder added(b, op.getLoc(), over);
  added.input(sum);
  added.input(op.getExperts(), added.dims(0, n));
  added.table(op.getBias());
  added.result(type);
  return {added.build([&](GenericBody &body) {
    Element expert = asCoordinate(body.input(1));
    return body.input(0) + cast(body.read(0, {expert, body.index(n)}), type);
  })};
}

// p = softmax(linear x, router); q, e = top_k p
//   -> sum_j q[j] gated_feed_forward(x) of expert e[j]
static Values decompose(MixtureOfExpertsOp op, OpBuilder &b) {
  ExpertLayers layers(b, op);
  Choice choice = layers.choose();
  Value result = layers.combine(layers.compute(choice), choice);
  if (!op.getSharedGate())
    return {result};
  Value shared = GatedFeedForwardOp::create(
      b, op.getLoc(), op.getKindAttr(), op.getInput(), op.getSharedGate(),
      op.getSharedUp(), op.getSharedDown(), Value(), Value(), Value());
  return {arith::AddFOp::create(b, op.getLoc(), result, shared)};
}

void registerExpertDecompositions(MLIRContext *context) {
  attachDecompositions<ExpertLinearOp, MixtureOfExpertsOp>(context);
}

} // namespace heddle
