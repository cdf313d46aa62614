// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Prepare/Decompositions.h"

using namespace mlir;
using namespace heddle;

// gated_feed_forward silu x, g, u, d
//   -> linear(activation silu (linear x, g) * (linear x, u)), d
Values heddle::decompose(GatedFeedForwardOp op, OpBuilder &b) {
  Location loc = op.getLoc();
  Value gate =
      LinearOp::create(b, loc, op.getInput(), op.getGate(), op.getGateBias());
  Value up =
      LinearOp::create(b, loc, op.getInput(), op.getUp(), op.getUpBias());
  Value active = ActivationOp::create(b, loc, op.getKindAttr(), gate);
  Value hidden = arith::MulFOp::create(b, loc, active, up);
  return {LinearOp::create(b, loc, hidden, op.getDown(), op.getDownBias())};
}
