// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Host/EmitNumber.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;
using namespace heddle;

static Value constant(OpBuilder &b, Operation *op, TypedAttr value) {
  return arith::ConstantOp::create(b, op->getLoc(), value);
}

static Value isEqual(OpBuilder &b, Operation *op, Value x, int64_t number) {
  Value other = constant(b, op, b.getIntegerAttr(x.getType(), number));
  return arith::CmpIOp::create(b, op->getLoc(), arith::CmpIPredicate::eq, x,
                               other);
}

// `op` with other operands.
static Value copy(OpBuilder &b, Operation *op, ValueRange operands) {
  IRMapping mapping;
  mapping.map(op->getOperands(), operands);
  return b.clone(*op, mapping)->getResult(0);
}

// CPUs trap where the divisor is 0 or the quotient is none of the type. 1 takes
// the divisor's place there.
static Value divide(OpBuilder &b, Operation *op, Value x, Value y) {
  Location loc = op->getLoc();
  Type type = x.getType();
  unsigned bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  Value isZero = isEqual(b, op, y, 0);
  Value isOpen = isZero;
  if (!isa<arith::DivUIOp, arith::RemUIOp, arith::CeilDivUIOp>(op)) {
    Value isSmallest =
        isEqual(b, op, x, APInt::getSignedMinValue(bits).getSExtValue());
    Value overflows =
        arith::AndIOp::create(b, loc, isSmallest, isEqual(b, op, y, -1));
    isOpen = arith::OrIOp::create(b, loc, isZero, overflows);
  }
  Value one = constant(b, op, b.getIntegerAttr(type, 1));
  Value divisor = arith::SelectOp::create(b, loc, isOpen, one, y);
  Value result = copy(b, op, {x, divisor});
  if (isa<arith::RemSIOp, arith::RemUIOp>(op))
    return result;
  Value zero = constant(b, op, b.getIntegerAttr(type, 0));
  return arith::SelectOp::create(b, loc, isZero, zero, result);
}

static Value shift(OpBuilder &b, Operation *op, Value x, Value count) {
  Type type = x.getType();
  unsigned bits = type.isIndex() ? 64 : type.getIntOrFloatBitWidth();
  Location loc = op->getLoc();
  Value last = constant(b, op, b.getIntegerAttr(type, bits - 1));
  Value limited = arith::MinUIOp::create(b, loc, count, last);
  Value shifted = copy(b, op, {x, limited});
  if (isa<arith::ShRSIOp>(op))
    return shifted;
  Value isInside =
      arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, count, limited);
  Value zero = constant(b, op, b.getIntegerAttr(type, 0));
  return arith::SelectOp::create(b, loc, isInside, shifted, zero);
}

// The integers of the type lie in [low, high). Of NaN no comparison holds.
static Value toInteger(OpBuilder &b, Operation *op, Value x) {
  Location loc = op->getLoc();
  Type type = op->getResult(0).getType();
  unsigned bits = type.getIntOrFloatBitWidth();
  bool isSigned = isa<arith::FPToSIOp>(op);
  double high = std::ldexp(1.0, bits - isSigned), low = isSigned ? -high : 0;
  auto limit = [&](double number) {
    return constant(b, op, FloatAttr::get(x.getType(), number));
  };
  auto compare = [&](arith::CmpFPredicate predicate, Value y) -> Value {
    return arith::CmpFOp::create(b, loc, predicate, x, y);
  };
  auto choose = [&](Value condition, Value yes, Value no) -> Value {
    return arith::SelectOp::create(b, loc, condition, yes, no);
  };
  Value least =
      choose(compare(arith::CmpFPredicate::OLT, limit(low)), limit(low), x);
  Value isBelow = compare(arith::CmpFPredicate::OLT, limit(high));
  Value inside = copy(b, op, {choose(isBelow, least, limit(0))});
  APInt most =
      isSigned ? APInt::getSignedMaxValue(bits) : APInt::getMaxValue(bits);
  return choose(compare(arith::CmpFPredicate::OGE, limit(high)),
                constant(b, op, IntegerAttr::get(type, most)), inside);
}

void heddle::emitNumber(OpBuilder &b, Operation *op, IRMapping &mapping) {
  auto operand = [&](unsigned index) {
    return mapping.lookup(op->getOperand(index));
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
            arith::FloorDivSIOp, arith::CeilDivSIOp, arith::CeilDivUIOp>(
          [&](auto division) {
            mapping.map(division.getResult(),
                        divide(b, op, operand(0), operand(1)));
          })
      .Case<arith::ShLIOp, arith::ShRSIOp, arith::ShRUIOp>([&](auto shifted) {
        mapping.map(shifted.getResult(), shift(b, op, operand(0), operand(1)));
      })
      .Case<arith::FPToSIOp, arith::FPToUIOp>([&](auto cast) {
        mapping.map(cast.getResult(), toInteger(b, op, operand(0)));
      })
      .Default([&](Operation *) { b.clone(*op, mapping); });
}
