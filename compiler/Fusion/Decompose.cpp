// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// gated_feed_forward silu x, g, u, d
//   -> linear(activation silu (linear x, g) * (linear x, u)), d

#include "compiler/Fusion/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace heddle {
#define GEN_PASS_DEF_DECOMPOSE
#include "compiler/Fusion/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

namespace {
struct DecomposeGatedFeedForward : OpRewritePattern<GatedFeedForwardOp> {
  using OpRewritePattern::OpRewritePattern;

  LogicalResult matchAndRewrite(GatedFeedForwardOp op,
                                PatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value gate = LinearOp::create(rewriter, loc, op.getInput(), op.getGate(),
                                  op.getGateBias());
    Value up = LinearOp::create(rewriter, loc, op.getInput(), op.getUp(),
                                op.getUpBias());
    Value active = ActivationOp::create(rewriter, loc, op.getKindAttr(), gate);
    Value hidden = arith::MulFOp::create(rewriter, loc, active, up);
    rewriter.replaceOpWithNewOp<LinearOp>(op, hidden, op.getDown(),
                                          op.getDownBias());
    return success();
  }
};

struct Decompose : heddle::impl::DecomposeBase<Decompose> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    patterns.add<DecomposeGatedFeedForward>(&getContext());
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
