// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Translate/ScalarTranslation.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;
using Halide::Expr;

static Expr smallest(Halide::Type type) { return type.min(); }

//===-- Division ----------------------------------------------------------===//

namespace {
/// Quotient and remainder of division towards 0.
struct Division {
  Expr quotient, remainder;
};
} // namespace

// Halide folds what it adds to constants and subtracts from them, in 64 bits,
// and such numbers overflow: it refuses largest ones, and took the smallest
// ones of i64 for -1. So it gets no divisor that nothing has twice inside.
static bool isLarge(const Expr &divisor) {
  const int64_t *known = Halide::Internal::as_const_int(divisor);
  int64_t half = int64_t(1) << (divisor.type().bits() - 2);
  return known && (*known > half || *known < -half);
}

static Division divideByLarge(const Expr &x, const Expr &y) {
  auto number = [&](int value) {
    return Halide::Internal::make_const(x.type(), value);
  };
  bool isNegative = Halide::Internal::is_negative_const(y);
  Expr opposite = asSigned(asUnsigned(number(0)) - asUnsigned(y));
  Expr isOne = isNegative ? x <= y : x >= y;
  Expr isMinusOne = isNegative ? x >= opposite : x <= opposite;
  // The smallest number has no opposite.
  if (Halide::Internal::equal(y, smallest(y.type())))
    isMinusOne = Halide::Internal::const_false();
  auto less = [&](const Expr &other) {
    return asSigned(asUnsigned(x) - asUnsigned(other));
  };
  return {Halide::select(isOne, number(1), isMinusOne, number(-1), number(0)),
          Halide::select(isOne, less(y), isMinusOne, less(opposite), x)};
}

// Nor can it have all dividends. Unsigned numbers may overflow, and it defines
// their x / 0 and x % 0 as 0.
static Division divideConstant(const Expr &x, const Expr &y) {
  Expr isNegative = x < 0,
       zero = Halide::Internal::make_zero(asUnsigned(x).type());
  auto negated = [&](const Expr &condition, const Expr &number) {
    return Halide::select(condition, zero - number, number);
  };
  Expr dividend = negated(isNegative, asUnsigned(x));
  Expr divisor = negated(y < 0, asUnsigned(y));
  return {asSigned(negated(isNegative != (y < 0), dividend / divisor)),
          asSigned(negated(isNegative, dividend % divisor))};
}

// CPUs trap where the divisor is 0 or the quotient is none of the type. 1 takes
// the divisor's place there: it gives the right remainder, and the quotient
// that wraps around. Halide 14 gives div_round_to_zero by constants from 3 to
// 255 the wrong sign; what has no remainder is divided alike in any direction.
static Division divide(const Expr &x, const Expr &y) {
  if (isLarge(y))
    return divideByLarge(x, y);
  if (Halide::Internal::is_const(x))
    return divideConstant(x, y);
  Expr isZero = y == 0;
  // Of numbers with a sign Halide subtracts one from the other, which
  // overflows.
  Expr isSmallest = asUnsigned(x) == asUnsigned(smallest(x.type()));
  Expr overflows = isSmallest && y == -1;
  Expr divisor = Halide::select(isZero || overflows, 1, y);
  Expr remainder = Halide::mod_round_to_zero(x, divisor);
  return {Halide::select(isZero, 0, (x - remainder) / divisor), remainder};
}

static Expr one(const Expr &like) {
  return Halide::Internal::make_one(like.type());
}

static Expr floorDivide(const Expr &x, const Expr &y) {
  Division d = divide(x, y);
  Expr roundsUp = d.remainder != 0 && (d.remainder < 0) != (y < 0);
  return Halide::select(roundsUp, d.quotient - one(x), d.quotient);
}

static Expr ceilDivide(const Expr &x, const Expr &y) {
  Division d = divide(x, y);
  Expr roundsDown = d.remainder != 0 && (d.remainder < 0) == (y < 0);
  return Halide::select(roundsDown, d.quotient + one(x), d.quotient);
}

