// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Lowering/AttentionTasks.h"
#include "compiler/Lowering/AttentionFuncs.h"
#include "dialect/Heddle/KernelAttributes.h"
#include "dialect/Heddle/SumOfProducts.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::attention;

AttentionTasks::AttentionTasks(KernelBuilder &k, AttentionOp op)
    : k(k), op(op), loc(k.loc()), f32(k.builder.getF32Type()),
      i32(k.builder.getI32Type()), heads(op.getHeads()),
      kvHeads(op.getKvHeads()), group(heads / kvHeads),
      headDim(op.getHeadDim()), valueDim(op.getValueDim()),
      splits(op.getSplitCount()) {
  AttentionTask shape = attentionTaskOf(k.configuration);
  rowTile = shape.rows;
  chunkBlocks = shape.chunk;
  groupBlocks = shape.group;
  hasPairs =
      op->hasAttr(kPairsAttr) ||
      (op.getPackedKey() && getElementTypeOrSelf(op.getPackedKey()).isBF16());
  ScoreSpace space = op.getScoreSpace();
  SizeAttr tileCount = heddle::ceilDiv(space[2] * group, rowTile);
  // Each tile of queries adds to sums over all of them.
  bool areOrdered = bool(op.findResult(AttentionResult::ColumnSums));
  Value task = k.task(tileCount * kvHeads * space[0] * splits,
                      areOrdered ? tileCount : SizeAttr());

  Builder &b = k.builder;
  k.queryCount = queries = k.size(space[2]);
  k.keyCount = keys = k.size(space[3]);
  rows = mul(b, queries, group);
  chunks = ceilDiv(b, keys, kBlock * chunkBlocks * splits);
  if (op.getSplits()) {
    split = rem(b, task, splits);
    task = div(b, task, splits);
  }
  Value tiles = ceilDiv(b, rows, rowTile);
  tile = halide::ModOp::create(b, loc, task, tiles);
  Value rest = arith::FloorDivSIOp::create(b, loc, task, tiles);
  head = rem(b, rest, kvHeads);
  batch = div(b, rest, kvHeads);
}

//===-- Rows --------------------------------------------------------------===//

Value AttentionTasks::row(Builder &b, Value i) {
  Value row = add(b, mul(b, tile, rowTile), i);
  return arith::MinSIOp::create(b, loc, row, sub(b, rows, k.constant(b, 1)));
}

Value AttentionTasks::headOf(Builder &b, Value r) {
  return add(b, mul(b, head, group), rem(b, r, group));
}

Value AttentionTasks::queryOf(Builder &b, Value r) { return div(b, r, group); }

//===-- Keys --------------------------------------------------------------===//

const MaskField *AttentionTasks::mask() {
  return op.getMask() ? &k.mask(op.getMask()) : nullptr;
}

MaskField::Tile AttentionTasks::tileOf(Builder &b) {
  MaskField::Tile pairs;
  pairs.batch = batch;
  pairs.firstQuery = queryOf(b, mul(b, tile, rowTile));
  pairs.lastQuery = queryOf(b, row(b, k.constant(b, rowTile - 1)));
  return pairs;
}

MaskField::Point AttentionTasks::pointOf(Builder &b, Value i) {
  Value r = row(b, i);
  return {batch, headOf(b, r), queryOf(b, r), Value()};
}

void AttentionTasks::emitBlocks() {
  if (!mask())
    return;
  MaskField::Rows ofTask{
      rowTile, [this](Builder &b, Value i) { return pointOf(b, i); },
      [this](Builder &b, Value slot, Value c) { return blockIn(b, slot, c); }};
  if (mask()->prepareBounds)
    mask()->prepareBounds(ofTask);
  emitBound(kBeginKey, mask()->begin, k.constant(k.builder, 0));
  emitBound(kEndKey, mask()->end, keys);
  if (mask()->prepare)
    mask()->prepare(ofTask);
  emitKind();
  emitCounts();
  emitOrder();
}

// Funcs, because Halide trims loops to a value, and not to all expressions that
// a mask can have.
void AttentionTasks::emitBound(StringRef name,
                               const MaskField::TilePredicate &bound,
                               Value otherwise) {
  k.func(name, {}, i32, [&](Builder &b, ValueRange) -> Value {
    if (!bound)
      return otherwise;
    Value key = bound(b, tileOf(b));
    key = arith::MaxSIOp::create(b, loc, key, k.constant(b, 0));
    return arith::MinSIOp::create(b, loc, key, keys);
  });
}

Value AttentionTasks::blockIn(Builder &b, Value slot, Value c) {
  Value number = add(b, mul(b, c, chunkBlocks), slot);
  return add(b, firstBlock(b), split ? mul(b, number, splits) : number);
}

