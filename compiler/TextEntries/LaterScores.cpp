// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/TextEntries/LaterScores.h"

#include "compiler/TextEntries/Values.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;
using reference::Tensor;

LaterScores::LaterScores(func::FuncOp function, DecoderSizes &sizes,
                         const TokenArguments &arguments,
                         const TensorSource *tensors)
    : function(function), sizes(sizes), arguments(arguments), tensors(tensors),
      data(dataOf(function, {arguments.starts, arguments.lengths})) {}

// Of no number nothing is known.
static Bounds boundsOfNumbers(ArrayRef<double> numbers) {
  Bounds bounds{numbers.front(), numbers.front()};
  for (double number : numbers) {
    if (std::isnan(number))
      return {};
    bounds = {std::min(bounds.low, number), std::max(bounds.high, number)};
  }
  return bounds;
}

static Bounds joined(Bounds a, Bounds b) {
  return {std::min(a.low, b.low), std::max(a.high, b.high)};
}

template <typename Function>
static Bounds combine(Bounds a, Bounds b, Function function) {
  return boundsOfNumbers({function(a.low, b.low), function(a.low, b.high),
                          function(a.high, b.low), function(a.high, b.high)});
}

Bounds LaterScores::boundsOf(Value value) {
  auto found = known.find(value);
  if (found != known.end())
    return found->second;
  Bounds bounds = find(value);
  known[value] = bounds;
  return bounds;
}

// Scores, and what changes them by sizes. All else that follows from tokens,
// such as a choice by them, is a score itself.
Bounds LaterScores::find(Value value) {
  if (!data.contains(value))
    return compute(value);
  auto operand = [&](int64_t index) {
    return boundsOf(value.getDefiningOp()->getOperand(index));
  };
  auto isData = [&](Value operand) { return data.contains(operand); };
  Bounds score{-kLargestScore, kLargestScore};
  Operation *op = value.getDefiningOp();
  if (!op)
    return score;
  return llvm::TypeSwitch<Operation *, Bounds>(op)
      .Case<CastOp, BroadcastOp, BroadcastTensorsOp>(
          [&](auto) { return boundsOf(viewedBy(value)); })
      .Case<arith::AddFOp>(
          [&](auto) { return combine(operand(0), operand(1), std::plus<>()); })
      .Case<arith::SubFOp>(
          [&](auto) { return combine(operand(0), operand(1), std::minus<>()); })
      .Case<arith::MaximumFOp, arith::MaxNumFOp>([&](auto) {
        return combine(operand(0), operand(1),
                       [](double a, double b) { return std::max(a, b); });
      })
      .Case<arith::MulFOp>([&](auto) {
        return llvm::all_of(op->getOperands(), isData)
                   ? score
                   : combine(operand(0), operand(1), std::multiplies<>());
      })
      .Case<arith::DivFOp>([&](auto) {
        Bounds divisor = operand(1);
        return isData(op->getOperand(1)) || divisor.low <= 0
                   ? score
                   : combine(operand(0), divisor, std::divides<>());
      })
      .Case<WhereOp, arith::SelectOp>([&](auto) {
        if (isData(op->getOperand(0)))
          return score;
        Bounds condition = operand(0);
        return condition.low == 1    ? operand(1)
               : condition.high == 0 ? operand(2)
                                     : joined(operand(1), operand(2));
      })
      .Default([&](Operation *) { return score; });
}

Bounds LaterScores::compute(Value value) {
  auto count = [](Value argument, auto count) {
    return GivenValue{argument, count};
  };
  SizeProbe probe(function, sizes, value, tensors,
                  {count(arguments.starts,
                         [](const DecoderCall &call) { return call.past(); }),
                   count(arguments.lengths,
                         [](const DecoderCall &call) { return call.length; })});
  if (!probe)
    return {};
  sizes.mostTokens = probe.mostTokens();
  Sizes all = sizesOf(value);
  bool isOfBoth = all.size() >= 2 && sizes.areAll(all.back()) &&
                  all[all.size() - 2] ==
                      SizeAttr::symbol(function.getContext(), sizes.length);
  std::optional<Bounds> bounds;
  for (const DecoderCall &call : probe.calls()) {
    auto results = probe.evaluate(call);
    if (!results) {
      llvm::consumeError(results.takeError());
      return {};
    }
    const Tensor &tensor = *results->front().tensor();
    int64_t count = tensor.data.size();
    for (int64_t element = 0; element < count; ++element) {
      int64_t query = element / call.total % call.length,
              key = element % call.total;
      if (isOfBoth && key <= call.past() + query)
        continue;
      double number = tensor.number(element);
      Bounds own = boundsOfNumbers(number);
      bounds = bounds ? joined(*bounds, own) : own;
    }
  }
  return bounds.value_or(Bounds());
}
