// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/HeddleDialect.h"
#include "dialect/Heddle/LayerShapes.h"
#include "dialect/Heddle/Verification.h"

using namespace mlir;
using namespace heddle;

// C1, C2, of a cell with so many gates.
template <typename Cell>
static LogicalResult verifyCell(Cell op, int64_t gates) {
  int64_t in = channels(op.getInput()), hidden = channels(op.getHidden());
  // C1
  if (failed(expectShape(op, "an input weight", op.getInputWeight(),
                         {gates * hidden, in})) ||
      failed(expectShape(op, "a hidden weight", op.getHiddenWeight(),
                         {gates * hidden, hidden})))
    return failure();
  // C2
  if (bool(op.getInputBias()) != bool(op.getHiddenBias()))
    return op.emitOpError("expected biases of input and hidden, or none");
  if (!op.getInputBias())
    return success();
  if (failed(expectChannels(op, "an input bias", op.getInputBias(),
                            gates * hidden)))
    return failure();
  return expectChannels(op, "a hidden bias", op.getHiddenBias(),
                        gates * hidden);
}

// C3: `value` has the sizes of `hidden`, but for `channels`.
static LogicalResult expectRows(Operation *op, Value value, Value hidden,
                                SizeAttr channels) {
  Sizes expected = withChannels(hidden, channels), found = sizesOf(value);
  if (found.size() != expected.size())
    return op->emitOpError("expected an input of rank ")
           << expected.size() << ", as hidden has, found " << value.getType();
  for (auto [a, b] : llvm::zip_equal(expected, found))
    if (failed(expectSize(op, "the sizes of hidden", a, b)))
      return failure();
  return success();
}

//===-- heddle.gru_cell ---------------------------------------------------===//

LogicalResult GRUCellOp::verify() { return verifyCell(*this, 3); }

LogicalResult GRUCellOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  results.push_back(sizesOf(getHidden()));
  return expectRows(*this, getInput(), getHidden(), sizesOf(getInput()).back());
}

//===-- heddle.lstm_cell --------------------------------------------------===//

LogicalResult LSTMCellOp::verify() {
  if (failed(verifyCell(*this, 4)))
    return failure();
  // C4
  if (!getPeepholes())
    return success();
  return expectChannels(*this, "peepholes", getPeepholes(),
                        3 * channels(getHidden()));
}

LogicalResult LSTMCellOp::inferSizes(SmallVectorImpl<Sizes> &results) {
  results.assign(2, sizesOf(getHidden()));
  if (failed(expectRows(*this, getInput(), getHidden(),
                        sizesOf(getInput()).back())))
    return failure();
  return expectRows(*this, getCell(), getHidden(), sizesOf(getHidden()).back());
}
