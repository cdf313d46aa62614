// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle.multi_head_attention %x, %x, %x cache(%c) layer(0) ...
//   -> heddle.linear, heddle.cache.append, heddle.cache.read, heddle.attention

#include "compiler/Prepare/Passes.h"

#include "dialect/Heddle/HeddleDialect.h"

namespace heddle {
#define GEN_PASS_DEF_EXPANDATTENTION
#include "compiler/Prepare/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

namespace {
struct ExpandAttention : heddle::impl::ExpandAttentionBase<ExpandAttention> {
  void runOnOperation() override {
    SmallVector<MultiHeadAttentionOp> ops;
    getOperation()->walk([&](MultiHeadAttentionOp op) {
      if (op.getCache() || !op.getScore().empty())
        ops.push_back(op);
    });
    for (MultiHeadAttentionOp op : ops) {
      OpBuilder builder(op);
      auto layer = cast<DecomposeOpInterface>(op.getOperation());
      op->replaceAllUsesWith(layer.decompose(builder));
      op->erase();
    }
  }
};
} // namespace
