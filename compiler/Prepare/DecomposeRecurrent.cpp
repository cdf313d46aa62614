// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Prepare/Decompositions.h"
#include "compiler/Prepare/GenericBuilder.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace heddle {

static Element sigmoid(Element x) {
  Element one = x.constant(1);
  return one / (one + apply<math::ExpOp>(apply<arith::NegFOp>(x)));
}

static Element tangent(Element x) { return apply<math::TanhOp>(x); }

// Rows `first` to `first + count - 1` of a matrix or a bias; of a weight, a
// part that is packed for itself.
static Value sliceRows(OpBuilder &b, Location loc, Value x, int64_t first,
                       int64_t count) {
  if (!x)
    return {};
  auto number = [&](int64_t n) { return SizeAttr::number(b.getContext(), n); };
  Sizes sizes = sizesOf(x), offsets(sizes.size(), number(0));
  sizes[0] = number(count);
  offsets[0] = number(first);
  Type type = tensorOf(sizes, getElementTypeOrSelf(x));
  if (auto weight = x.getDefiningOp<WeightRefOp>()) {
    SmallVector<int64_t> at(sizes.size(), 0),
        shape(weight.getType().getShape());
    at[0] = first;
    shape[0] = count;
    return WeightRefOp::createPart(b, loc, weight, at, shape);
  }
  return SliceOp::create(b, loc, type, x, toArray(b.getContext(), offsets),
                         toArray(b.getContext(), sizes),
                         SmallVector<int64_t>(sizes.size(), 1));
}

namespace {
/// The elementwise part of a cell, and its inputs: gates, which lie one after
/// the other in the channels of linear layers or in vectors, and states.
class CellBuilder {
public:
  template <typename Cell>
  CellBuilder(OpBuilder &b, Cell op)
      : g(b, op.getLoc(), sizesOf(op.getHidden())),
        sizes(sizesOf(op.getHidden())) {}

  /// Adds gate `gate` of `value`, which has the state's dimensions or channels
  /// alone. Returns the input's number.
  unsigned add(Value value, unsigned gate = 0) {
    unsigned rank = sizesOf(value).size();
    SmallVector<AffineExpr> at = g.dims(sizes.size() - rank, rank);
    at.back() = at.back() + g.size(sizes.back() * gate);
    g.input(value, at);
    return inputs++;
  }
  /// Inputs for `count` gates of `value`; returns the number of the first.
  unsigned addGates(Value value, unsigned count) {
    unsigned first = inputs;
    for (unsigned gate = 0; gate < count; ++gate)
      add(value, gate);
    return first;
  }

  GenericBuilder g;

private:
  Sizes sizes;
  unsigned inputs = 0;
};
} // namespace

// W x + b
template <typename Cell> static Value linearOfInput(OpBuilder &b, Cell op) {
  return LinearOp::create(b, op.getLoc(), op.getInput(), op.getInputWeight(),
                          op.getInputBias());
}

// U h + c
template <typename Cell> static Value linearOfHidden(OpBuilder &b, Cell op) {
  return LinearOp::create(b, op.getLoc(), op.getHidden(), op.getHiddenWeight(),
                          op.getHiddenBias());
}

// (1 - z) n + z h
static Element nextHidden(Element update, Element candidate, Element hidden) {
  return (update.constant(1) - update) * candidate + update * hidden;
}

