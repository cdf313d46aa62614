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

namespace {
/// Builds the elementwise part of a cell, whose gates lie one after the other
/// in the channels of linear(x, W, b) and linear(h, U, c).
class Gates {
public:
  template <typename Cell>
  Gates(OpBuilder &b, Cell op, unsigned count, bool isSummed)
      : g(b, op.getLoc(), sizesOf(op.getHidden())), count(count),
        isSummed(isSummed) {
    Location loc = op.getLoc();
    Value ofInput = LinearOp::create(b, loc, op.getInput(), op.getInputWeight(),
                                     op.getInputBias());
    Value ofHidden = LinearOp::create(b, loc, op.getHidden(),
                                      op.getHiddenWeight(), op.getHiddenBias());
    Sizes sizes = sizesOf(op.getHidden());
    unsigned channel = sizes.size() - 1;
    SmallVector<Value> linears{ofInput, ofHidden};
    // Where gates need the sum alone, the kernel of the layers gives it.
    if (isSummed)
      linears = {arith::AddFOp::create(b, loc, ofInput, ofHidden)};
    for (Value linear : linears)
      for (unsigned gate = 0; gate < count; ++gate) {
        SmallVector<AffineExpr> at = g.dims(0, sizes.size());
        at[channel] = at[channel] + g.size(sizes[channel] * gate);
        g.input(linear, at);
      }
  }

  GenericBuilder &builder() { return g; }
  Element ofInput(GenericBody &body, unsigned gate) const {
    return body.input(gate);
  }
  Element ofHidden(GenericBody &body, unsigned gate) const {
    return body.input(count + gate);
  }
  Element sum(GenericBody &body, unsigned gate) const {
    return isSummed ? ofInput(body, gate)
                    : ofInput(body, gate) + ofHidden(body, gate);
  }
  /// Operand `index` of those that were added to the builder.
  Element operand(GenericBody &body, unsigned index) const {
    return body.input((isSummed ? 1 : 2) * count + index);
  }

private:
  GenericBuilder g;
  unsigned count;
  bool isSummed;
};
} // namespace

// r = sigmoid(a_r + u_r), z = sigmoid(a_z + u_z), n = tanh(a_n + r u_n)
//   -> (1 - z) n + z h
static Values decompose(GRUCellOp op, OpBuilder &b) {
  Gates gates(b, op, 3, /*isSummed=*/false);
  gates.builder().input(op.getHidden());
  gates.builder().result(getElementTypeOrSelf(op.getResult()));
  return {gates.builder().build([&](GenericBody &body) {
    Element reset = sigmoid(gates.sum(body, 0));
    Element update = sigmoid(gates.sum(body, 1));
    Element candidate =
        tangent(gates.ofInput(body, 2) + reset * gates.ofHidden(body, 2));
    Element hidden = gates.operand(body, 0);
    return (update.constant(1) - update) * candidate + update * hidden;
  })};
}

// i = sigmoid(a_i), f = sigmoid(a_f), g = tanh(a_g), o = sigmoid(a_o)
//   -> h' = o tanh(c'), c' = f c + i g
static Values decompose(LSTMCellOp op, OpBuilder &b) {
  Gates gates(b, op, 4, /*isSummed=*/true);
  Type type = getElementTypeOrSelf(op.getNextCell());
  gates.builder().input(op.getCell());
  gates.builder().result(type);
  gates.builder().result(type);
  return gates.builder().buildAll(
      [&](GenericBody &body) -> SmallVector<Element> {
        Element input = sigmoid(gates.sum(body, 0));
        Element forget = sigmoid(gates.sum(body, 1));
        Element candidate = tangent(gates.sum(body, 2));
        Element output = sigmoid(gates.sum(body, 3));
        Element cell = forget * gates.operand(body, 0) + input * candidate;
        return {output * tangent(cell), cell};
      });
}

void registerRecurrentDecompositions(MLIRContext *context) {
  attachDecompositions<GRUCellOp, LSTMCellOp>(context);
}

} // namespace heddle
