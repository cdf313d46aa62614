// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A mask becomes a predicate over (batch, query, key) and, where one is known,
// a bound on the keys that a range of queries can keep.

#include "compiler/Lowering/LoweringInterface.h"

using namespace mlir;
using namespace heddle;

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
static MaskField lowerCausal(KernelBuilder &k, CausalMaskOp op) {
  KernelBuilder *builder = &k;
  Location loc = k.loc();
  auto diagonal = [builder, loc, op](OpBuilder &b, Value batch,
                                     Value query) mutable -> Value {
    KernelBuilder &k = *builder;
    if (op.getOffset()) {
      Value offset = k.readNumber(b, op.getOffset(), batch);
      offset = arith::MinSIOp::create(b, loc, offset, k.keyCount);
      return arith::AddIOp::create(b, loc, query, offset);
    }
    if (*op.getAlign() == Alignment::TopLeft)
      return query;
    Value shift = arith::SubIOp::create(b, loc, k.keyCount, k.queryCount);
    return arith::AddIOp::create(b, loc, query, shift);
  };
  MaskField mask;
  mask.keeps = [=](OpBuilder &b, Value batch, Value query, Value key) mutable {
    return emitCompare(*builder, b, arith::CmpIPredicate::sle, key,
                       diagonal(b, batch, query));
  };
  mask.upperBound = [=](OpBuilder &b, Value batch, Value,
                        Value last) mutable -> Value {
    return arith::AddIOp::create(b, loc, diagonal(b, batch, last),
                                 builder->constant(b, 1));
  };
  mask.fullBelow = [=](OpBuilder &b, Value batch, Value first,
                       Value) mutable -> Value {
    return arith::AddIOp::create(b, loc, diagonal(b, batch, first),
                                 builder->constant(b, 1));
  };
  return mask;
}

// keep = key < lengths(batch)
static MaskField lowerLengths(KernelBuilder &k, LengthsMaskOp op) {
  KernelBuilder *builder = &k;
  auto length = [builder, op](OpBuilder &b, Value batch) mutable {
    return builder->readNumber(b, op.getLengths(), batch);
  };
  MaskField mask;
  mask.keeps = [=](OpBuilder &b, Value batch, Value, Value key) mutable {
    return emitCompare(*builder, b, arith::CmpIPredicate::slt, key,
                       clampLimit(*builder, b, length(b, batch)));
  };
  mask.upperBound = [=](OpBuilder &b, Value batch, Value, Value) mutable {
    return length(b, batch);
  };
  mask.fullBelow = mask.upperBound;
  return mask;
}

// The bound of `Op` of two masks; where only one is known it is that one,
// unless both are needed.
template <typename Op>
static MaskField::Bound combineBounds(Location loc, const MaskField::Bound &lhs,
                                      const MaskField::Bound &rhs,
                                      bool needsBoth) {
  if (lhs && rhs)
    return [=](OpBuilder &b, Value batch, Value first, Value last) -> Value {
      return Op::create(b, loc, lhs(b, batch, first, last),
                        rhs(b, batch, first, last));
    };
  if (needsBoth)
    return {};
  return lhs ? lhs : rhs;
}

// With a bound that is not negative Halide divides attention's loops in ways
// that take longer (6% of a call), so that other bounds are as they are.
static MaskField::Bound clampBound(KernelBuilder &k,
                                   const MaskField::Bound &bound) {
  if (!bound)
    return {};
  KernelBuilder *builder = &k;
  return [=](OpBuilder &b, Value batch, Value first, Value last) -> Value {
    return clampLimit(*builder, b, bound(b, batch, first, last));
  };
}

template <typename Logic>
static MaskField::Predicate combineKeeps(Location loc, const MaskField &lhs,
                                         const MaskField &rhs) {
  return [=](OpBuilder &b, Value batch, Value query, Value key) -> Value {
    return Logic::create(b, loc, lhs.keeps(b, batch, query, key),
                         rhs.keeps(b, batch, query, key));
  };
}

// `and` keeps fewer keys: the smaller of both bounds. A bound that is not known
// is all keys from above, and none from below.
static MaskField lowerAnd(KernelBuilder &k, AndMaskOp op) {
  MaskField lhs = k.mask(op.getLhs()), rhs = k.mask(op.getRhs());
  Location loc = k.loc();
  return {combineKeeps<arith::AndIOp>(loc, lhs, rhs),
          combineBounds<arith::MinSIOp>(loc, lhs.upperBound, rhs.upperBound,
                                        /*needsBoth=*/false),
          combineBounds<arith::MinSIOp>(loc, lhs.fullBelow, rhs.fullBelow,
                                        /*needsBoth=*/true)};
}

// `or` keeps more: the larger.
static MaskField lowerOr(KernelBuilder &k, OrMaskOp op) {
  MaskField lhs = k.mask(op.getLhs()), rhs = k.mask(op.getRhs());
  Location loc = k.loc();
  return {combineKeeps<arith::OrIOp>(loc, lhs, rhs),
          combineBounds<arith::MaxSIOp>(loc, clampBound(k, lhs.upperBound),
                                        clampBound(k, rhs.upperBound),
                                        /*needsBoth=*/true),
          combineBounds<arith::MaxSIOp>(loc, clampBound(k, lhs.fullBelow),
                                        clampBound(k, rhs.fullBelow),
                                        /*needsBoth=*/false)};
}

static MaskField lowerNot(KernelBuilder &k, NotMaskOp op) {
  MaskField operand = k.mask(op.getOperand());
  KernelBuilder *builder = &k;
  MaskField mask;
  mask.keeps = [=](OpBuilder &b, Value batch, Value query, Value key) -> Value {
    Value isTrue = arith::ConstantIntOp::create(b, builder->loc(), 1, 1);
    return arith::XOrIOp::create(b, builder->loc(),
                                 operand.keeps(b, batch, query, key), isTrue);
  };
  return mask;
}

// What is emitted again at the same place for the same arguments is there
// already: masks that several masks share would be emitted once for each path
// to them.
template <typename... Values>
static std::function<Value(OpBuilder &, Values...)>
remember(const std::function<Value(OpBuilder &, Values...)> &emit) {
  if (!emit)
    return {};
  struct Last {
    Block *block = nullptr;
    std::tuple<Values...> arguments;
    Value value;
  };
  auto last = std::make_shared<Last>();
  return [=](OpBuilder &b, Values... arguments) -> Value {
    std::tuple<Values...> now(arguments...);
    if (last->block != b.getBlock() || last->arguments != now)
      *last = {b.getBlock(), now, emit(b, arguments...)};
    return last->value;
  };
}

namespace {
template <typename Op, MaskField (*Lower)(KernelBuilder &, Op)>
struct MaskModel
    : LoweringOpInterface::ExternalModel<MaskModel<Op, Lower>, Op> {
  void lower(Operation *op, KernelBuilder &k) const {
    MaskField mask = Lower(k, cast<Op>(op));
    k.setMask(op->getResult(0),
              {remember(mask.keeps), remember(mask.upperBound),
               remember(mask.fullBelow)});
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
