// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/TextEntries/CausalScores.h"

#include "compiler/TextEntries/KeyUses.h"

#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace heddle;
using reference::Tensor;

SmallVector<SoftmaxOp> heddle::softmaxesOfKeys(func::FuncOp function,
                                               const DecoderSizes &sizes) {
  auto symbol = [&](StringRef name) {
    return SizeAttr::symbol(function.getContext(), name);
  };
  SmallVector<SoftmaxOp> found;
  function.walk([&](SoftmaxOp softmax) {
    Sizes all = sizesOf(softmax.getInput());
    if (all.size() == 4 && all[0] == symbol(sizes.batch) &&
        all[2] == symbol(sizes.length) && sizes.areAll(all[3]))
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

Value heddle::withoutCasts(Value value) {
  while (auto cast = value.getDefiningOp<CastOp>())
    value = cast.getInput();
  return value;
}

namespace {
class CausalScores {
public:
  CausalScores(func::FuncOp function, const DecoderSizes &sizes,
               const TokenArguments &arguments, const TensorSource *tensors)
      : function(function), sizes(sizes), arguments(arguments),
        tensors(tensors) {}

  llvm::Error check() {
    findData();
    for (SoftmaxOp softmax : softmaxesOfKeys(function, sizes))
      if (!dropsLater(softmax.getInput(), /*least=*/-10000))
        return failure(softmax);
    for (AttentionOp attention : attentionOfKeys(function, sizes))
      if (!attention.getMask() || !dropsLater(attention.getMask()))
        return failure(attention);
    return llvm::Error::success();
  }

private:
  static llvm::Error failure(Operation *op) {
    return llvm::createStringError("the queries of " + nodeOf(op) +
                                   " attend to later keys, as far as can be "
                                   "told");
  }

  // Values that follow from what tokens are.
  void findData() {
    for (BlockArgument argument : function.getArguments())
      if (argument != arguments.starts && argument != arguments.lengths)
        data.insert(argument);
    for (Operation &op : function.getBody().front().without_terminator())
      if (llvm::any_of(op.getOperands(),
                       [&](Value operand) { return data.contains(operand); }))
        data.insert_range(op.getResults());
  }

  // Values of tokens that `value` is computed from, element by element.
  llvm::SetVector<Value> leavesOf(Value value) {
    llvm::SetVector<Value> leaves, seen;
    SmallVector<Value> list{value};
    while (!list.empty()) {
      Value each = list.pop_back_val();
      if (!data.contains(each) || !seen.insert(each))
        continue;
      Operation *op = each.getDefiningOp();
      bool isElementwise =
          op &&
          (isa<BroadcastOp, BroadcastTensorsOp, CastOp, WhereOp, ActivationOp>(
               op) ||
           op->hasTrait<OpTrait::Elementwise>());
      if (isElementwise)
        llvm::append_range(list, op->getOperands());
      else
        leaves.insert(each);
    }
    return leaves;
  }

  // Whether [.., length, capacity] elements are at most `least` for keys behind
  // a query, with zeros for what follows from tokens.
  bool dropsLater(Value scores, double least) {
    SmallVector<GivenValue> given;
    for (Value leaf : leavesOf(scores)) {
      given.push_back({leaf, [](const DecoderCall &) { return 0; }});
    }
    given.push_back({arguments.starts,
                     [](const DecoderCall &call) { return call.past(); }});
    given.push_back({arguments.lengths,
                     [](const DecoderCall &call) { return call.length; }});
    SizeProbe probe(function, sizes, scores, tensors, given);
    if (!probe)
      return false;
    for (int64_t past : kProbedPasts) {
      DecoderCall call{/*length=*/3, past + 3};
      auto results = probe.evaluate(call);
      if (!results) {
        llvm::consumeError(results.takeError());
        return false;
      }
      const Tensor &tensor = *results->front().tensor();
      for (int64_t row : llvm::seq<int64_t>(0, tensor.rows()))
        for (double score :
             tensor.row(row).drop_front(call.past() + row % call.length + 1))
          if (!(score <= least))
            return false;
    }
    return true;
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
           dropsLater(dense.getMask(), /*least=*/0);
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
  const TensorSource *tensors;
  llvm::DenseSet<Value> data;
};
} // namespace

llvm::Error heddle::checkCausal(func::FuncOp function,
                                const DecoderSizes &sizes,
                                const TokenArguments &arguments,
                                const TensorSource *tensors) {
  return CausalScores(function, sizes, arguments, tensors).check();
}