// r = sigmoid(a_r + u_r), z = sigmoid(a_z + u_z), n = tanh(a_n + U_n (r h) +
// c_n)
//   -> (1 - z) n + z h
static Value decomposeResetBefore(GRUCellOp op, OpBuilder &b) {
  Location loc = op.getLoc();
  Type type = getElementTypeOrSelf(op.getResult());
  int64_t hidden = *sizesOf(op.getHidden()).back().asNumber();
  auto linear = [&](Value x, int64_t firstGate, int64_t gates) -> Value {
    auto slice = [&](Value weight) {
      return sliceRows(b, loc, weight, firstGate * hidden, gates * hidden);
    };
    return LinearOp::create(b, loc, x, slice(op.getHiddenWeight()),
                            slice(op.getHiddenBias()));
  };
  Value ofInput = linearOfInput(b, op), ofHidden = linear(op.getHidden(), 0, 2);

  CellBuilder reset(b, op);
  unsigned a = reset.addGates(ofInput, 1), u = reset.addGates(ofHidden, 1);
  unsigned h = reset.add(op.getHidden());
  reset.g.result(type);
  Value kept = reset.g.build([&](GenericBody &body) {
    return sigmoid(body.input(a) + body.input(u)) * body.input(h);
  });

  Value ofKept = linear(kept, 2, 1);
  CellBuilder next(b, op);
  unsigned a_z = next.add(ofInput, 1), u_z = next.add(ofHidden, 1);
  unsigned a_n = next.add(ofInput, 2), u_n = next.add(ofKept);
  h = next.add(op.getHidden());
  next.g.result(type);
  return next.g.build([&](GenericBody &body) {
    Element update = sigmoid(body.input(a_z) + body.input(u_z));
    Element candidate = tangent(body.input(a_n) + body.input(u_n));
    return nextHidden(update, candidate, body.input(h));
  });
}

// r = sigmoid(a_r + u_r), z = sigmoid(a_z + u_z), n = tanh(a_n + r u_n)
//   -> (1 - z) n + z h
static Values decompose(GRUCellOp op, OpBuilder &b) {
  if (op.getResetBefore())
    return {decomposeResetBefore(op, b)};
  CellBuilder cell(b, op);
  unsigned a = cell.addGates(linearOfInput(b, op), 3);
  unsigned u = cell.addGates(linearOfHidden(b, op), 3);
  unsigned h = cell.add(op.getHidden());
  cell.g.result(getElementTypeOrSelf(op.getResult()));
  return {cell.g.build([&](GenericBody &body) {
    Element reset = sigmoid(body.input(a) + body.input(u));
    Element update = sigmoid(body.input(a + 1) + body.input(u + 1));
    Element candidate = tangent(body.input(a + 2) + reset * body.input(u + 2));
    return nextHidden(update, candidate, body.input(h));
  })};
}

// i = sigmoid(a_i), f = sigmoid(a_f), g = tanh(a_g), o = sigmoid(a_o)
//   -> h' = o tanh(c'), c' = f c + i g
//
// Peepholes add p_i c, p_f c and p_o c' to what the gates are of.
static Values decompose(LSTMCellOp op, OpBuilder &b) {
  Type type = getElementTypeOrSelf(op.getNextCell());
  CellBuilder cell(b, op);
  // The kernel of the layers gives their sum.
  Value ofInput = linearOfInput(b, op), ofHidden = linearOfHidden(b, op);
  unsigned a = cell.addGates(
      arith::AddFOp::create(b, op.getLoc(), ofInput, ofHidden), 4);
  unsigned c = cell.add(op.getCell());
  unsigned p = op.getPeepholes() ? cell.addGates(op.getPeepholes(), 3) : 0;
  cell.g.result(type);
  cell.g.result(type);
  return cell.g.buildAll([&](GenericBody &body) -> SmallVector<Element> {
    auto look = [&](Element sum, unsigned gate, Element state) {
      return p ? sum + cast(body.input(p + gate), type) * state : sum;
    };
    Element old = body.input(c);
    Element input = sigmoid(look(body.input(a), 0, old));
    Element forget = sigmoid(look(body.input(a + 1), 1, old));
    Element candidate = tangent(body.input(a + 2));
    Element next = forget * old + input * candidate;
    Element output = sigmoid(look(body.input(a + 3), 2, next));
    return {output * tangent(next), next};
  });
}

void registerRecurrentDecompositions(MLIRContext *context) {
  attachDecompositions<GRUCellOp, LSTMCellOp>(context);
}

} // namespace heddle
