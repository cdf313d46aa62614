// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cache of one layer, as kernels see it:
//   keys   [batch][kv head][block][head dimension][32]
//   values [batch][kv head][position][head dimension]
// so that scores of 32 keys are computed side by side, without a shuffle. Both
// have room for whole blocks; of the positions past the capacity keys may be
// read, but are never kept.

#include "compiler/Lowering/KernelBuilder.h"
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

// keys(p mod 32, d, p / 32, h, b) = key(d, h, m), with p = starts(b) + s, for
// all tokens s < lengths(b).
void heddle::lower(KernelBuilder &k, CacheAppendOp op) {
  Type f32 = k.builder.getF32Type();
  Location loc = k.loc();
  CacheType cache = op.getCache().getType();
  Value rows = k.rowsOf(op.getKey());
  Value capacity = k.param(sizesOf(op.getCache())[1]);
  k.store(op.getKey());
  k.store(op.getValue());

  auto undefined = [&](OpBuilder &b, ValueRange) -> Value {
    return halide::UndefOp::create(b, loc, f32);
  };
  // The position of row m, after a halide.where on valid tokens.
  auto place = [&](OpBuilder &b, Value m) {
    auto [batch, token] = k.splitRow(b, op.getKey(), m);
    Value length = k.read(b, k.field(op.getLengths()), Value(), batch);
    halide::WhereOp::create(b, loc,
                            arith::CmpIOp::create(b, loc,
                                                  arith::CmpIPredicate::slt,
                                                  token, length));
    Value start = k.read(b, k.field(op.getStarts()), Value(), batch);
    Value position = k.promiseBelow(
        b, arith::AddIOp::create(b, loc, start, token), capacity);
    return std::pair(batch, position);
  };
  auto channel = [&](OpBuilder &b, Value d, Value h) -> Value {
    Value base =
        arith::MulIOp::create(b, loc, h, k.constant(b, cache.getHeadDim()));
    return arith::AddIOp::create(b, loc, base, d);
  };

  halide::FuncOp keys =
      k.func("keys", {"lane", "d", "block", "h", "b"}, f32, undefined);
  keys.setReduction(halide::Reduction::Scatter);
  KernelBuilder::Range range{"m", ShapedType::kDynamic, rows};
  k.update(keys, range, [&](OpBuilder &b, ValueRange v) {
    Value d = v[1], h = v[3], m = v[5];
    auto [batch, position] = place(b, m);
    Value key = k.read(b, k.field(op.getKey()), channel(b, d, h), m);
    Value width = k.constant(b, HEDDLE_CACHE_BLOCK);
    Value lane = halide::ModOp::create(b, loc, position, width);
    Value block = arith::FloorDivSIOp::create(b, loc, position, width);
    halide::YieldOp::create(b, loc, key, ValueRange{lane, d, block, h, batch});
  });
  halide::FuncOp values =
      k.func("values", {"d", "position", "h", "b"}, f32, undefined);
  values.setReduction(halide::Reduction::Scatter);
  k.update(values, range, [&](OpBuilder &b, ValueRange v) {
    Value d = v[0], h = v[2], m = v[4];
    auto [batch, position] = place(b, m);
    Value value = k.read(b, k.field(op.getValue()), channel(b, d, h), m);
    halide::YieldOp::create(b, loc, value, ValueRange{d, position, h, batch});
  });
  k.setCache(op.getResult(),
             {keys.getSymName().str(), values.getSymName().str()});
}

void heddle::lower(KernelBuilder &k, CacheReadOp op) {
  Type f32 = k.builder.getF32Type();
  CacheBuffers buffers(k, op.getCache());
  auto argument = cast<BlockArgument>(op.getCache());
  auto create = [&](StringRef name, ValueRange dynamic,
                    ArrayRef<int64_t> extents, int64_t part) {
    std::string symbol = k.unique(name);
    halide::InputOp::create(
        k.builder, k.loc(), symbol, dynamic, extents, DenseI64ArrayAttr(), f32,
        k.builder.getI64IntegerAttr(argument.getArgNumber()),
        k.builder.getI64IntegerAttr(part));
    return symbol;
  };
  std::string keys = create("keys", buffers.keyDynamic, buffers.keyExtents, 0);
  std::string values =
      create("values", buffers.valueDynamic, buffers.valueExtents, 1);
  k.setField(op.getKey(), {keys, f32, {}});
  k.setField(op.getValue(), {values, f32, {}});
}