Value AttentionTasks::inChunk(Builder &b, Value blocks, Value c) {
  Value before = mul(b, c, chunkBlocks);
  if (!split)
    return sub(b, blocks, before);
  // No fewer than none, whatever the split is.
  Value ofTask = ceilDiv(b, sub(b, blocks, split), splits);
  return arith::MaxSIOp::create(b, loc, sub(b, ofTask, before),
                                k.constant(b, 0));
}

void AttentionTasks::emitKind() {
  auto isLess = [&](Builder &b, Value x, Value y) -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, x, y);
  };
  k.func(kBlockKind, {kSlot, kChunk}, i32,
         [&](Builder &b, ValueRange v) -> Value {
           MaskField::Tile pairs = tileOf(b);
           pairs.slot = v[0];
           pairs.chunk = v[1];
           pairs.block = blockIn(b, v[0], v[1]);
           pairs.firstKey = mul(b, pairs.block, kBlock);
           Value last = add(b, pairs.firstKey, k.constant(b, kBlock - 1));
           pairs.lastKey = arith::MinSIOp::create(
               b, loc, last, sub(b, keys, k.constant(b, 1)));
           Value begins = isLess(b, pairs.firstKey, endKey(b));
           Value keepsAny = mask()->keepsAny(b, pairs);
           Value any = arith::AndIOp::create(b, loc, begins, keepsAny);
           Value isWhole = isLess(b, last, keys);
           Value keepsAll = mask()->keepsAll(b, pairs);
           Value all = arith::AndIOp::create(b, loc, isWhole, keepsAll);
           Value kind = arith::SelectOp::create(b, loc, all, k.constant(b, 2),
                                                k.constant(b, 1));
           return arith::SelectOp::create(b, loc, any, kind, k.constant(b, 0));
         });
}

Value AttentionTasks::hasKind(Builder &b, arith::CmpIPredicate predicate,
                              Value slot, Value c, Kind kind) {
  return arith::CmpIOp::create(b, loc, predicate,
                               k.access(b, kBlockKind, i32, {slot, c}),
                               k.constant(b, int64_t(kind)));
}

void AttentionTasks::emitCounts() {
  auto counts = k.func(kBlocksBefore, {kSlot, kChunk}, {i32, i32, i32},
                       [&](Builder &b, ValueRange) {
                         return SmallVector<Value>(3, k.constant(b, 0));
                       });
  counts.setReduction(halide::Reduction::Attention);
  k.update(counts, {{kEachBlock, chunkBlocks}}, [&](Builder &b, ValueRange v) {
    Value c = v[1], slot = v[2];
    auto old = [&](Count count) {
      return k.access(b, kBlocksBefore, i32, {slot, c}, count);
    };
    auto increase = [&](Count count, Value holds) {
      return add(b, old(count), arith::ExtUIOp::create(b, loc, i32, holds));
    };
    Value whole = increase(WholeBlocks, hasKind(b, arith::CmpIPredicate::eq,
                                                slot, c, Kind::Whole));
    Value kept = increase(
        KeptBlocks, hasKind(b, arith::CmpIPredicate::ne, slot, c, Kind::None));
    Value rest = sub(b, endKey(b), mul(b, blockIn(b, slot, c), kBlock));
    Value isMixed = hasKind(b, arith::CmpIPredicate::eq, slot, c, Kind::Mixed);
    Value mixed = arith::MaxSIOp::create(b, loc, old(MixedKeys), rest);
    mixed = arith::SelectOp::create(b, loc, isMixed, mixed, old(MixedKeys));
    halide::YieldOp::create(b, loc, {whole, kept, mixed},
                            ValueRange{add(b, slot, k.constant(b, 1)), c});
  });
}

void AttentionTasks::emitOrder() {
  auto order = k.func(kBlockOrder, {kBlockOfChunk, kChunk}, i32,
                      [&](Builder &b, ValueRange) -> Value {
                        return halide::UndefOp::create(b, loc, i32);
                      });
  order.setReduction(halide::Reduction::Attention);
  k.update(order, {{kEachBlock, chunkBlocks}}, [&](Builder &b, ValueRange v) {
    Value c = v[1], slot = v[2];
    halide::WhereOp::create(
        b, loc, hasKind(b, arith::CmpIPredicate::ne, slot, c, Kind::None));
    auto before = [&](Count count) {
      return k.access(b, kBlocksBefore, i32, {slot, c}, count);
    };
    Value whole = before(WholeBlocks);
    Value mixed =
        add(b, countOf(b, WholeBlocks, c), sub(b, before(KeptBlocks), whole));
    Value isWhole = hasKind(b, arith::CmpIPredicate::eq, slot, c, Kind::Whole);
    Value place = k.promiseBelow(
        b, arith::SelectOp::create(b, loc, isWhole, whole, mixed),
        k.constant(b, chunkBlocks));
    halide::YieldOp::create(b, loc, slot, ValueRange{place, c});
  });
}

