// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A mask becomes predicates over pairs of a query and a key, and over tiles of
// such pairs, of which attention skips those that keep none and compares
// nothing in those that keep all. What a formula keeps of a tile follows from
// what its masks keep:
//
//            keepsAny        keepsAll
//   a and b  a.any and b.any a.all and b.all
//   a or b   a.any or b.any  a.all or b.all
//   not a    not a.all       not a.any

#include "compiler/Lowering/LoweringInterface.h"

using namespace mlir;
using namespace heddle;

using Point = MaskField::Point;
using Tile = MaskField::Tile;

static Value emitCompare(KernelBuilder &k, OpBuilder &b,
                         arith::CmpIPredicate kind, Value lhs, Value rhs) {
  return arith::CmpIOp::create(b, k.loc(), kind, lhs, rhs);
}

// A limit of keys, which may be any integer, from none to all of them. Halide
// moves what is added to a maximum or a comparison to its other side, where a
// number near the smallest integer overflows.
static Value clampLimit(KernelBuilder &k, OpBuilder &b, Value limit) {
  limit = arith::MaxSIOp::create(b, k.loc(), limit, k.constant(b, 0));
  return arith::MinSIOp::create(b, k.loc(), limit, k.keyCount);
}

// keep = key <= query + offset(batch). The offset is any integer: one past the
// keys is limited to their number, with which each query keeps all, so that the
// sum does not overflow. That of a query and a negative number never does.
static MaskField lowerCausal(KernelBuilder &builder, CausalMaskOp op) {
  KernelBuilder *k = &builder;
  Location loc = k->loc();
  auto diagonal = [=](OpBuilder &b, Value batch, Value query) mutable -> Value {
    if (op.getOffset()) {
      Value offset = k->readNumber(b, op.getOffset(), batch);
      offset = arith::MinSIOp::create(b, loc, offset, k->keyCount);
      return arith::AddIOp::create(b, loc, query, offset);
    }
    if (*op.getAlign() == Alignment::TopLeft)
      return query;
    Value shift = arith::SubIOp::create(b, loc, k->keyCount, k->queryCount);
    return arith::AddIOp::create(b, loc, query, shift);
  };
  auto isUpTo = [=](OpBuilder &b, Value batch, Value query,
                    Value key) mutable -> Value {
    return emitCompare(*k, b, arith::CmpIPredicate::sle, key,
                       diagonal(b, batch, query));
  };
  MaskField mask;
  mask.keeps = [=](OpBuilder &b, const Point &at) mutable {
    return isUpTo(b, at.batch, at.query, at.key);
  };
  mask.keepsAny = [=](OpBuilder &b, const Tile &tile) mutable {
    return isUpTo(b, tile.batch, tile.lastQuery, tile.firstKey);
  };
  mask.keepsAll = [=](OpBuilder &b, const Tile &tile) mutable {
    return isUpTo(b, tile.batch, tile.firstQuery, tile.lastKey);
  };
  mask.end = [=](OpBuilder &b, const Tile &tile) mutable -> Value {
    return arith::AddIOp::create(
        b, loc, diagonal(b, tile.batch, tile.lastQuery), k->constant(b, 1));
  };
  return mask;
}

// keep = key < lengths(batch)
static MaskField lowerLengths(KernelBuilder &builder, LengthsMaskOp op) {
  KernelBuilder *k = &builder;
  auto length = [=](OpBuilder &b, Value batch) mutable {
    return k->readNumber(b, op.getLengths(), batch);
  };
  auto isBelow = [=](OpBuilder &b, Value batch, Value key) mutable {
    return emitCompare(*k, b, arith::CmpIPredicate::slt, key,
                       clampLimit(*k, b, length(b, batch)));
  };
  MaskField mask;
  mask.keeps = [=](OpBuilder &b, const Point &at) mutable {
    return isBelow(b, at.batch, at.key);
  };
  mask.keepsAny = [=](OpBuilder &b, const Tile &tile) mutable {
    return isBelow(b, tile.batch, tile.firstKey);
  };
  mask.keepsAll = [=](OpBuilder &b, const Tile &tile) mutable {
    return isBelow(b, tile.batch, tile.lastKey);
  };
  mask.end = [=](OpBuilder &b, const Tile &tile) mutable {
    return length(b, tile.batch);
  };
  return mask;
}

//===-- Formulas ----------------------------------------------------------===//

template <typename Logic, typename Function>
static Function combine(Location loc, const Function &lhs,
                        const Function &rhs) {
  return [=](OpBuilder &b, const auto &at) -> Value {
    return Logic::create(b, loc, lhs(b, at), rhs(b, at));
  };
}

// Where only one bound is known it is that one, unless both are needed.
template <typename Extremum>
static MaskField::TilePredicate
combineBounds(Location loc, const MaskField::TilePredicate &lhs,
              const MaskField::TilePredicate &rhs, bool needsBoth) {
  if (lhs && rhs)
    return combine<Extremum>(loc, lhs, rhs);
  if (needsBoth)
    return {};
  return lhs ? lhs : rhs;
}

