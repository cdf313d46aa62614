// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/LayerBuilders.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

Value heddle::createNorm(OpBuilder &b, Location loc, NormKind kind, Value x,
                         Value weight, Value bias, FloatAttr epsilon) {
  if (kind == NormKind::Rms)
    return RMSNormOp::create(b, loc, x.getType(), x, weight, epsilon);
  return LayerNormOp::create(b, loc, x.getType(), x, weight, bias, epsilon);
}

Value heddle::createFeedForward(OpBuilder &b, Location loc, Value x,
                                ActivationKind activation,
                                const FeedForwardWeights &w) {
  if (!w.gate)
    return FeedForwardOp::create(b, loc, x.getType(), activation, x, w.up,
                                 w.down, w.upBias, w.downBias);
  return GatedFeedForwardOp::create(b, loc, x.getType(), activation, x, w.gate,
                                    w.up, w.down, w.gateBias, w.upBias,
                                    w.downBias);
}

Value heddle::addBranch(OpBuilder &b, Location loc, Value x,
                        const Branch &branch) {
  Value y = x;
  for (Branch::Step step :
       {branch.normBefore, branch.compute, branch.normBehind})
    if (step && y)
      y = step(y);
  if (!y)
    return Value();
  Value sum = arith::AddFOp::create(b, loc, x, y);
  return branch.normOfSum ? branch.normOfSum(sum) : sum;
}
