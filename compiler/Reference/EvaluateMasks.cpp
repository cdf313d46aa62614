// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/Evaluate.h"

using namespace mlir;

namespace heddle::reference {

// keep[b, q, k] = k <= q + offset[b]
static llvm::Expected<Value> evaluate(CausalMaskOp op,
                                      const Environment &values) {
  if (op.getOffset()) {
    auto offset = values.tensor(op.getOffset());
    auto keeps = [=](const ScorePosition &at) {
      return at.key <= at.query + offset->data[at.batch];
    };
    return Mask{keeps, offset->shape[0]};
  }
  if (op.getAlignAttr().getValue() == Alignment::TopLeft)
    return Mask{[](const ScorePosition &at) { return at.key <= at.query; }, {}};
  auto keeps = [](const ScorePosition &at) {
    return at.key <= at.query + at.keys - at.queries;
  };
  return Mask{keeps, {}};
}

// keep[b, q, k] = k < lengths[b]
static llvm::Expected<Value> evaluate(LengthsMaskOp op,
                                      const Environment &values) {
  auto lengths = values.tensor(op.getLengths());
  auto keeps = [=](const ScorePosition &at) {
    return at.key < lengths->data[at.batch];
  };
  return Mask{keeps, lengths->shape[0]};
}

template <typename Function>
static llvm::Expected<Value> combine(Operation *op, const Mask &lhs,
                                     const Mask &rhs, Function function) {
  if (lhs.batch && rhs.batch)
    if (llvm::Error error = expectSize(op, "batch", *lhs.batch, *rhs.batch))
      return error;
  auto keeps = [=](const ScorePosition &at) {
    return function(lhs.keeps(at), rhs.keeps(at));
  };
  return Mask{keeps, lhs.batch ? lhs.batch : rhs.batch};
}

static llvm::Expected<Value> evaluate(AndMaskOp op, const Environment &values) {
  return combine(op, values[op.getLhs()].mask(), values[op.getRhs()].mask(),
                 std::logical_and<>());
}

static llvm::Expected<Value> evaluate(OrMaskOp op, const Environment &values) {
  return combine(op, values[op.getLhs()].mask(), values[op.getRhs()].mask(),
                 std::logical_or<>());
}

static llvm::Expected<Value> evaluate(NotMaskOp op, const Environment &values) {
  Mask operand = values[op.getOperand()].mask();
  auto keeps = [=](const ScorePosition &at) { return !operand.keeps(at); };
  return Mask{keeps, operand.batch};
}

void registerMasks(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HeddleDialect *) {
    attach<Formula, CausalMaskOp, LengthsMaskOp, AndMaskOp, OrMaskOp,
           NotMaskOp>(context);
  });
}

} // namespace heddle::reference
