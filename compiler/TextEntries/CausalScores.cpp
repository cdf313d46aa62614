// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/TextEntries/CausalScores.h"

#include "compiler/TextEntries/LaterScores.h"
#include "compiler/TextEntries/Values.h"

using namespace mlir;
using namespace heddle;

SmallVector<SoftmaxOp> heddle::softmaxesOfKeys(func::FuncOp function,
                                               const DecoderSizes &sizes) {
  auto symbol = [&](StringRef name) {
    return SizeAttr::symbol(function.getContext(), name);
  };
  SmallVector<SoftmaxOp> found;
  function.walk([&](SoftmaxOp softmax) {
    Sizes all = sizesOf(softmax.getInput());
    if (all.size() == 4 && all[0] == symbol(sizes.batch) &&
        all[2] == symbol(sizes.length) && sizes.areAll(all[3]) &&
        softmax.getAxis() == 3)
      found.push_back(softmax);
  });
  return found;
}

SmallVector<AttentionOp> heddle::attentionOfKeys(func::FuncOp function,
                                                 const DecoderSizes &sizes) {
  SmallVector<AttentionOp> found;
  function.walk([&](AttentionOp attention) {
    if (sizes.areAll(attention.getScoreSpace()[3]))
      found.push_back(attention);
  });
  return found;
}

namespace {
class CausalScores {
public:
  CausalScores(func::FuncOp function, DecoderSizes &sizes,
               const TokenArguments &arguments, const TensorSource *tensors)
      : function(function), sizes(sizes), arguments(arguments),
        later(function, sizes, arguments, tensors) {}

  llvm::Error check() {
    for (SoftmaxOp softmax : softmaxesOfKeys(function, sizes))
      if (!(later.boundsOf(softmax.getInput()).high <= kDropped))
        return failure(softmax);
    for (AttentionOp attention : attentionOfKeys(function, sizes))
      if (!attention.getMask() || !dropsLater(attention.getMask()))
        return failure(attention);
    return llvm::Error::success();
  }

private:
  // Lower than every score by so much that its exponential is 0.
  static constexpr double kDropped = -2 * LaterScores::kLargestScore;

  static llvm::Error failure(Operation *op) {
    return llvm::createStringError("the queries of " + nodeOf(op) +
                                   " attend to later keys, as far as can be "
                                   "told");
  }

  bool dropsLater(Value mask) {
    Operation *op = mask.getDefiningOp();
    if (isa<AndMaskOp>(op))
      return llvm::any_of(op->getOperands(),
                          [&](Value part) { return dropsLater(part); });
    if (auto causal = dyn_cast<CausalMaskOp>(op))
      return isBehindPast(causal, causal.getShift());
    auto dense = dyn_cast<DenseMaskOp>(op);
    if (!dense)
      return false;
    unsigned rank = dense.getOver().size();
    Sizes all = sizesOf(dense.getMask());
    bool isOfBoth = rank >= 2 &&
                    all[rank - 2] ==
                        SizeAttr::symbol(function.getContext(), sizes.length) &&
                    dense.getDim(rank - 2) == ScoreDim::Query &&
                    dense.getDim(rank - 1) == ScoreDim::Key;
    return isOfBoth && dense.getQueryBlock() == 1 && dense.getKeyBlock() == 1 &&
           later.boundsOf(dense.getMask()).high <= 0;
  }

  // Whether the diagonal ends at the query's own key, or before it.
  bool isBehindPast(CausalMaskOp causal, SizeAttr shift) {
    if (Value offset = causal.getOffset())
      return withoutCasts(offset) == arguments.starts &&
             shift.asNumber().value_or(1) <= 0;
    if (causal.getAlign() == Alignment::BottomRight)
      return shift.asNumber().value_or(1) <= 0;
    return sizes.arePast(shift);
  }

  func::FuncOp function;
  const DecoderSizes &sizes;
  const TokenArguments &arguments;
  LaterScores later;
};
} // namespace

llvm::Error heddle::checkCausal(func::FuncOp function, DecoderSizes &sizes,
                                const TokenArguments &arguments,
                                const TensorSource *tensors) {
  return CausalScores(function, sizes, arguments, tensors).check();
}
