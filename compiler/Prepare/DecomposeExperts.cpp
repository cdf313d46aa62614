// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Prepare/Decompositions.h"
#include "compiler/Prepare/GenericBuilder.h"

using namespace mlir;

namespace heddle {

namespace {
/// What the router gives each token: [.., top].
struct Choice {
  Value shares, experts;
};

/// Builds the sums that read the weights of a token's experts.
class ExpertSums {
public:
  ExpertSums(OpBuilder &b, MixtureOfExpertsOp op)
      : b(b), op(op), loc(op.getLoc()), tokens(sizesOf(op.getInput())),
        channels(tokens.pop_back_val()), hidden(sizesOf(op.getGate())[1]),
        top(SizeAttr::number(b.getContext(), op.getTop())),
        type(b.getF32Type()) {}

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

  /// sum_c x[.., c] W[e_j, h, c]: [.., j, h]
  Value widen(Value weight, const Choice &choice) {
    GenericBuilder g(b, loc, with({top, hidden}), {channels});
    SmallVector<AffineExpr> at = g.dims(0, tokens.size());
    unsigned j = tokens.size(), h = j + 1, c = h + 1;
    at.push_back(g.dim(c));
    g.input(op.getInput(), at);
    at.back() = g.dim(j);
    g.input(choice.experts, at);
    return sum(g, weight, h, c);
  }

  /// sum_(j, h) x[.., j, h] W[e_j, c, h]: [.., c]
  Value narrow(Value value, Value weight, const Choice &choice) {
    GenericBuilder g(b, loc, with({channels}), {top, hidden});
    SmallVector<AffineExpr> at = g.dims(0, tokens.size());
    unsigned c = tokens.size(), j = c + 1, h = j + 1;
    at.append({g.dim(j), g.dim(h)});
    g.input(value, at);
    at.pop_back();
    g.input(choice.experts, at);
    return sum(g, weight, c, h);
  }

  /// q[.., j] gate[.., j, h] up[.., j, h], of which the gate is active.
  Value gate(Value gate, Value up, const Choice &choice) {
    Value active = ActivationOp::create(b, loc, op.getKindAttr(), gate);
    GenericBuilder g(b, loc, with({top, hidden}));
    g.input(active);
    g.input(up);
    g.input(choice.shares, g.dims(0, tokens.size() + 1));
    g.result(type);
    return g.build([](GenericBody &body) {
      return body.input(0) * body.input(1) * body.input(2);
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

  // The sum of input 0 times the weight of expert input 1 at [row, column].
  Value sum(GenericBuilder &g, Value weight, unsigned row, unsigned column) {
    g.table(weight);
    g.result(type, 0.0);
    return g.build([&](GenericBody &body) {
      Element w =
          body.read(0, {body.input(1), body.index(row), body.index(column)});
      return body.accumulator(0) + body.input(0) * cast(w, type);
    });
  }

  OpBuilder &b;
  MixtureOfExpertsOp op;
  Location loc;
  Sizes tokens;
  SizeAttr channels, hidden, top;
  Type type;
};
} // namespace

// p = softmax(linear x, router); q, e = top_k p
//   -> sum_j q[j] gated_feed_forward(x) of expert e[j]
static Values decompose(MixtureOfExpertsOp op, OpBuilder &b) {
  ExpertSums sums(b, op);
  Choice choice = sums.choose();
  Value gate = sums.widen(op.getGate(), choice);
  Value up = sums.widen(op.getUp(), choice);
  Value hidden = sums.gate(gate, up, choice);
  Value result = sums.narrow(hidden, op.getDown(), choice);
  if (!op.getSharedGate())
    return {result};
  Value shared = GatedFeedForwardOp::create(
      b, op.getLoc(), op.getKindAttr(), op.getInput(), op.getSharedGate(),
      op.getSharedUp(), op.getSharedDown(), Value(), Value(), Value());
  return {arith::AddFOp::create(b, op.getLoc(), result, shared)};
}

void registerExpertDecompositions(MLIRContext *context) {
  attachDecompositions<MixtureOfExpertsOp>(context);
}

} // namespace heddle
