// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle.mask.causal offset(%starts)
//   -> key <= query + starts[batch]

#include "compiler/Prepare/MaskFormula.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;

MaskFormula::MaskFormula(GenericBuilder &builder, Value mask,
                         const ScoreSpace &space)
    : mask(mask), space(space) {
  llvm::DenseSet<Value> visited;
  addTables(builder, mask, visited);
}

void MaskFormula::addTables(GenericBuilder &builder, Value mask,
                            llvm::DenseSet<Value> &visited) {
  if (!visited.insert(mask).second)
    return;
  Operation *op = mask.getDefiningOp();
  OperandRange operands = op->getOperands();
  // Summaries are of tiles.
  if (auto documents = dyn_cast<DocumentsMaskOp>(op))
    operands = operands.drop_back(documents.getSummary().size());
  if (auto dense = dyn_cast<DenseMaskOp>(op))
    operands = operands.drop_back(dense.getSummary().size());
  for (Value operand : operands) {
    if (isa<MaskType>(operand.getType()))
      addTables(builder, operand, visited);
    else if (tables.try_emplace(operand, tables.size()).second)
      builder.table(operand);
  }
}

Element MaskFormula::read(GenericBody &body, Value table,
                          ArrayRef<Element> at) const {
  return body.read(tables.lookup(table), at);
}

Element MaskFormula::coordinate(GenericBody &body, ScoreDim dim) const {
  Element index = body.index(unsigned(dim));
  return cast(index, index.builder().getI64Type());
}

template <typename Op>
Element MaskFormula::diagonal(GenericBody &body, Op op) const {
  Element query = coordinate(body, ScoreDim::Query);
  auto size = [&](SizeAttr size) {
    std::optional<int64_t> number = size.asNumber();
    return number ? query.constant(*number)
                  : cast(body.size(size), query.type());
  };
  Element at = query + size(op.getShift());
  if (op.getOffset()) {
    // Any integer, of which those past all keys are the same.
    Element offset =
        cast(read(body, op.getOffset(), body.index(0)), query.type());
    Element far = offset.constant(int64_t(1) << 40);
    return at + minimum(maximum(offset, far.constant(0) - far), far);
  }
  if (*op.getAlign() == Alignment::BottomRight)
    at = at + size(space[3]) - size(space[2]);
  return at;
}

Element MaskFormula::keepsWindow(GenericBody &body, WindowMaskOp op) const {
  Element key = coordinate(body, ScoreDim::Key), at = diagonal(body, op);
  auto isUpTo = [&] { return key <= at + at.constant(*op.getRight()); };
  auto isFrom = [&] { return key >= at - at.constant(*op.getLeft()); };
  if (!op.getLeft())
    return isUpTo();
  return op.getRight() ? isFrom() & isUpTo() : isFrom();
}

Element MaskFormula::keepsDense(GenericBody &body, DenseMaskOp op) const {
  SmallVector<Element> at;
  for (auto [index, size] : llvm::enumerate(sizesOf(op.getMask()))) {
    ScoreDim dim = op.getDim(index);
    Element place = body.index(unsigned(dim));
    if (op.getBlock(dim) != 1)
      place = place / place.constant(op.getBlock(dim));
    at.push_back(size.asNumber() == 1 ? place.constant(0) : place);
  }
  return read(body, op.getMask(), at);
}

Element MaskFormula::keeps(GenericBody &body) const {
  Emitted emitted;
  return keeps(body, mask, emitted);
}

Element MaskFormula::keeps(GenericBody &body, Value mask,
                           Emitted &emitted) const {
  if (Value value = emitted.lookup(mask))
    return {body.builder(), value};
  Element kept = emit(body, mask, emitted);
  emitted[mask] = kept.value();
  return kept;
}

Element MaskFormula::emit(GenericBody &body, Value mask,
                          Emitted &emitted) const {
  return llvm::TypeSwitch<Operation *, Element>(mask.getDefiningOp())
      .Case<CausalMaskOp>([&](auto op) {
        return coordinate(body, ScoreDim::Key) <= diagonal(body, op);
      })
      .Case<WindowMaskOp>([&](auto op) { return keepsWindow(body, op); })
      .Case<LengthsMaskOp>([&](auto op) {
        Element at = coordinate(body, op.getOf());
        Element length = read(body, op.getLengths(), body.index(0));
        return at < cast(length, at.type());
      })
      .Case<DocumentsMaskOp>([&](auto op) {
        Element batch = body.index(0);
        return read(body, op.getQueries(), {batch, body.index(2)}) ==
               read(body, op.getKeys(), {batch, body.index(3)});
      })
      .Case<DenseMaskOp>([&](auto op) { return keepsDense(body, op); })
      .Case<AndMaskOp, OrMaskOp>([&](auto op) {
        Element left = keeps(body, op.getLhs(), emitted);
        Element right = keeps(body, op.getRhs(), emitted);
        return isa<AndMaskOp>(op) ? left & right : left | right;
      })
      .Case<NotMaskOp>(
          [&](auto op) { return !keeps(body, op.getOperand(), emitted); });
}
