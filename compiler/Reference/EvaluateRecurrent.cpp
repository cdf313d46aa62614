// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/ApproxTensor.h"

using namespace mlir;

namespace heddle::reference {

// W x + b
static ApproxTensor linearOf(const Operands &operands, mlir::Value x,
                             mlir::Value weight, mlir::Value bias) {
  auto input = operands.values.tensor(x);
  const Value *added = bias ? &operands.values[bias] : nullptr;
  Tensor y = linear(*input, operands.values[weight], added);
  Bounds errors;
  if (operands.errors)
    errors = linearBounds(*input, operands.errorsOf(x), operands.values[weight],
                          added, y);
  ApproxTensor result = ApproxTensor::ofShape(y.shape);
  for (size_t i = 0; i < y.data.size(); ++i)
    result.data[i] = {y.data[i], errors.empty() ? 0 : errors[i]};
  return result;
}

namespace {
/// What a cell's weights make of its input and its hidden state: for each
/// token, the gates one after the other.
struct Gates {
  ApproxTensor ofInput, ofHidden;
  int64_t hidden; ///< channels

  template <typename Cell>
  Gates(Cell op, const Operands &operands)
      : ofInput(linearOf(operands, op.getInput(), op.getInputWeight(),
                         op.getInputBias())),
        ofHidden(linearOf(operands, op.getHidden(), op.getHiddenWeight(),
                          op.getHiddenBias())),
        hidden(operands.values[op.getHidden()].shape().back()) {}

  /// The element of gate `gate` for element `i` of the state.
  size_t place(size_t i, int64_t gate) const {
    size_t row = i / hidden, c = i % hidden;
    return row * ofInput.channels() + gate * hidden + c;
  }
  Approx input(size_t i, int64_t gate) const {
    return ofInput.data[place(i, gate)];
  }
  Approx state(size_t i, int64_t gate) const {
    return ofHidden.data[place(i, gate)];
  }
  Approx sum(size_t i, int64_t gate) const {
    return input(i, gate) + state(i, gate);
  }
};
} // namespace

template <typename Cell>
static llvm::Error checkTokens(Cell op, const Operands &operands) {
  return expectSize(op, "rows of the hidden state",
                    operands.values.tensor(op.getInput())->rows(),
                    operands.values.tensor(op.getHidden())->rows());
}

// r = sigmoid(W_r x + b_r + U_r h + c_r), z = sigmoid(W_z x + b_z + U_z h +
// c_z), n = tanh(W_n x + b_n + r * (U_n h + c_n)): (1 - z) * n + z * h
static llvm::Expected<ApproxTensors> compute(GRUCellOp op,
                                             const Operands &operands) {
  if (llvm::Error error = checkTokens(op, operands))
    return error;
  Gates gates(op, operands);
  ApproxTensor y = operands[op.getHidden()];
  for (auto [i, h] : llvm::enumerate(y.data)) {
    Approx r = sigmoid(gates.sum(i, 0)), z = sigmoid(gates.sum(i, 1));
    Approx n = tanh(gates.input(i, 2) + r * gates.state(i, 2));
    h = (Approx(1) - z) * n + z * h;
  }
  return ApproxTensors{y};
}

// With a = W x + b + U h + d: i = sigmoid(a_i), f = sigmoid(a_f), g =
// tanh(a_g), o = sigmoid(a_o): c' = f * c + i * g, h' = o * tanh(c')
static llvm::Expected<ApproxTensors> compute(LSTMCellOp op,
                                             const Operands &operands) {
  if (llvm::Error error = checkTokens(op, operands))
    return error;
  Gates gates(op, operands);
  ApproxTensor hidden = operands[op.getHidden()], cell = operands[op.getCell()];
  for (auto [e, c] : llvm::enumerate(cell.data)) {
    Approx i = sigmoid(gates.sum(e, 0)), f = sigmoid(gates.sum(e, 1));
    Approx g = tanh(gates.sum(e, 2)), o = sigmoid(gates.sum(e, 3));
    c = f * c + i * g;
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