Value AttentionTasks::countOf(Builder &b, Count count, Value c) {
  return k.access(b, kBlocksBefore, i32, {k.constant(b, chunkBlocks), c},
                  count);
}

Value AttentionTasks::beginKey(Builder &b) {
  return k.access(b, kBeginKey, i32, {});
}

Value AttentionTasks::endKey(Builder &b) {
  return mask() ? k.access(b, kEndKey, i32, {}) : keys;
}

Value AttentionTasks::firstBlock(Builder &b) {
  if (!mask() || !mask()->begin)
    return split ? split : k.constant(b, 0);
  Value first =
      k.promiseBelow(b, div(b, beginKey(b), kBlock), ceilDiv(b, keys, kBlock));
  if (!split)
    return first;
  // The next one that is the split's.
  return add(b, first, rem(b, sub(b, split, first), splits));
}

Value AttentionTasks::wholeBlocks(Builder &b, Value c) {
  if (mask())
    return countOf(b, WholeBlocks, c);
  return inChunk(b, div(b, keys, kBlock), c);
}

Value AttentionTasks::plainBlocks(Builder &b, Value c) {
  return k.access(b, kPlainBlocks, i32, c);
}

Value AttentionTasks::mixedKeys(Builder &b, Value c) {
  return mask() ? countOf(b, MixedKeys, c) : k.constant(b, kBlock);
}

Value AttentionTasks::keptBlocks(Builder &b, Value c) {
  if (mask())
    return countOf(b, KeptBlocks, c);
  return inChunk(b, ceilDiv(b, keys, kBlock), c);
}

Value AttentionTasks::block(Builder &b, Value c, Value jb) {
  Value slot = jb;
  if (mask())
    slot = k.promiseBelow(b, k.access(b, kBlockOrder, i32, {jb, c}),
                          k.constant(b, chunkBlocks));
  return blockIn(b, slot, c);
}

Value AttentionTasks::keep(Builder &b, Value i, Value key) {
  Value exists =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::slt, key, keys);
  if (!mask())
    return exists;
  MaskField::Point at = pointOf(b, i);
  at.key = key;
  Value kept = mask()->keeps(b, at);
  return arith::AndIOp::create(b, loc, kept, exists);
}

Value AttentionTasks::existingKey(Builder &b, Value key) {
  return arith::MinSIOp::create(b, loc, key, sub(b, keys, k.constant(b, 1)));
}

Value AttentionTasks::readKey(Builder &b, Value j, Value d, Value kb) {
  if (k.findCached(op.getKey()))
    return rounded(b, readCached(b, op.getKey(), kb, j, d));
  if (hasPairs)
    return k.toF32(b,
                   readPairOfKey(b, j, div(b, d, kPair), rem(b, d, kPair), kb));
  if (op.getPackedKey())
    return k.read(b, op.getPackedKey(), {batch, head, kb, d, j});
  Value key = existingKey(b, add(b, mul(b, kb, kBlock), j));
  return rounded(b, readHead(b, op.getKey(), key, head, d, headDim));
}

Value AttentionTasks::readValue(Builder &b, Value j, Value d, Value kb,
                                Part part) {
  if (k.findCached(op.getValue()))
    return rounded(b, readCached(b, op.getValue(), kb, j, d));
  if (op.getPackedValue())
    return k.read(b, op.getPackedValue(), {batch, head, kb, j, d});
  Value key = add(b, mul(b, kb, kBlock), j);
  key =
      part == Part::Plain ? k.promiseBelow(b, key, keys) : existingKey(b, key);
  return rounded(b, readHead(b, op.getValue(), key, head, d, valueDim));
}

Value AttentionTasks::readPairOfKey(Builder &b, Value j, Value pair, Value term,
                                    Value kb) {
  if (op->hasAttr(kPairsAttr))
    return k.findCached(op.getKey())
        ->stored(b, batch, head, kb, j, k.compose(b, pair, kPair, term));
  Value inner = k.compose(b, j, kPair, term);
  return k.read(b, op.getPackedKey(), {batch, head, kb, pair, inner});
}

Value AttentionTasks::readPairOfValue(Builder &b, Value pair, Value term,
                                      Value d, Value kb) {
  if (op->hasAttr(kPairsAttr))
    return k.findCached(op.getValue())
        ->stored(b, batch, head, kb, k.compose(b, pair, kPair, term), d);
  Value inner = k.compose(b, d, kPair, term);
  return k.read(b, op.getPackedValue(), {batch, head, kb, pair, inner});
}

Value AttentionTasks::rounded(Builder &b, Value x) {
  if (!op.roundsFactors())
    return x;
  auto narrow = arith::TruncFOp::create(b, loc, b.getBF16Type(), x);
  narrow->setAttr(halide::kStrictAttr, b.getUnitAttr());
  return k.toF32(b, narrow);
}

