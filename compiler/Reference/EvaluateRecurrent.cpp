// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/ApproxTensor.h"

using namespace mlir;

namespace heddle::reference {

// W x + b, where `x` is off by `off`; none of these where it is exact.
static ApproxTensor linearOf(const Operands &operands, const Tensor &x,
                             ArrayRef<double> off, mlir::Value weight,
                             mlir::Value bias) {
  const Value *added = bias ? &operands.values[bias] : nullptr;
  Tensor y = linear(x, operands.values[weight], added);
  Bounds errors;
  if (operands.errors)
    errors = linearBounds(x, off, operands.values[weight], added, y);
  ApproxTensor result = ApproxTensor::ofShape(y.shape);
  for (size_t i = 0; i < y.data.size(); ++i)
    result.data[i] = {y.data[i], errors.empty() ? 0 : errors[i]};
  return result;
}

static ApproxTensor linearOf(const Operands &operands, mlir::Value x,
                             mlir::Value weight, mlir::Value bias) {
  return linearOf(operands, *operands.values.tensor(x), operands.errorsOf(x),
                  weight, bias);
}

static ApproxTensor linearOf(const Operands &operands, const ApproxTensor &x,
                             mlir::Value weight, mlir::Value bias) {
  Tensor values = Tensor::zeros(x.shape);
  Bounds off(x.data.size());
  for (auto [i, element] : llvm::enumerate(x.data)) {
    values.data[i] = element.value;
    off[i] = element.error;
  }
  return linearOf(operands, values, off, weight, bias);
}

namespace {
/// Gates, which lie one after the other in the channels of each token.
struct Gates {
  ApproxTensor all;
  int64_t hidden; ///< channels

  /// Gate `gate` for element `i` of the state.
  Approx operator()(size_t i, int64_t gate) const {
    size_t row = i / hidden, c = i % hidden;
    return all.data[row * all.channels() + gate * hidden + c];
  }
};
} // namespace

template <typename Cell>
static Gates gatesOfInput(Cell op, const Operands &operands) {
  return {
      linearOf(operands, op.getInput(), op.getInputWeight(), op.getInputBias()),
      operands.values[op.getHidden()].shape().back()};
}

// Of a hidden state, which is op's or has its shape.
template <typename Cell, typename State>
static Gates gatesOf(const State &hidden, Cell op, const Operands &operands) {
  return {linearOf(operands, hidden, op.getHiddenWeight(), op.getHiddenBias()),
          operands.values[op.getHidden()].shape().back()};
}

template <typename Cell>
static llvm::Error checkTokens(Cell op, const Operands &operands) {
  return expectSize(op, "rows of the hidden state",
                    operands.values.tensor(op.getInput())->rows(),
                    operands.values.tensor(op.getHidden())->rows());
}

// r = sigmoid(W_r x + b_r + U_r h + c_r), z = sigmoid(W_z x + b_z + U_z h +
// c_z), n = tanh(W_n x + b_n + r * (U_n h + c_n)): (1 - z) * n + z * h
//
// With reset_before n = tanh(W_n x + b_n + U_n (r * h) + c_n).
static llvm::Expected<ApproxTensors> compute(GRUCellOp op,
                                             const Operands &operands) {
  if (llvm::Error error = checkTokens(op, operands))
    return error;
  Gates a = gatesOfInput(op, operands);
  Gates u = gatesOf(op.getHidden(), op, operands);
  ApproxTensor y = operands[op.getHidden()], reset = y;
  for (auto [i, r] : llvm::enumerate(reset.data))
    r = sigmoid(a(i, 0) + u(i, 0));
  Gates candidates = u;
  if (op.getResetBefore()) {
    ApproxTensor kept = y;
    for (auto [h, r] : llvm::zip_equal(kept.data, reset.data))
      h = r * h;
    candidates = gatesOf(kept, op, operands);
  }
  for (auto [i, h] : llvm::enumerate(y.data)) {
    Approx z = sigmoid(a(i, 1) + u(i, 1)), candidate = candidates(i, 2);
    if (!op.getResetBefore())
      candidate = reset.data[i] * candidate;
    Approx n = tanh(a(i, 2) + candidate);
    h = (Approx(1) - z) * n + z * h;
  }
  return ApproxTensors{y};
}

// With a = W x + b + U h + d: i = sigmoid(a_i), f = sigmoid(a_f), g =
// tanh(a_g), o = sigmoid(a_o): c' = f * c + i * g, h' = o * tanh(c')
//
// With peepholes p: i = sigmoid(a_i + p_i * c), f = sigmoid(a_f + p_f * c), o =
// sigmoid(a_o + p_o * c').
static llvm::Expected<ApproxTensors> compute(LSTMCellOp op,
                                             const Operands &operands) {
  if (llvm::Error error = checkTokens(op, operands))
    return error;
  Gates ofInput = gatesOfInput(op, operands);
  Gates ofHidden = gatesOf(op.getHidden(), op, operands);
  ApproxTensor hidden = operands[op.getHidden()], cell = operands[op.getCell()];
  std::optional<Gates> p;
  if (op.getPeepholes())
    p = {operands[op.getPeepholes()], hidden.channels()};
  for (auto [e, c] : llvm::enumerate(cell.data)) {
    auto sum = [&, e = e](int64_t gate) {
      return ofInput(e, gate) + ofHidden(e, gate);
    };
    auto look = [&, e = e](Approx sum, int64_t gate, Approx state) {
      return p ? sum + (*p)(e % hidden.channels(), gate) * state : sum;
    };
    Approx i = sigmoid(look(sum(0), 0, c)), f = sigmoid(look(sum(1), 1, c));
    Approx g = tanh(sum(2));
    c = f * c + i * g;
    Approx o = sigmoid(look(sum(3), 2, c));
    hidden.data[e] = o * tanh(c);
  }
  return ApproxTensors{hidden, cell};
}

void registerRecurrent(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HeddleDialect *) {
    attachComputed<GRUCellOp, LSTMCellOp>(context);
  });
}

} // namespace heddle::reference
