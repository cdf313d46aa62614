// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle.softmax %x -> the heddle.generic ops that it means

#include "compiler/Prepare/Decompositions.h"
#include "compiler/Prepare/Passes.h"

namespace heddle {
#define GEN_PASS_DEF_DECOMPOSE
#include "compiler/Prepare/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

namespace {
template <typename Op>
struct Model : DecomposeOpInterface::ExternalModel<Model<Op>, Op> {
  Values decompose(Operation *op, OpBuilder &builder) const {
    return heddle::decompose(cast<Op>(op), builder);
  }
};
} // namespace

template <typename... Ops> static void attach(MLIRContext *context) {
  (Ops::template attachInterface<Model<Ops>>(*context), ...);
}

void heddle::registerDecompositions(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *context, HeddleDialect *) {
    attach<TransposeOp, ReshapeOp, ExpandOp, SqueezeOp, SliceOp, ConcatOp,
           SplitOp, PadOp, BroadcastOp, GatherOp, GatherElementsOp, ScatterOp,
           IotaOp, OneHotOp, WhereOp, CastOp, ReduceOp, ArgReduceOp,
           CumulativeSumOp, SoftmaxOp, LogSoftmaxOp, TopKOp, MatmulOp,
           LayerNormOp, GatedFeedForwardOp>(context);
  });
}

namespace {
struct Decompose : heddle::impl::DecomposeBase<Decompose> {
  using DecomposeBase::DecomposeBase;

  void runOnOperation() override {
    // Ops may decompose into others that do. Helper ops of a decomposition
    // that decomposed themselves are left behind without uses.
    SmallVector<DecomposeOpInterface> ops;
    do {
      ops.clear();
      getOperation()->walk([&](DecomposeOpInterface op) {
        if (!keepLayers || !isa<GatedFeedForwardOp>(op))
          ops.push_back(op);
      });
      for (DecomposeOpInterface op : ops) {
        if (!op->use_empty()) {
          OpBuilder builder(op);
          op->replaceAllUsesWith(op.decompose(builder));
        }
        op->erase();
      }
    } while (!ops.empty());
  }
};
} // namespace
