// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/Evaluate.h"

using namespace mlir;

namespace heddle::reference {

// Each node once: formulas may share so much that there are far more paths.
llvm::BitVector Mask::keeps(const QueryPosition &at) const {
  llvm::DenseMap<const Node *, llvm::BitVector> known;
  std::function<const llvm::BitVector &(const Node &)> visit =
      [&](const Node &node) -> const llvm::BitVector & {
    if (auto found = known.find(&node); found != known.end())
      return found->second;
    SmallVector<llvm::BitVector> operands;
    for (const std::shared_ptr<const Node> &operand : node.operands)
      operands.push_back(visit(*operand));
    return known[&node] = node.combine(at, operands);
  };
  return visit(*root);
}

// The mask that keeps the keys below `end(query)`.
static Mask keepBelow(const std::function<double(const QueryPosition &)> &end,
                      std::optional<int64_t> batch) {
  auto combine = [=](const QueryPosition &at, ArrayRef<llvm::BitVector>) {
    llvm::BitVector keys(at.keys);
    keys.set(0, std::clamp<double>(end(at), 0, at.keys));
    return keys;
  };
  return {std::make_shared<Mask::Node>(Mask::Node{{}, combine}), batch};
}

// keep[b, q, k] = k <= q + offset[b]
static llvm::Expected<Value> evaluate(CausalMaskOp op,
                                      const Environment &values) {
  if (op.getOffset()) {
    auto offset = values.tensor(op.getOffset());
    return keepBelow(
        [=](const QueryPosition &at) {
          return at.query + offset->data[at.batch] + 1;
        },
        offset->shape[0]);
  }
  bool isTopLeft = op.getAlignAttr().getValue() == Alignment::TopLeft;
  return keepBelow(
      [=](const QueryPosition &at) {
        return at.query + (isTopLeft ? 0 : at.keys - at.queries) + 1;
      },
      {});
}

// keep[b, q, k] = k < lengths[b]
static llvm::Expected<Value> evaluate(LengthsMaskOp op,
                                      const Environment &values) {
  auto lengths = values.tensor(op.getLengths());
  return keepBelow(
      [=](const QueryPosition &at) { return lengths->data[at.batch]; },
      lengths->shape[0]);
}

template <typename Function>
static llvm::Expected<Value> combine(Operation *op, const Mask &lhs,
                                     const Mask &rhs, Function function) {
  if (lhs.batch && rhs.batch)
    if (llvm::Error error = expectSize(op, "batch", *lhs.batch, *rhs.batch))
      return error;
  auto node = std::make_shared<Mask::Node>();
  node->operands = {lhs.root, rhs.root};
  node->combine = [=](const QueryPosition &,
                      ArrayRef<llvm::BitVector> operands) {
    llvm::BitVector keys = operands[0];
    function(keys, operands[1]);
    return keys;
  };
  return Mask{node, lhs.batch ? lhs.batch : rhs.batch};
}

static llvm::Expected<Value> evaluate(AndMaskOp op, const Environment &values) {
  return combine(op, values[op.getLhs()].mask(), values[op.getRhs()].mask(),
                 [](llvm::BitVector &x, const llvm::BitVector &y) { x &= y; });
}

static llvm::Expected<Value> evaluate(OrMaskOp op, const Environment &values) {
  return combine(op, values[op.getLhs()].mask(), values[op.getRhs()].mask(),
                 [](llvm::BitVector &x, const llvm::BitVector &y) { x |= y; });
}

static llvm::Expected<Value> evaluate(NotMaskOp op, const Environment &values) {
  Mask operand = values[op.getOperand()].mask();
  auto node = std::make_shared<Mask::Node>();
  node->operands = {operand.root};
  node->combine = [](const QueryPosition &,
                     ArrayRef<llvm::BitVector> operands) {
    llvm::BitVector keys = operands[0];
    return keys.flip();
  };
  return Mask{node, operand.batch};
}

void registerMasks(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HeddleDialect *) {
    attach<Formula, CausalMaskOp, LengthsMaskOp, AndMaskOp, OrMaskOp,
           NotMaskOp>(context);
  });
}

} // namespace heddle::reference
