// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/TextEntries/CacheMasks.h"

#include "compiler/TextEntries/Values.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

llvm::Error CacheMasks::add() {
  SmallVector<SoftmaxOp> softmaxes = softmaxesOfKeys(function, sizes);
  SmallVector<AttentionOp> operators = attentionOfKeys(function, sizes);
  if (softmaxes.empty() && operators.empty())
    return llvm::createStringError(
        "expected attention as an operator, or as a softmax of [batch, heads, "
        "length, past + length] scores, found another");
  for (SoftmaxOp softmax : softmaxes)
    mask(softmax);
  for (AttentionOp attention : operators)
    if (llvm::Error error = mask(attention))
      return error;
  isOfSoftmax = !softmaxes.empty();
  return llvm::Error::success();
}

void CacheMasks::mask(SoftmaxOp softmax) {
  b.setInsertionPoint(softmax);
  Value scores = softmax.getInput();
  Sizes over{symbol(sizes.batch), number(1), symbol(sizes.length),
             symbol(sizes.capacity)};
  Value key = make<IotaOp>(over, b.getI32Type(), 3, array(over));
  Value isBefore = arith::CmpIOp::create(b, arith::CmpIPredicate::sle, key,
                                         placesFrom(arguments.starts, over, 2));
  Value count = arith::AddIOp::create(b, arguments.starts, arguments.lengths);
  Value isKept = arith::AndIOp::create(b, isBefore, isBelow(count, over, 3));
  softmax->setOperand(0, where(isKept, scores, -INFINITY));
  masked.insert(softmax);
}

llvm::Error CacheMasks::mask(AttentionOp attention) {
  auto own = forCache(attention.getMask());
  if (!own)
    return own.takeError();
  b.setInsertionPoint(attention);
  Value count = arith::AddIOp::create(b, arguments.starts, arguments.lengths);
  Value causal =
      CausalMaskOp::create(b, arguments.starts, AlignmentAttr(), SizeAttr());
  Value all = AndMaskOp::create(b, causal,
                                LengthsMaskOp::create(b, count, ScoreDim::Key));
  if (*own)
    all = AndMaskOp::create(b, all, *own);
  attention.getMaskMutable().assign(all);
  masked.insert(attention);
  return llvm::Error::success();
}

// What a mask says beside the order and the number of tokens, or null. It says
// the same of a cache.
llvm::Expected<Value> CacheMasks::forCache(Value mask) {
  Operation *op = mask.getDefiningOp();
  auto isTotal = [&](Value count) {
    auto sum = withoutCasts(count).getDefiningOp<arith::AddIOp>();
    return sum && sum.getLhs() == arguments.starts &&
           sum.getRhs() == arguments.lengths;
  };
  auto isZeroShift = [](SizeAttr shift) { return shift.asNumber() == 0; };
  if (isa<AndMaskOp>(op)) {
    auto left = forCache(op->getOperand(0));
    if (!left)
      return left;
    auto right = forCache(op->getOperand(1));
    if (!right || !*left)
      return right;
    if (!*right)
      return left;
    b.setInsertionPoint(op);
    return AndMaskOp::create(b, *left, *right).getResult();
  }
  if (auto causal = dyn_cast<CausalMaskOp>(op); causal && alignToStarts(causal))
    return isZeroShift(causal.getShift()) ? Value() : mask;
  if (auto window = dyn_cast<WindowMaskOp>(op); window && alignToStarts(window))
    return mask;
  if (auto ofKeys = dyn_cast<LengthsMaskOp>(op);
      ofKeys && ofKeys.getOf() == ScoreDim::Key && isTotal(ofKeys.getLengths()))
    return Value();
  if (auto dense = dyn_cast<DenseMaskOp>(op)) {
    auto truth = dyn_cast_or_null<IntegerAttr>(splatOf(dense.getMask()));
    if (truth && !truth.getValue().isZero())
      return Value();
  }
  return llvm::createStringError("the mask of " + nodeOf(op) +
                                 " is none of order, of a window or of tokens");
}

// The first query of each sequence stands behind the tokens before it. False
// where it stands elsewhere.
template <typename Op> bool CacheMasks::alignToStarts(Op diagonal) {
  if (Value offset = diagonal.getOffset())
    return withoutCasts(offset) == arguments.starts;
  SizeAttr past = symbol(sizes.capacity) - symbol(sizes.length);
  bool isAtEnd = diagonal.getAlign() == Alignment::BottomRight;
  SizeAttr shift = isAtEnd ? diagonal.getShift() : diagonal.getShift() - past;
  if (!shift.asNumber())
    return false;
  diagonal.removeAlignAttr();
  diagonal.getOffsetMutable().assign(arguments.starts);
  if (shift.asNumber() == 0)
    diagonal.removePlusAttr();
  else
    diagonal.setPlusAttr(shift);
  return true;
}
