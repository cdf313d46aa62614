// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a formula keeps of a tile follows from what its masks keep:
//
//            keepsAny        keepsAll
//   a and b  a.any and b.any a.all and b.all
//   a or b   a.any or b.any  a.all or b.all
//   not a    not a.all       not a.any

#include "compiler/Lowering/MaskLowering.h"

using namespace mlir;
using namespace heddle;

using Point = MaskField::Point;
using Tile = MaskField::Tile;

// A limit of keys, which may be any integer, from none to all of them. Halide
// moves what is added to a maximum or a comparison to its other side, where a
// number near the smallest integer overflows.
Value heddle::clampLimit(KernelBuilder &k, OpBuilder &b, Value limit) {
  limit = arith::MaxSIOp::create(b, k.loc(), limit, k.constant(b, 0));
  return arith::MinSIOp::create(b, k.loc(), limit, k.keyCount);
}

template <typename Logic, typename Function>
static Function combine(Location loc, const Function &lhs,
                        const Function &rhs) {
  return [=](OpBuilder &b, const auto &at) -> Value {
    Value left = lhs(b, at), right = rhs(b, at);
    return Logic::create(b, loc, left, right);
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

using Prepare = std::function<void(const MaskField::Rows &)>;

static Prepare prepareBoth(const Prepare &x, const Prepare &y) {
  if (!x || !y)
    return x ? x : y;
  return [=](const MaskField::Rows &rows) {
    x(rows);
    y(rows);
  };
}

MaskField heddle::combineAnd(KernelBuilder &k, const MaskField &x,
                             const MaskField &y) {
  Location loc = k.loc();
  return {combine<arith::AndIOp>(loc, x.keeps, y.keeps),
          combine<arith::AndIOp>(loc, x.keepsAny, y.keepsAny),
          combine<arith::AndIOp>(loc, x.keepsAll, y.keepsAll),
          combineBounds<arith::MaxSIOp>(loc, x.begin, y.begin, false),
          combineBounds<arith::MinSIOp>(loc, x.end, y.end, false),
          prepareBoth(x.prepare, y.prepare),
          prepareBoth(x.prepareBounds, y.prepareBounds)};
}

static MaskField lowerAnd(KernelBuilder &k, AndMaskOp op) {
  return combineAnd(k, k.mask(op.getLhs()), k.mask(op.getRhs()));
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
                                        clampBound(k, y.end), true),
          prepareBoth(x.prepare, y.prepare),
          prepareBoth(x.prepareBounds, y.prepareBounds)};
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
  mask.prepare = operand.prepare;
  mask.prepareBounds = operand.prepareBounds;
  return mask;
}

void heddle::registerFormulaMaskLowerings(MLIRContext *context) {
  AndMaskOp::attachInterface<MaskModel<AndMaskOp, lowerAnd>>(*context);
  OrMaskOp::attachInterface<MaskModel<OrMaskOp, lowerOr>>(*context);
  NotMaskOp::attachInterface<MaskModel<NotMaskOp, lowerNot>>(*context);
}
