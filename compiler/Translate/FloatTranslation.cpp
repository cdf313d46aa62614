// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Translate/ScalarTranslation.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;
using Halide::Expr;

// One operand hidden is enough: of two Halide would see that they are equal.
static Expr isLess(const Expr &a, const Expr &b) {
  return Halide::strict_float(Halide::Internal::is_const(a) ? a < hidden(b)
                                                            : hidden(a) < b);
}

static Expr isEqual(const Expr &a, const Expr &b) {
  return Halide::strict_float(Halide::Internal::is_const(a) ? a == hidden(b)
                                                            : hidden(a) == b);
}

// Of <= and != Halide makes !(b < a) and !(a == b) even there, which hold of
// NaN, so these are all made of < and ==.
static Expr compare(arith::CmpFPredicate predicate, const Expr &a,
                    const Expr &b) {
  using Predicate = arith::CmpFPredicate;
  auto holds = [&](Predicate other) { return compare(other, a, b); };
  switch (predicate) {
  case Predicate::AlwaysFalse:
    return Halide::Internal::const_false();
  case Predicate::OEQ:
    return isEqual(a, b);
  case Predicate::OLT:
    return isLess(a, b);
  case Predicate::OLE:
    return isLess(a, b) || isEqual(a, b);
  case Predicate::ONE:
    return isLess(a, b) || isLess(b, a);
  case Predicate::ORD:
    return isEqual(a, a) && isEqual(b, b);
  case Predicate::OGT:
    return isLess(b, a);
  case Predicate::OGE:
    return isLess(b, a) || isEqual(a, b);
  case Predicate::UEQ:
    return !holds(Predicate::ONE);
  case Predicate::UGT:
    return !holds(Predicate::OLE);
  case Predicate::UGE:
    return !holds(Predicate::OLT);
  case Predicate::ULT:
    return !holds(Predicate::OGE);
  case Predicate::ULE:
    return !holds(Predicate::OGT);
  case Predicate::UNE:
    return !holds(Predicate::OEQ);
  case Predicate::UNO:
    return !holds(Predicate::ORD);
  case Predicate::AlwaysTrue:
    return Halide::Internal::const_true();
  }
  llvm_unreachable("all predicates are covered");
}

static Expr choose(const Expr &condition, const Expr &a, const Expr &b) {
  return Halide::strict_float(Halide::select(condition, a, b));
}

// The other operand where one is NaN.
static Expr maxNum(const Expr &a, const Expr &b) {
  return choose(isLess(b, a) || !isEqual(b, b), a, b);
}

static Expr minNum(const Expr &a, const Expr &b) {
  return choose(isLess(a, b) || !isEqual(b, b), a, b);
}

// NaN where an operand is. Equal numbers are the same but for the signs of
// zeros, of which a maximum has both and a minimum either.
static Expr extremum(bool isMaximum, const Expr &a, const Expr &b) {
  Expr x = Halide::reinterpret(Halide::UInt(a.type().bits()), a);
  Expr y = Halide::reinterpret(x.type(), b);
  Expr equal =
      Halide::reinterpret(a.type(), isMaximum ? Expr(x & y) : Expr(x | y));
  Expr other = choose(isMaximum ? isLess(b, a) : isLess(a, b), a, b);
  return choose(isEqual(a, a), choose(isEqual(a, b), equal, other), a);
}

// The same of `b`, a number that is the operand of a constant: one comparison.
static Expr extremumWith(const llvm::APFloat &number, bool isMaximum,
                         const Expr &a, const Expr &b) {
  Expr isBeyond = isMaximum ? isLess(a, b) : isLess(b, a);
  if (number.isZero() && number.isNegative() != isMaximum)
    isBeyond = isBeyond || isEqual(a, b);
  return choose(isBeyond, b, a);
}

static Expr translateExtremum(Operation *op, const Expr &a, const Expr &b) {
  bool isMaximum = isa<arith::MaximumFOp>(op);
  if (!isStrict(op))
    return isMaximum ? Halide::max(a, b) : Halide::min(a, b);
  llvm::APFloat number(0.0f);
  if (matchPattern(op->getOperand(1), m_ConstantFloat(&number)) &&
      !number.isNaN())
    return extremumWith(number, isMaximum, a, b);
  return extremum(isMaximum, a, b);
}

// Halide's own is 0 - x, which of 0 is 0.
static Expr negate(const Expr &x) {
  Halide::Type bits = Halide::UInt(x.type().bits());
  Expr sign =
      Halide::Internal::make_const(bits, uint64_t(1) << (bits.bits() - 1));
  return Halide::reinterpret(x.type(), Halide::reinterpret(bits, x) ^ sign);
}

// Halide's own of an f64 -0 is -0.
static Expr absolute(const Expr &x) {
  if (x.type().bits() < 64)
    return Halide::abs(x);
  Halide::Type bits = Halide::UInt(64);
  Expr others = Halide::Internal::make_const(bits, uint64_t(INT64_MAX));
  return Halide::reinterpret(x.type(), Halide::reinterpret(bits, x) & others);
}

static Expr compute(Operation *op, ArrayRef<Expr> o) {
  return llvm::TypeSwitch<Operation *, Expr>(op)
      .Case([&](arith::AddFOp) { return o[0] + o[1]; })
      .Case([&](arith::SubFOp) { return o[0] - o[1]; })
      .Case([&](arith::MulFOp) { return o[0] * o[1]; })
      .Case([&](arith::DivFOp) { return o[0] / o[1]; })
      .Case([&](arith::NegFOp) { return negate(o[0]); })
      .Case([&](math::RoundEvenOp) { return Halide::round(o[0]); })
      .Case([&](math::FloorOp) { return Halide::floor(o[0]); })
      .Case([&](math::CeilOp) { return Halide::ceil(o[0]); })
      .Case([&](math::TruncOp) { return Halide::trunc(o[0]); })
      .Case([&](math::SqrtOp) { return Halide::sqrt(o[0]); })
      .Case([&](math::AbsFOp) { return absolute(o[0]); })
      .Default(Expr());
}

Expr heddle::translateFloat(Operation *op, ArrayRef<Expr> o) {
  if (auto cmp = dyn_cast<arith::CmpFOp>(op))
    return compare(cmp.getPredicate(), o[0], o[1]);
  if (isa<arith::MaxNumFOp>(op))
    return maxNum(o[0], o[1]);
  if (isa<arith::MinNumFOp>(op))
    return minNum(o[0], o[1]);
  if (isa<arith::MaximumFOp, arith::MinimumFOp>(op))
    return translateExtremum(op, o[0], o[1]);
  Expr value = compute(op, o);
  // Halide may make an instruction of the sum: SumsOfPairs.h
  if (op->hasAttr(halide::kReorderedAttr))
    return value;
  return value.defined() ? Halide::strict_float(value) : value;
}
