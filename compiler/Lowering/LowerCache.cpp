// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The cache of one layer, as kernels see it:
//   keys         [batch][kv head][block][head dimension][32]
//   values       [batch][kv head][position][head dimension]
//   their scales [batch][kv head][position], of i8
// so that scores of 32 keys are computed side by side, without a shuffle. All
// have room for whole blocks; of the positions past the capacity keys, and
// values in pairs, may be read, but are never kept.

#include "compiler/Lowering/LoweringInterface.h"
#include "compiler/Lowering/Names.h"
#include "runtime/heddle_abi.h"

using namespace mlir;
using namespace heddle;

static constexpr int64_t kBlock = HEDDLE_CACHE_BLOCK;

CacheBuffer::CacheBuffer(KernelBuilder &k, Value cache, CachePart part)
    : type(cast<CacheType>(cache.getType()).getTypeOf(part)) {
  auto of = cast<CacheType>(cache.getType());
  int64_t unknown = ShapedType::kDynamic;
  SizeAttr capacity = sizesOf(cache)[1];
  bool isOfKeys = part == CachePart::Keys;
  SizeAttr count =
      isOfKeys ? ceilDiv(capacity, kBlock) : roundUp(capacity, kBlock);
  if (isOfKeys)
    extents.push_back(kBlock);
  if (isOfKeys || part == CachePart::Values)
    extents.push_back(of.getDimOf(part));
  llvm::append_values(extents, unknown, of.getKvHeads(), unknown);
  dynamic = {k.param(count), k.param(sizesOf(cache)[0])};
}

namespace {

/// Where positions of sequences lie (CacheOps.td).
class Places {
public:
  struct Place {
    Value sequence, block, lane;
  };

  Places(KernelBuilder &k, Value cache, Value pages, bool isRing)
      : k(k), loc(k.loc()), pages(pages), isRing(isRing),
        capacity(sizesOf(cache)[1]), sequences(k.param(sizesOf(cache)[0])),
        blocks(k.param(ceilDiv(capacity, kBlock))) {
    if (pages)
      columns = k.param(sizesOf(pages)[1]);
  }

  /// Position 32 * block + lane.
  Place of(OpBuilder &b, Value batch, Value block, Value lane) const {
    if (isRing)
      return {batch, halide::ModOp::create(b, loc, block, blocks), lane};
    if (!pages)
      return {batch, block, lane};
    std::optional<int64_t> size = capacity.asNumber();
    if (size && *size % kBlock == 0) {
      Value count = k.constant(b, *size / kBlock);
      Value page = arith::FloorDivSIOp::create(b, loc, block, count);
      return {sequenceOf(b, batch, page),
              halide::ModOp::create(b, loc, block, count), lane};
    }
    // A block has positions of several pages.
    Value count = k.size(capacity), width = k.constant(b, kBlock);
    Value position = arith::MulIOp::create(b, loc, block, width);
    position = arith::AddIOp::create(b, loc, position, lane);
    Value page = arith::FloorDivSIOp::create(b, loc, position, count);
    Value inPage = halide::ModOp::create(b, loc, position, count);
    return {sequenceOf(b, batch, page),
            arith::FloorDivSIOp::create(b, loc, inPage, width),
            halide::ModOp::create(b, loc, inPage, width)};
  }

private:
  // Keys of a whole block are read, also where the last page ends before.
  Value sequenceOf(OpBuilder &b, Value batch, Value page) const {
    Value last = arith::SubIOp::create(b, loc, columns, k.constant(b, 1));
    page = arith::MinSIOp::create(b, loc, page, last);
    page = arith::MaxSIOp::create(b, loc, page, k.constant(b, 0));
    return k.promiseBelow(b, k.readNumber(b, pages, {batch, page}), sequences);
  }

  KernelBuilder &k;
  Location loc;
  Value pages;
  bool isRing;
  SizeAttr capacity;
  Value sequences, blocks, columns;
};

} // namespace

static Value positionOf(KernelBuilder &k, OpBuilder &b,
                        const Places::Place &place) {
  Value first =
      arith::MulIOp::create(b, k.loc(), place.block, k.constant(b, kBlock));
  return arith::AddIOp::create(b, k.loc(), first, place.lane);
}

