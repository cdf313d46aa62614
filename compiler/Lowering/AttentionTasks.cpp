// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Lowering/AttentionTasks.h"
#include "compiler/Lowering/AttentionFuncs.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::attention;

AttentionTasks::AttentionTasks(KernelBuilder &k, AttentionOp op)
    : k(k), op(op), loc(k.loc()), f32(k.builder.getF32Type()),
      i32(k.builder.getI32Type()), heads(op.getHeads()),
      kvHeads(op.getKvHeads()), group(heads / kvHeads),
      headDim(op.getHeadDim()), valueDim(op.getValueDim()) {
  auto configuration = cast<AttentionTilesAttr>(k.configuration);
  rowTile = configuration.getRows();
  chunkBlocks = configuration.getChunk();
  groupBlocks = configuration.getGroup();
  Builder &b = k.builder;
  k.queryCount = queries = k.sizeOf(op.getQuery(), op.getLengthDim());
  k.keyCount = keys = k.sizeOf(op.getKey(), op.getLengthDim());
  rows = mul(b, queries, group);
  tiles = ceilDiv(b, rows, rowTile);
  chunks = ceilDiv(b, keys, kBlock * chunkBlocks);
  tasks = mul(b, mul(b, tiles, kvHeads), k.sizeOf(op.getQuery(), 0));
}

//===-- Tasks -------------------------------------------------------------===//

AttentionTasks::Task AttentionTasks::taskOf(Builder &b, Value w) {
  Value rest = arith::FloorDivSIOp::create(b, loc, w, tiles);
  return {halide::ModOp::create(b, loc, w, tiles), rem(b, rest, kvHeads),
          div(b, rest, kvHeads)};
}

Value AttentionTasks::row(Builder &b, Value i, Value t) {
  Value row = add(b, mul(b, t, rowTile), i);
  Value last = arith::SubIOp::create(b, loc, rows, k.constant(b, 1));
  return arith::MinSIOp::create(b, loc, row, last);
}

//===-- Keys --------------------------------------------------------------===//

void AttentionTasks::emitLimits() {
  emitLimit(kKeyLimit, [&](Builder &b, ValueRange at) -> Value {
    if (!op.getMask() || !k.mask(op.getMask()).upperBound)
      return keys;
    return k.mask(op.getMask()).upperBound(b, at[0], at[1], at[2]);
  });
  emitLimit(kWholeLimit, [&](Builder &b, ValueRange at) -> Value {
    if (!op.getMask())
      return keys;
    if (!k.mask(op.getMask()).fullBelow)
      return k.constant(b, 0);
    return k.mask(op.getMask()).fullBelow(b, at[0], at[1], at[2]);
  });
  if (groupBlocks == 1)
    return;
  k.func(kGroupedBlocks, {kTask}, i32, [&](Builder &b, ValueRange v) -> Value {
    Value blocks = ceilDiv(b, keyLimit(b, v[0]), kBlock);
    return mul(b, div(b, blocks, groupBlocks), groupBlocks);
  });
}

void AttentionTasks::emitLimit(
    StringRef name, llvm::function_ref<Value(Builder &, ValueRange)> limit) {
  k.func(name, {kTask}, i32, [&](Builder &b, ValueRange v) -> Value {
    Task task = taskOf(b, v[0]);
    Value first = div(b, mul(b, task.tile, rowTile), group);
    Value last = div(b, row(b, k.constant(b, rowTile - 1), task.tile), group);
    return arith::MinSIOp::create(b, loc, limit(b, {task.batch, first, last}),
                                  keys);
  });
}

Value AttentionTasks::keyLimit(Builder &b, Value w) {
  return k.access(b, kKeyLimit, i32, w);
}

Value AttentionTasks::wholeLimit(Builder &b, Value w) {
  return k.access(b, kWholeLimit, i32, w);
}

Value AttentionTasks::groupedBlocks(Builder &b, Value w) {
  return k.access(b, kGroupedBlocks, i32, w);
}

Value AttentionTasks::keep(Builder &b, Value i, Value key, Value w) {
  auto exists = [&]() -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, key, keys);
  };
  if (!op.getMask())
    return exists();
  Task task = taskOf(b, w);
  Value query = div(b, row(b, i, task.tile), group);
  Value kept = k.mask(op.getMask()).keeps(b, task.batch, query, key);
  return arith::AndIOp::create(b, loc, kept, exists());
}