// With a bound that is not negative Halide divides attention's loops in ways
// that take longer (6% of a call), so that other bounds are as they are.
static MaskField::TilePredicate
clampBound(KernelBuilder &k, const MaskField::TilePredicate &bound) {
  if (!bound)
    return {};
  KernelBuilder *builder = &k;
  return [=](OpBuilder &b, const Tile &tile) -> Value {
    return clampLimit(*builder, b, bound(b, tile));
  };
}

static MaskField lowerAnd(KernelBuilder &k, AndMaskOp op) {
  const MaskField &x = k.mask(op.getLhs()), &y = k.mask(op.getRhs());
  Location loc = k.loc();
  return {combine<arith::AndIOp>(loc, x.keeps, y.keeps),
          combine<arith::AndIOp>(loc, x.keepsAny, y.keepsAny),
          combine<arith::AndIOp>(loc, x.keepsAll, y.keepsAll),
          combineBounds<arith::MaxSIOp>(loc, x.begin, y.begin, false),
          combineBounds<arith::MinSIOp>(loc, x.end, y.end, false)};
}

static MaskField lowerOr(KernelBuilder &k, OrMaskOp op) {
  const MaskField &x = k.mask(op.getLhs()), &y = k.mask(op.getRhs());
  Location loc = k.loc();
  return {combine<arith::OrIOp>(loc, x.keeps, y.keeps),
          combine<arith::OrIOp>(loc, x.keepsAny, y.keepsAny),
          combine<arith::OrIOp>(loc, x.keepsAll, y.keepsAll),
          combineBounds<arith::MinSIOp>(loc, clampBound(k, x.begin),
                                        clampBound(k, y.begin), true),
          combineBounds<arith::MaxSIOp>(loc, clampBound(k, x.end),
                                        clampBound(k, y.end), true)};
}

static MaskField lowerNot(KernelBuilder &k, NotMaskOp op) {
  const MaskField &operand = k.mask(op.getOperand());
  Location loc = k.loc();
  auto negate = [=](const auto &predicate) {
    return [=](OpBuilder &b, const auto &at) -> Value {
      Value isTrue = arith::ConstantIntOp::create(b, loc, 1, 1);
      return arith::XOrIOp::create(b, loc, predicate(b, at), isTrue);
    };
  };
  MaskField mask;
  mask.keeps = negate(operand.keeps);
  mask.keepsAny = negate(operand.keepsAll);
  mask.keepsAll = negate(operand.keepsAny);
  return mask;
}

//===-- Models ------------------------------------------------------------===//

static auto asTuple(const Point &at) {
  return std::make_tuple(at.batch, at.head, at.query, at.key);
}

static auto asTuple(const Tile &tile) {
  return std::make_tuple(tile.batch, tile.firstHead, tile.lastHead,
                         tile.firstQuery, tile.lastQuery, tile.firstKey,
                         tile.lastKey);
}

// What is emitted again at the same place for the same arguments is there
// already: masks that several masks share would be emitted once for each path
// to them.
template <typename Where>
static std::function<Value(OpBuilder &, const Where &)>
remember(const std::function<Value(OpBuilder &, const Where &)> &emit) {
  if (!emit)
    return {};
  struct Last {
    Block *block = nullptr;
    Where where;
    Value value;
  };
  auto last = std::make_shared<Last>();
  return [=](OpBuilder &b, const Where &where) -> Value {
    if (last->block != b.getBlock() || asTuple(last->where) != asTuple(where))
      *last = {b.getBlock(), where, emit(b, where)};
    return last->value;
  };
}

namespace {
template <typename Op, MaskField (*Lower)(KernelBuilder &, Op)>
struct MaskModel
    : LoweringOpInterface::ExternalModel<MaskModel<Op, Lower>, Op> {
  void lower(Operation *op, KernelBuilder &k) const {
    MaskField mask = Lower(k, cast<Op>(op));
    k.setMask(op->getResult(0), {remember(mask.keeps), remember(mask.keepsAny),
                                 remember(mask.keepsAll), remember(mask.begin),
                                 remember(mask.end)});
  }
};
} // namespace

void heddle::registerMaskLowerings(MLIRContext *context) {
  CausalMaskOp::attachInterface<MaskModel<CausalMaskOp, lowerCausal>>(*context);
  LengthsMaskOp::attachInterface<MaskModel<LengthsMaskOp, lowerLengths>>(
      *context);
  AndMaskOp::attachInterface<MaskModel<AndMaskOp, lowerAnd>>(*context);
  OrMaskOp::attachInterface<MaskModel<OrMaskOp, lowerOr>>(*context);
  NotMaskOp::attachInterface<MaskModel<NotMaskOp, lowerNot>>(*context);
}
