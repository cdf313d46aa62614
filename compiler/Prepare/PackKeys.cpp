// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle.attention %q, %k, %v
//   -> p[b, g, n, d, j] = k[b, g, n * 32 + j, d]
//      heddle.attention %q, %k, %v packed(%p)

#include "compiler/Fusion/KernelAttributes.h"
#include "compiler/Prepare/GenericBuilder.h"
#include "compiler/Prepare/Passes.h"
#include "runtime/heddle_abi.h"

namespace heddle {
#define GEN_PASS_DEF_PACKKEYS
#include "compiler/Prepare/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

// A task reads all keys: copies are worth it where there are more of them.
static constexpr int64_t kFewQueries = 2;

static bool isWorthIt(AttentionOp op) {
  std::optional<int64_t> queries = op.getScoreSpace()[2].asNumber();
  return !op.getPacked() && !op.getKey().getDefiningOp<CacheReadOp>() &&
         (!queries || *queries > kFewQueries);
}

static void packKeys(AttentionOp op) {
  constexpr int64_t block = HEDDLE_CACHE_BLOCK;
  OpBuilder b(op);
  auto number = [&](int64_t value) {
    return SizeAttr::number(b.getContext(), value);
  };
  int64_t channels = op.getHeadDim();
  SizeAttr keys = op.getScoreSpace()[3];
  // [batch, group, block, channel, key]
  GenericBuilder g(b, op.getLoc(),
                   {op.getScoreSpace()[0], number(op.getKvHeads()),
                    ceilDiv(keys, block), number(channels), number(block)});
  // Past the last key, it is the last: then its place is no affine function.
  bool isInside = keys.asNumber() && *keys.asNumber() % block == 0;
  if (isInside) {
    AffineExpr token = g.dim(2) * block + g.dim(4);
    if (op.hasHeadsOutside())
      g.input(op.getKey(), {g.dim(0), g.dim(1), token, g.dim(3)});
    else
      g.input(op.getKey(), {g.dim(0), token, g.dim(1) * channels + g.dim(3)});
  } else {
    g.table(op.getKey());
  }
  g.result(b.getF32Type());
  Value packed = g.build([&](GenericBody &body) {
    if (isInside)
      return body.input(0);
    auto dim = [&](unsigned index) { return body.index(index); };
    Element token = dim(2) * dim(2).constant(block) + dim(4);
    if (op.hasHeadsOutside())
      return body.read(0, {dim(0), dim(1), token, dim(3)});
    Element channel = dim(1) * dim(1).constant(channels) + dim(3);
    return body.read(0, {dim(0), token, channel});
  });
  packed.getDefiningOp()->setAttr(kOriginAttr, b.getStringAttr("pack"));
  op.getPackedMutable().assign(packed);
}

namespace {
struct PackKeys : heddle::impl::PackKeysBase<PackKeys> {
  void runOnOperation() override {
    getOperation()->walk([](AttentionOp op) {
      if (isWorthIt(op))
        packKeys(op);
    });
  }
};
} // namespace