//===-- heddle.cache.append -----------------------------------------------===//

namespace {

/// For all tokens s < lengths(b), with p = starts(b) + s:
///   keys(p mod 32, d, p / 32, h, b) = key(b, s, h * dimension + d)
///   values(d, p, h, b) = value(b, s, h * dimension + d)
///   scales(p, h, b) = scales(b, s, h)
class AppendLowering {
public:
  AppendLowering(KernelBuilder &k, CacheAppendOp op)
      : k(k), op(op), loc(k.loc()), type(op.getCache().getType()),
        places(k, op.getCache(), op.getPages(), op.getRing()) {}

  void run() {
    KernelBuilder::CacheFuncs funcs;
    for (CachePart part : type.getParts())
      funcs[part] = scatter(part);
    k.setCache(op.getResult(), std::move(funcs));
  }

private:
  std::string scatter(CachePart part) {
    Value source = op.getSourceOf(part);
    Type element = type.getTypeOf(part);
    auto undefined = [&](OpBuilder &b, ValueRange) -> Value {
      return halide::UndefOp::create(b, loc, element);
    };
    SmallVector<StringRef> vars;
    if (part == CachePart::Keys)
      vars = {"lane", kAppendChannelVar, "block"};
    else if (part == CachePart::Values)
      vars = {kAppendChannelVar, "position"};
    else
      vars = {"position"};
    llvm::append_values(vars, StringRef(kAppendHeadVar), StringRef("b"));
    halide::FuncOp func = k.func(nameOf(part), vars, element, undefined);
    func.setReduction(halide::Reduction::Scatter);
    KernelBuilder::Range ranges[] = {
        k.rangeOf(kAppendTokenVar, sizesOf(op.getKey())[1]),
        k.rangeOf(kAppendSequenceVar, sizesOf(op.getKey())[0])};
    k.update(func, ranges, [&](OpBuilder &b, ValueRange v) {
      Value token = v[v.size() - 2], batch = v.back(), head = v[v.size() - 4];
      Places::Place place = placeOf(b, batch, token);
      SmallVector<Value> at;
      Value channel = head;
      if (part == CachePart::Keys || part == CachePart::Values) {
        Value d = v[part == CachePart::Keys ? 1 : 0];
        Value base = arith::MulIOp::create(b, loc, head,
                                           k.constant(b, type.getDimOf(part)));
        channel = arith::AddIOp::create(b, loc, base, d);
        at = {d};
      }
      if (part == CachePart::Keys)
        at = {place.lane, at[0], place.block};
      else
        at.push_back(positionOf(k, b, place));
      llvm::append_values(at, head, place.sequence);
      Value stored = k.read(b, source, {batch, token, channel});
      if (stored.getType() != element) {
        auto rounded = arith::TruncFOp::create(b, loc, element, stored);
        rounded->setAttr(halide::kStrictAttr, b.getUnitAttr());
        stored = rounded;
      }
      halide::YieldOp::create(b, loc, stored, at);
    });
    return func.getSymName().str();
  }

  static StringRef nameOf(CachePart part) {
    switch (part) {
    case CachePart::Keys:
      return "keys";
    case CachePart::Values:
      return "values";
    case CachePart::KeyScales:
      return "key_scales";
    case CachePart::ValueScales:
      return "value_scales";
    }
    llvm_unreachable("covered switch");
  }

  // After a halide.where on valid tokens.
  Places::Place placeOf(OpBuilder &b, Value batch, Value token) {
    if (op.getLengths()) {
      Value length = k.readNumber(b, op.getLengths(), batch);
      halide::WhereOp::create(b, loc,
                              arith::CmpIOp::create(b, loc,
                                                    arith::CmpIPredicate::slt,
                                                    token, length));
    }
    Value position = token;
    if (op.getStarts())
      position = arith::AddIOp::create(
          b, loc, k.readNumber(b, op.getStarts(), batch), token);
    if (!op.getPages() && !op.getRing())
      position =
          k.promiseBelow(b, position, k.param(sizesOf(op.getCache())[1]));
    Value width = k.constant(b, kBlock);
    Value block = arith::FloorDivSIOp::create(b, loc, position, width);
    Value lane = halide::ModOp::create(b, loc, position, width);
    return places.of(b, batch, block, lane);
  }