// Halide defines x / 0 and x % 0 as 0.
static Expr ceilDivideUnsigned(const Expr &x, const Expr &y) {
  return Halide::select(x % y != 0, x / y + one(x), x / y);
}

//===-- The table ---------------------------------------------------------===//

// Halide knows that unsigned integers wrap around; of signed ones it assumes
// that they do not.
static Expr wrapped(Operation *op, const Expr &a, const Expr &b,
                    Expr (*combine)(const Expr &, const Expr &)) {
  if (!isStrict(op))
    return combine(a, b);
  return asSigned(combine(asUnsigned(a), asUnsigned(b)));
}

// A shift by as many bits as there are, or more, leaves none; one of signed
// numbers to the right leaves the sign. Halide's, as CPUs', may be anything
// then.
static Expr lastBit(const Expr &count) {
  return Halide::Internal::make_const(asUnsigned(count).type(),
                                      count.type().bits() - 1);
}

static Expr shiftUnsigned(const Expr &a, const Expr &b,
                          Expr (*shift)(const Expr &, const Expr &)) {
  Expr count = asUnsigned(b), last = lastBit(b);
  Expr shifted = shift(asUnsigned(a), count & last);
  return asSigned(Halide::select(count <= last, shifted,
                                 Halide::Internal::make_zero(shifted.type())));
}

static Expr shiftSigned(const Expr &a, const Expr &b) {
  return a >> Halide::min(asUnsigned(b), lastBit(b));
}

static Expr shiftLeft(Operation *op, const Expr &a, const Expr &b) {
  if (!isStrict(op))
    return a << b;
  return shiftUnsigned(a, b,
                       [](const Expr &a, const Expr &b) { return a << b; });
}

static Expr compare(arith::CmpIPredicate predicate, Expr a, Expr b) {
  using Predicate = arith::CmpIPredicate;
  if (predicate >= Predicate::ult) {
    a = asUnsigned(a);
    b = asUnsigned(b);
  }
  switch (predicate) {
  case Predicate::eq:
    return a == b;
  case Predicate::ne:
    return a != b;
  case Predicate::slt:
  case Predicate::ult:
    return a < b;
  case Predicate::sle:
  case Predicate::ule:
    return a <= b;
  case Predicate::sgt:
  case Predicate::ugt:
    return a > b;
  case Predicate::sge:
  case Predicate::uge:
    return a >= b;
  }
  llvm_unreachable("all predicates are covered");
}

// Halide bounds numbers with 64 bits, where differences of i64 wrap around:
// what is the smallest one or any other is never negative to it. It knows no
// bounds of bits.
static Expr withoutBounds(Operation *op, const Expr &a) {
  bool hasBounds = isStrict(op) && a.type().is_int() && a.type().bits() == 64;
  return hasBounds && !Halide::Internal::is_const(a) ? asSigned(asUnsigned(a))
                                                     : a;
}