Value AttentionTasks::blockOfChunk(Builder &b, Value c, Value jb) {
  return add(b, mul(b, c, chunkBlocks), jb);
}

Value AttentionTasks::readKey(Builder &b, Value j, Value d, Value kb, Value w) {
  Task task = taskOf(b, w);
  if (op.getKey().getDefiningOp<CacheReadOp>())
    return k.access(b, k.field(op.getKey()).symbol, f32,
                    {j, d, kb, task.head, task.batch});
  return readRow(b, op.getKey(), add(b, mul(b, kb, kBlock), j), d, task);
}

Value AttentionTasks::readValue(Builder &b, Value d, Value key, Value w) {
  Task task = taskOf(b, w);
  if (op.getValue().getDefiningOp<CacheReadOp>())
    return k.access(b, k.field(op.getValue()).symbol, f32,
                    {d, key, task.head, task.batch});
  return readRow(b, op.getValue(), key, d, task);
}

// Keys and values that are not in a cache are rows of an activation.
Value AttentionTasks::readRow(Builder &b, Value from, Value key, Value d,
                              Task task) {
  Value last = arith::SubIOp::create(b, loc, keys, k.constant(b, 1));
  key = arith::MinSIOp::create(b, loc, key, last);
  int64_t dim = from == op.getKey() ? headDim : valueDim;
  return readHead(b, from, task.batch, key, task.head, d, dim);
}

Value AttentionTasks::readHead(Builder &b, Value from, Value batch, Value token,
                               Value head, Value d, int64_t dim) {
  if (op.hasHeadsOutside())
    return k.read(b, from, {batch, head, token, d});
  return k.read(b, from, {batch, token, add(b, mul(b, head, dim), d)});
}

//===-- Parts of the keys -------------------------------------------------===//

void AttentionTasks::where(Builder &b, arith::CmpIPredicate predicate, Value x,
                           Value y) {
  halide::WhereOp::create(b, loc,
                          arith::CmpIOp::create(b, loc, predicate, x, y));
}

void AttentionTasks::whereBlock(Builder &b, Value c, Value jb, Value w,
                                Part part) {
  Value block = blockOfChunk(b, c, jb);
  Value wholeBlocks = div(b, wholeLimit(b, w), kBlock);
  if (part == Part::Whole)
    return where(b, arith::CmpIPredicate::slt, block, wholeBlocks);
  where(b, arith::CmpIPredicate::slt, mul(b, block, kBlock), keyLimit(b, w));
  if (part == Part::Mixed)
    where(b, arith::CmpIPredicate::sge, block, wholeBlocks);
}

// The conditions are of the blocks, too: Halide bounds the outer loop by those.
void AttentionTasks::whereKey(Builder &b, Value kb, Value j, Value w,
                              Part part) {
  Value first = mul(b, kb, kBlock);
  Value last = add(b, first, k.constant(b, kBlock - 1));
  Value key = add(b, first, j);
  if (part == Part::Mixed) {
    where(b, arith::CmpIPredicate::sge, last, wholeLimit(b, w));
    where(b, arith::CmpIPredicate::sge, key, wholeLimit(b, w));
  }
  Value limit = part == Part::Whole ? wholeLimit(b, w) : keyLimit(b, w);
  where(b, arith::CmpIPredicate::slt, first, limit);
  where(b, arith::CmpIPredicate::slt, key, limit);
}

//===-- Integer maths -----------------------------------------------------===//

Value AttentionTasks::add(Builder &b, Value x, Value y) {
  return arith::AddIOp::create(b, loc, x, y);
}

Value AttentionTasks::mul(Builder &b, Value x, Value y) {
  return arith::MulIOp::create(b, loc, x, y);
}

Value AttentionTasks::mul(Builder &b, Value x, int64_t y) {
  return mul(b, x, k.constant(b, y));
}

Value AttentionTasks::div(Builder &b, Value x, int64_t y) {
  return arith::FloorDivSIOp::create(b, loc, x, k.constant(b, y));
}

Value AttentionTasks::rem(Builder &b, Value x, int64_t y) {
  return halide::ModOp::create(b, loc, x, k.constant(b, y));
}

Value AttentionTasks::ceilDiv(Builder &b, Value x, int64_t y) {
  return div(b, add(b, x, k.constant(b, y - 1)), y);
}