  KernelBuilder &k;
  CacheAppendOp op;
  Location loc;
  CacheType type;
  Places places;
};

} // namespace

static void lower(KernelBuilder &k, CacheAppendOp op) {
  AppendLowering(k, op).run();
}

//===-- heddle.cache.read -------------------------------------------------===//

static void lower(KernelBuilder &k, CacheReadOp op) {
  Location loc = k.loc();
  CacheType cache = op.getCache().getType();
  auto argument = cast<BlockArgument>(op.getCache());
  KernelBuilder::CacheFuncs inputs;
  SmallVector<CachePart> parts = cache.getParts();
  for (auto [number, part] : llvm::enumerate(parts)) {
    bool isOfKeys = part == CachePart::Keys || part == CachePart::KeyScales;
    if ((isOfKeys ? op.getKey() : op.getValue()).use_empty())
      continue;
    CacheBuffer buffer(k, op.getCache(), part);
    std::string symbol = k.unique(isOfKeys ? "keys" : "values");
    halide::InputOp::create(
        k.builder, loc, symbol, buffer.dynamic, buffer.extents, buffer.type,
        k.builder.getI64IntegerAttr(argument.getArgNumber()),
        k.builder.getI64IntegerAttr(number));
    inputs[part] = symbol;
  }
  Places places(k, op.getCache(), op.getPages(), bool(op.getRingAttr()));
  auto readStored = [=, &k](CachePart part) {
    return [=, &k](OpBuilder &b, Value batch, Value head, Value block,
                   Value lane, Value channel) -> Value {
      Places::Place place = places.of(b, batch, block, lane);
      SmallVector<Value> at{channel, positionOf(k, b, place)};
      if (part == CachePart::Keys)
        at = {place.lane, channel, place.block};
      llvm::append_values(at, head, place.sequence);
      return k.access(b, inputs.at(part), cache.getTypeOf(part), at);
    };
  };
  auto widen = [=, &k](const KernelBuilder::CachedRead::Element &read) {
    return [=, &k](OpBuilder &b, Value batch, Value head, Value block,
                   Value lane, Value channel) -> Value {
      Value stored = read(b, batch, head, block, lane, channel);
      if (!stored.getType().isInteger())
        return k.toF32(b, stored);
      return arith::SIToFPOp::create(b, loc, b.getF32Type(), stored);
    };
  };
  auto readScale = [=, &k](CachePart scales) {
    return [=, &k](OpBuilder &b, Value batch, Value head, Value block,
                   Value lane) -> Value {
      Places::Place place = places.of(b, batch, block, lane);
      return k.access(b, inputs.at(scales), b.getF32Type(),
                      {positionOf(k, b, place), head, place.sequence});
    };
  };
  auto set = [&](Value result, CachePart part, CachePart scales) {
    KernelBuilder::CachedRead cached{readStored(part), {}, {}};
    cached.element = widen(cached.stored);
    if (cache.getTypeOf(part).isInteger())
      cached.scale = readScale(scales);
    int64_t dim = cache.getDimOf(part);
    k.setInline(result, [=, &k](OpBuilder &b, ArrayRef<Value> at) -> Value {
      Value width = k.constant(b, kBlock), channels = k.constant(b, dim);
      Value head = arith::FloorDivSIOp::create(b, loc, at[2], channels),
            block = arith::FloorDivSIOp::create(b, loc, at[1], width),
            lane = halide::ModOp::create(b, loc, at[1], width),
            channel = halide::ModOp::create(b, loc, at[2], channels);
      Value element = cached.element(b, at[0], head, block, lane, channel);
      if (!cached.scale)
        return element;
      return arith::MulFOp::create(b, loc, element,
                                   cached.scale(b, at[0], head, block, lane));
    });
    k.setCached(result, cached);
  };
  set(op.getKey(), CachePart::Keys, CachePart::KeyScales);
  set(op.getValue(), CachePart::Values, CachePart::ValueScales);
}

void heddle::registerCacheLowerings(MLIRContext *context) {
  CacheAppendOp::attachInterface<LoweringModel<CacheAppendOp, lower>>(*context);
  CacheReadOp::attachInterface<LoweringModel<CacheReadOp, lower>>(*context);
}
