// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cache of one layer, as kernels see it:
//   keys   [batch][kv head][block][head dimension][32]
//   values [batch][kv head][position][head dimension]
// so that scores of 32 keys are computed side by side, without a shuffle. Both
// have room for whole blocks; of the positions past the capacity keys may be
// read, but are never kept.

#include "compiler/Lowering/LoweringInterface.h"
#include "compiler/Lowering/Names.h"
#include "runtime/heddle_abi.h"

using namespace mlir;
using namespace heddle;

CacheBuffers::CacheBuffers(KernelBuilder &k, Value cache) {
  auto type = cast<CacheType>(cache.getType());
  int64_t dynamic = ShapedType::kDynamic;
  SizeAttr capacity = sizesOf(cache)[1];
  Value batch = k.param(sizesOf(cache)[0]);
  Value blocks = k.param(ceilDiv(capacity, HEDDLE_CACHE_BLOCK));
  Value positions = k.param(roundUp(capacity, HEDDLE_CACHE_BLOCK));
  keyExtents = {HEDDLE_CACHE_BLOCK, type.getHeadDim(), dynamic,
                type.getKvHeads(), dynamic};
  keyDynamic = {blocks, batch};
  valueExtents = {type.getHeadDim(), dynamic, type.getKvHeads(), dynamic};
  valueDynamic = {positions, batch};
}

// keys(p mod 32, d, p / 32, h, b) = key(b, s, h * dimension + d), with p =
// starts(b) + s, for all tokens s < lengths(b).
static void lower(KernelBuilder &k, CacheAppendOp op) {
  Type f32 = k.builder.getF32Type();
  Location loc = k.loc();
  CacheType cache = op.getCache().getType();
  Value capacity = k.param(sizesOf(op.getCache())[1]);

  auto undefined = [&](OpBuilder &b, ValueRange) -> Value {
    return halide::UndefOp::create(b, loc, f32);
  };
  // The position of a token, after a halide.where on valid ones.
  auto place = [&](OpBuilder &b, Value batch, Value token) -> Value {
    Value length = k.readNumber(b, op.getLengths(), batch);
    halide::WhereOp::create(b, loc,
                            arith::CmpIOp::create(b, loc,
                                                  arith::CmpIPredicate::slt,
                                                  token, length));
    Value start = k.readNumber(b, op.getStarts(), batch);
    return k.promiseBelow(b, arith::AddIOp::create(b, loc, start, token),
                          capacity);
  };
  auto channel = [&](OpBuilder &b, Value d, Value h) -> Value {
    Value base =
        arith::MulIOp::create(b, loc, h, k.constant(b, cache.getHeadDim()));
    return arith::AddIOp::create(b, loc, base, d);
  };

  halide::FuncOp keys =
      k.func("keys", {"lane", kAppendChannelVar, "block", kAppendHeadVar, "b"},
             f32, undefined);
  keys.setReduction(halide::Reduction::Scatter);
  KernelBuilder::Range ranges[] = {
      k.rangeOf(kAppendTokenVar, sizesOf(op.getKey())[1]),
      k.rangeOf(kAppendSequenceVar, sizesOf(op.getKey())[0])};
  k.update(keys, ranges, [&](OpBuilder &b, ValueRange v) {
    Value d = v[1], h = v[3], token = v[5], batch = v[6];
    Value position = place(b, batch, token);
    Value key = k.read(b, op.getKey(), {batch, token, channel(b, d, h)});
    Value width = k.constant(b, HEDDLE_CACHE_BLOCK);
    Value lane = halide::ModOp::create(b, loc, position, width);
    Value block = arith::FloorDivSIOp::create(b, loc, position, width);
    halide::YieldOp::create(b, loc, key, ValueRange{lane, d, block, h, batch});
  });
  halide::FuncOp values =
      k.func("values", {kAppendChannelVar, "position", kAppendHeadVar, "b"},
             f32, undefined);
  values.setReduction(halide::Reduction::Scatter);
  k.update(values, ranges, [&](OpBuilder &b, ValueRange v) {
    Value d = v[0], h = v[2], token = v[4], batch = v[5];
    Value position = place(b, batch, token);
    Value value = k.read(b, op.getValue(), {batch, token, channel(b, d, h)});
    halide::YieldOp::create(b, loc, value, ValueRange{d, position, h, batch});
  });
  k.setCache(op.getResult(),
             {keys.getSymName().str(), values.getSymName().str()});
}

static void lower(KernelBuilder &k, CacheReadOp op) {
  Type f32 = k.builder.getF32Type();
  CacheBuffers buffers(k, op.getCache());
  auto argument = cast<BlockArgument>(op.getCache());
  auto create = [&](StringRef name, ValueRange dynamic,
                    ArrayRef<int64_t> extents, int64_t part) {
    std::string symbol = k.unique(name);
    halide::InputOp::create(
        k.builder, k.loc(), symbol, dynamic, extents, f32,
        k.builder.getI64IntegerAttr(argument.getArgNumber()),
        k.builder.getI64IntegerAttr(part));
    return symbol;
  };
  std::string keys = create("keys", buffers.keyDynamic, buffers.keyExtents, 0);
  std::string values =
      create("values", buffers.valueDynamic, buffers.valueExtents, 1);
  k.setField(op.getKey(), {keys, f32, {}, {}});
  k.setField(op.getValue(), {values, f32, {}, {}});
}

void heddle::registerCacheLowerings(MLIRContext *context) {
  CacheAppendOp::attachInterface<LoweringModel<CacheAppendOp, lower>>(*context);
  CacheReadOp::attachInterface<LoweringModel<CacheReadOp, lower>>(*context);
}
