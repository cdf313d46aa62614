// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// heddle.attention %q, %k, %v
//   -> p[b, g, n, d, j] = k[b, g, n * 32 + j, d]
//      r[b, g, n, j, d] = v[b, g, n * 32 + j, d]
//      heddle.attention %q, %k, %v packed(%p, %r)
//
// A cache of bf16, whose heads are those of attention, is read in pairs as it
// is (heddle.pairs).
//
// Of pairs of bf16 that are packed, which one instruction multiplies,
//      p[b, g, n, c, 2 j + t] = k[b, g, n * 32 + j, 2 c + t]
//      r[b, g, n, i, 2 d + t] = v[b, g, n * 32 + 2 i + t, d]

#include "compiler/Attention/Passes.h"
#include "compiler/Prepare/GenericBuilder.h"
#include "compiler/Prepare/Views.h"
#include "compiler/Target/MachineModel.h"
#include "dialect/Heddle/Coordinates.h"
#include "dialect/Heddle/KernelAttributes.h"
#include "dialect/Heddle/SumOfProducts.h"
#include "dialect/Heddle/Verification.h"
#include "runtime/heddle_abi.h"

namespace heddle {
#define GEN_PASS_DEF_PACKATTENTION
#include "compiler/Attention/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

// Whether `keys` are the key part of a cache, which lies in blocks.
static bool isInBlocks(Value keys) {
  auto read = keys.getDefiningOp<CacheReadOp>();
  return read && keys == read.getKey();
}

// The tensor that an operand of `op` is a view of, and where that has its
// elements. A view of what a cache was before an append is followed no further.
static std::pair<Value, Sizes> followViews(Value operand, AttentionOp op) {
  Sizes extents = sizesOf(operand), at;
  for (unsigned dim = 0; dim < extents.size(); ++dim)
    at.push_back(dimensionSymbol(operand.getContext(), dim));
  while (auto view = operand.getDefiningOp<GenericOp>()) {
    if (!isView(view) || readsOldCache(view, op))
      break;
    operand = view.getInputs()[0];
    Sizes next = view.getCoordinates(0);
    for (SizeAttr &coordinate : next)
      coordinate = composeCoordinate(coordinate, at, extents);
    at = next;
  }
  return {operand, at};
}

namespace {
class AttentionPacker {
public:
  AttentionPacker(AttentionOp op, const MachineModel &machine)
      : op(op), machine(machine), b(op), context(op.getContext()),
        keys(op.getScoreSpace()[3]) {}

  void run() {
    if (readsCachedPairs())
      op->setAttr(kPairsAttr, b.getUnitAttr());
    std::optional<int64_t> queries = op.getScoreSpace()[2].asNumber();
    if (op.getPackedKey() || isInBlocks(op.getKey()) ||
        (queries && *queries <= machine.attentionFewQueries))
      return;
    op.getPackedKeyMutable().assign(pack(op.getKey(), /*isKey=*/true));
    if (packsValue())
      op.getPackedValueMutable().assign(pack(op.getValue(), /*isKey=*/false));
  }

private:
  static constexpr int64_t block = HEDDLE_CACHE_BLOCK;

  bool isCached(Value operand) {
    return followViews(operand, op).first.getDefiningOp<CacheReadOp>() !=
           nullptr;
  }

  // Whether values are read, by the CPU, and lie in no cache.
  bool mayPackValue() {
    bool isRead = op.findResult(AttentionResult::Output) ||
                  op.findResult(AttentionResult::Unnormalized);
    return isRead && !isCached(op.getValue()) && !machine.device;
  }

  // Pairs are those of keys and of values.
  bool multipliesPairs() {
    return op.roundsFactors() && machine.packsPairs(op) &&
           !isCached(op.getValue());
  }

  // Whether one instruction multiplies a pair of a cache, for vectors of which
  // it takes a shuffle.
  bool readsCachedPairs() {
    return op.roundsFactors() && machine.bfloatTerms == kPair &&
           !machine.device && op.getHeadDim() % kPair == 0 &&
           op.readsCacheOf(b.getBF16Type());
  }

  // Values are copied in pairs, and where those of many keys, far from each
  // other, would miss the CPU's translation buffer (TLB).
  bool packsValue() {
    return multipliesPairs() ||
           (mayPackValue() &&
            rangeIn(op, keys).most > machine.attentionKeysInPlace);
  }

  SizeAttr number(int64_t value) { return SizeAttr::number(context, value); }
  SizeAttr dim(unsigned index) { return dimensionSymbol(context, index); }

  // The elements of `operand` in blocks: [batch, group, block, outer, inner].
  Value pack(Value operand, bool isKey) {
    bool isOfPairs = multipliesPairs();
    int64_t channels = isKey ? op.getHeadDim() : op.getValueDim();
    int64_t outer = isKey ? channels : block, inner = isKey ? block : channels;
    // Neighbours of the outer one lie side by side.
    int64_t neighbours = isOfPairs ? kPair : 1;
    Sizes over{op.getScoreSpace()[0], number(op.getKvHeads()),
               ceilDiv(keys, block), number(outer / neighbours),
               number(inner * neighbours)};
    SizeAttr ofOuter = dim(3), ofInner = dim(4);
    if (isOfPairs) {
      ofOuter = dim(3) * kPair + mod(dim(4), number(kPair));
      ofInner = floorDiv(dim(4), number(kPair));
    }
    SizeAttr inBlock = isKey ? ofInner : ofOuter;
    SizeAttr channel = isKey ? ofOuter : ofInner;
    SizeAttr token = dim(2) * block + inBlock;
    Sizes place{dim(0), token, dim(1) * channels + channel};
    if (op.getLayoutOf(operand).head)
      place = {dim(0), dim(1), token, channel};
    return build(operand, over, place, isOfPairs);
  }

  Value build(Value operand, const Sizes &over, const Sizes &place,
              bool isOfPairs) {
    auto [base, at] = followViews(operand, op);
    // Coordinates past the last key are limited to it, which no map says.
    bool isInside = keys.asNumber() && *keys.asNumber() % block == 0;
    GenericBuilder g(b, op.getLoc(), over);
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
    Type f32 = b.getF32Type(), bf16 = b.getBF16Type();
    g.result(isOfPairs ? bf16 : f32);
    Value packed = g.build([&, &at = at](GenericBody &body) {
      auto element = [&]() -> Element {
        if (isInside)
          return body.input(0);
        SmallVector<Element> coordinates;
        for (SizeAttr coordinate : at)
          coordinates.push_back(body.coordinate(coordinate));
        return body.read(0, coordinates);
      }();
      if (op.roundsFactors())
        element = cast(element, bf16);
      return isOfPairs ? element : cast(element, f32);
    });
    packed.getDefiningOp()->setAttr(kOriginAttr, b.getStringAttr("pack"));
    return packed;
  }

  AttentionOp op;
  const MachineModel &machine;
  OpBuilder b;
  MLIRContext *context;
  SizeAttr keys;
};

struct PackAttention : heddle::impl::PackAttentionBase<PackAttention> {
  void runOnOperation() override {
    FailureOr<MachineModel> machine = MachineModel::of(getOperation());
    if (failed(machine))
      return signalPassFailure();
    getOperation().walk(
        [&](AttentionOp op) { AttentionPacker(op, *machine).run(); });
  }
};
} // namespace