// The heads that the cache was filled with need not be those of attention.
Value AttentionTasks::readCached(Builder &b, Value from, Value kb, Value j,
                                 Value d) {
  auto read = from.getDefiningOp<CacheReadOp>();
  CacheType cache = read.getCache().getType();
  bool isKey = from == read.getKey();
  int64_t dim = from == op.getKey() ? headDim : valueDim;
  int64_t cachedDim =
      cache.getDimOf(isKey ? CachePart::Keys : CachePart::Values);
  Value of = head;
  if (cachedDim != dim) {
    Value channel = add(b, mul(b, head, dim), d);
    of = div(b, channel, cachedDim);
    d = rem(b, channel, cachedDim);
  }
  const KernelBuilder::CachedRead &cached = *k.findCached(from);
  Value element = cached.element(b, batch, of, kb, j, d);
  if (!cached.scale || leavesOutScales(from))
    return element;
  return arith::MulFOp::create(b, loc, element,
                               cached.scale(b, batch, of, kb, j));
}

// Of heads that are not the cache's, channels have different scales; and what
// is rounded, or goes through a region, is the product.
bool AttentionTasks::leavesOutScales(Value from) {
  const KernelBuilder::CachedRead *cached = k.findCached(from);
  if (!cached || !cached->scale || op.roundsFactors() || op.hasTerm())
    return false;
  auto read = from.getDefiningOp<CacheReadOp>();
  CachePart part = from == read.getKey() ? CachePart::Keys : CachePart::Values;
  int64_t dim = from == op.getKey() ? headDim : valueDim;
  return read.getCache().getType().getDimOf(part) == dim;
}

Value AttentionTasks::scaleOf(Builder &b, Value from, Value kb, Value j) {
  if (!leavesOutScales(from))
    return {};
  return k.findCached(from)->scale(b, batch, head, kb, j);
}

Value AttentionTasks::keyScale(Builder &b, Value j, Value kb) {
  return scaleOf(b, op.getKey(), kb, j);
}

Value AttentionTasks::valueScale(Builder &b, Value j, Value kb) {
  return scaleOf(b, op.getValue(), kb, j);
}

Value AttentionTasks::readScaledKey(Builder &b, Value j, Value d, Value kb) {
  Value key = readKey(b, j, d, kb), scale = keyScale(b, j, kb);
  return scale ? arith::MulFOp::create(b, loc, key, scale).getResult() : key;
}

Value AttentionTasks::readHead(Builder &b, Value from, Value token, Value head,
                               Value d, int64_t dim) {
  SmallVector<Value> at{batch, token, add(b, mul(b, head, dim), d)};
  if (op.getLayoutOf(from).head)
    at = {batch, head, token, d};
  return k.toF32(b, k.read(b, from, at));
}

//===-- Parts of the keys -------------------------------------------------===//

void AttentionTasks::where(Builder &b, arith::CmpIPredicate predicate, Value x,
                           Value y) {
  halide::WhereOp::create(b, loc,
                          arith::CmpIOp::create(b, loc, predicate, x, y));
}

void AttentionTasks::whereChunk(Builder &b, Value c) {
  Value first = blockIn(b, k.constant(b, 0), c);
  where(b, arith::CmpIPredicate::slt, mul(b, first, kBlock), endKey(b));
}

void AttentionTasks::whereBlock(Builder &b, Value c, Value jb, Part part) {
  bool isPlain = part == Part::Plain || part == Part::Rest;
  Value first = isPlain ? plainBlocks(b, c) : wholeBlocks(b, c);
  if (part == Part::Whole || part == Part::Plain)
    return where(b, arith::CmpIPredicate::slt, jb, first);
  where(b, arith::CmpIPredicate::slt, jb, keptBlocks(b, c));
  if (part != Part::Kept)
    where(b, arith::CmpIPredicate::sge, jb, first);
}

// Nobody may need the last keys. Halide trims the loop to what is the same for
// all blocks of a chunk.
void AttentionTasks::whereKey(Builder &b, Value c, Value jb, Value j,
                              Part part) {
  whereBlock(b, c, jb, part);
  if (part == Part::Rest)
    where(b, arith::CmpIPredicate::slt, j, k.access(b, kRestKeys, i32, c));
}

Value AttentionTasks::restPairs(Builder &b, Value c) {
  return ceilDiv(b, k.access(b, kRestKeys, i32, c), kPair);
}

//===-- Integer maths -----------------------------------------------------===//

Value AttentionTasks::add(Builder &b, Value x, Value y) {
  return arith::AddIOp::create(b, loc, x, y);
}

Value AttentionTasks::sub(Builder &b, Value x, Value y) {
  return arith::SubIOp::create(b, loc, x, y);
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