static Expr binary(Operation *op, const Expr &left, const Expr &right) {
  Expr a = withoutBounds(op, left), b = withoutBounds(op, right);
  Expr x = asUnsigned(a), y = asUnsigned(b);
  return llvm::TypeSwitch<Operation *, Expr>(op)
      .Case([&](arith::AddIOp) {
        return wrapped(op, a, b,
                       [](const Expr &a, const Expr &b) { return a + b; });
      })
      .Case([&](arith::SubIOp) {
        return wrapped(op, a, b,
                       [](const Expr &a, const Expr &b) { return a - b; });
      })
      .Case([&](arith::MulIOp) {
        return wrapped(op, a, b,
                       [](const Expr &a, const Expr &b) { return a * b; });
      })
      .Case([&](arith::DivSIOp) { return divide(a, b).quotient; })
      .Case([&](arith::RemSIOp) { return divide(a, b).remainder; })
      .Case([&](arith::FloorDivSIOp) {
        return isStrict(op) || isLarge(b) ? floorDivide(a, b) : a / b;
      })
      .Case([&](arith::CeilDivSIOp) { return ceilDivide(a, b); })
      .Case([&](arith::DivUIOp) { return asSigned(x / y); })
      .Case([&](arith::RemUIOp) { return asSigned(x % y); })
      .Case([&](arith::CeilDivUIOp) {
        return asSigned(ceilDivideUnsigned(x, y));
      })
      .Case([&](arith::MaxSIOp) { return Halide::max(a, b); })
      .Case([&](arith::MinSIOp) { return Halide::min(a, b); })
      .Case([&](arith::MaxUIOp) { return asSigned(Halide::max(x, y)); })
      .Case([&](arith::MinUIOp) { return asSigned(Halide::min(x, y)); })
      .Case([&](arith::ShLIOp) { return shiftLeft(op, a, b); })
      .Case([&](arith::ShRUIOp) {
        return shiftUnsigned(
            a, b, [](const Expr &a, const Expr &b) { return a >> b; });
      })
      .Case([&](arith::ShRSIOp) { return shiftSigned(a, b); })
      .Case([&](arith::AndIOp) { return a & b; })
      .Case([&](arith::OrIOp) { return a | b; })
      .Case([&](arith::XOrIOp) { return a ^ b; })
      .Case([&](arith::CmpIOp op) { return compare(op.getPredicate(), a, b); })
      .Default(Expr());
}

// Halide leaves open what zeros 0 begins or ends with.
static Expr orWidthOf0(const Expr &count, const Expr &a) {
  return Halide::select(a == 0,
                        Halide::Internal::make_const(a.type(), a.type().bits()),
                        asSigned(count));
}

static Expr unary(Operation *op, const Expr &a) {
  Expr x = asUnsigned(a);
  return llvm::TypeSwitch<Operation *, Expr>(op)
      .Case([&](math::AbsIOp) { return asSigned(Halide::abs(a)); })
      .Case([&](math::CountLeadingZerosOp) {
        return orWidthOf0(Halide::count_leading_zeros(x), a);
      })
      .Case([&](math::CountTrailingZerosOp) {
        return orWidthOf0(Halide::count_trailing_zeros(x), a);
      })
      .Case([&](math::CtPopOp) { return asSigned(Halide::popcount(x)); })
      .Default(Expr());
}

// What differs between the signed -1 and the unsigned 1 that a set i1 is.
static bool isSigned(Operation *op) {
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return compare.getPredicate() < arith::CmpIPredicate::ult;
  return isa<arith::DivSIOp, arith::RemSIOp, arith::FloorDivSIOp,
             arith::CeilDivSIOp, arith::MaxSIOp, arith::MinSIOp,
             arith::ShRSIOp>(op);
}

static Expr translateBool(Operation *op, ArrayRef<Expr> o) {
  auto compare = dyn_cast<arith::CmpIOp>(op);
  if (isa<arith::AndIOp, arith::OrIOp, arith::XOrIOp>(op) ||
      (compare && (compare.getPredicate() == arith::CmpIPredicate::eq ||
                   compare.getPredicate() == arith::CmpIPredicate::ne)))
    return binary(op, o[0], o[1]);
  if (o.size() != 2)
    return Expr();
  auto widen = [&](const Expr &value) {
    return Halide::select(value, Expr(int8_t(isSigned(op) ? -1 : 1)),
                          Expr(int8_t(0)));
  };
  Expr value = binary(op, widen(o[0]), widen(o[1]));
  return !value.defined() || compare ? value : (value & 1) != 0;
}

Expr heddle::translateInteger(Operation *op, ArrayRef<Expr> o) {
  if (o[0].type().is_bool())
    return translateBool(op, o);
  if (o.size() == 1)
    return unary(op, o[0]);
  return o.size() == 2 ? binary(op, o[0], o[1]) : Expr();
}
