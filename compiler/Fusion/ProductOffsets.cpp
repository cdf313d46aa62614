// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Fusion/ProductOffsets.h"

#include "compiler/Fusion/Contraction.h"

using namespace mlir;
using namespace heddle;

// Whether `op` is a contraction of floats for each element of `integers`.
static bool isOffset(GenericOp op, GenericOp integers) {
  std::optional<Contraction> contraction = Contraction::of(op);
  return contraction && contraction->terms == 0 &&
         op.getOver() == integers.getOver() &&
         cast<FloatAttr>(op.getInitial()[0]).getValue().isZero() &&
         op->hasOneUse();
}

SmallVector<GenericOp> heddle::offsetsOf(GenericOp integers) {
  SmallVector<GenericOp> offsets;
  std::optional<Contraction> contraction = Contraction::of(integers);
  if (!contraction || contraction->terms == 0 || !integers->hasOneUse())
    return offsets;
  OpOperand &operand = *integers->use_begin();
  auto reader = dyn_cast<GenericOp>(operand.getOwner());
  if (!reader || reader.hasReduction())
    return offsets;
  unsigned number = operand.getOperandNumber();
  if (number >= reader.getInputs().size())
    return offsets;
  // The offset that `value`, an argument of the body, is; null of others.
  auto offsetOf = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || !argument.hasOneUse() ||
        argument.getArgNumber() >= reader.getInputs().size() ||
        reader.getMap(argument.getArgNumber()) != reader.getMap(number))
      return GenericOp();
    auto op =
        reader.getInputs()[argument.getArgNumber()].getDefiningOp<GenericOp>();
    return op && isOffset(op, integers) ? op : GenericOp();
  };
  // Along sums and differences that begin with the integers.
  Value value = reader.getInputArguments()[number];
  while (value.hasOneUse()) {
    OpOperand &use = *value.use_begin();
    Operation *next = use.getOwner();
    bool isDifference = isa<arith::SubFOp>(next) && use.getOperandNumber() == 0;
    if (!isDifference && !isa<arith::AddFOp>(next))
      break;
    if (GenericOp offset =
            isDifference ? offsetOf(next->getOperand(1)) : GenericOp())
      offsets.push_back(offset);
    value = next->getResult(0);
  }
  return offsets;
}

GenericOp heddle::integersOf(GenericOp op) {
  if (!op->hasOneUse())
    return {};
  auto reader = dyn_cast<GenericOp>(*op->user_begin());
  if (!reader)
    return {};
  for (Value input : reader.getInputs())
    if (auto integers = input.getDefiningOp<GenericOp>();
        integers && llvm::is_contained(offsetsOf(integers), op))
      return integers;
  return {};
}
