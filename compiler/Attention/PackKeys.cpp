// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle.attention %q, %k, %v
//   -> p[b, g, n, d, j] = k[b, g, n * 32 + j, d]
//      heddle.attention %q, %k, %v packed(%p)

#include "compiler/Attention/Passes.h"
#include "compiler/Prepare/GenericBuilder.h"
#include "compiler/Prepare/Views.h"
#include "dialect/Heddle/Coordinates.h"
#include "dialect/Heddle/KernelAttributes.h"
#include "runtime/heddle_abi.h"

namespace heddle {
#define GEN_PASS_DEF_PACKKEYS
#include "compiler/Attention/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

// A task reads all keys: copies are worth it where there are more of them.
static constexpr int64_t kFewQueries = 2;

static bool isWorthIt(AttentionOp op) {
  std::optional<int64_t> queries = op.getScoreSpace()[2].asNumber();
  auto read = op.getKey().getDefiningOp<CacheReadOp>();
  bool isCached = read && op.getKey() == read.getKey();
  return !op.getPacked() && !isCached && (!queries || *queries > kFewQueries);
}

// What the keys are views of, and where it has them.
static std::pair<Value, Sizes> followViews(Value keys) {
  Sizes extents = sizesOf(keys), at;
  for (unsigned dim = 0; dim < extents.size(); ++dim)
    at.push_back(dimensionSymbol(keys.getContext(), dim));
  while (auto view = keys.getDefiningOp<GenericOp>()) {
    if (!isView(view))
      break;
    keys = view.getInputs()[0];
    Sizes next = view.getCoordinates(0);
    for (SizeAttr &coordinate : next)
      coordinate = composeCoordinate(coordinate, at, extents);
    at = next;
  }
  return {keys, at};
}

static void packKeys(AttentionOp op) {
  constexpr int64_t block = HEDDLE_CACHE_BLOCK;
  OpBuilder b(op);
  MLIRContext *context = b.getContext();
  auto number = [&](int64_t value) { return SizeAttr::number(context, value); };
  int64_t channels = op.getHeadDim();
  SizeAttr keys = op.getScoreSpace()[3];
  // [batch, group, block, channel, key]
  Sizes over{op.getScoreSpace()[0], number(op.getKvHeads()),
             ceilDiv(keys, block), number(channels), number(block)};
  GenericBuilder g(b, op.getLoc(), over);
  auto [base, at] = followViews(op.getKey());
  auto dim = [&](unsigned index) { return dimensionSymbol(context, index); };
  SizeAttr token = dim(2) * block + dim(4);
  Sizes place{dim(0), token, dim(1) * channels + dim(3)};
  if (op.getLayoutOf(op.getKey()).head)
    place = {dim(0), dim(1), token, dim(3)};
  // Past the last key, it is another one: no map says so.
  bool isInside = keys.asNumber() && *keys.asNumber() % block == 0;
  for (SizeAttr &coordinate : at)
    coordinate = composeCoordinate(coordinate, place, over);
  if (isInside) {
    SmallVector<AffineExpr> expressions;
    for (SizeAttr coordinate : at)
      expressions.push_back(g.affine(coordinate));
    g.input(base, expressions);
  } else {
    g.table(base);
  }
  g.result(b.getF32Type());
  Value packed = g.build([&, &at = at](GenericBody &body) {
    if (isInside)
      return cast(body.input(0), b.getF32Type());
    SmallVector<Element> coordinates;
    for (SizeAttr coordinate : at)
      coordinates.push_back(body.coordinate(coordinate));
    return cast(body.read(0, coordinates), b.getF32Type());
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
