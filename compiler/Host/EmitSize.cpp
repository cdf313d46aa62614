// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Host/EmitSize.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace heddle;

Value SizeEmitter::number(int64_t value) {
  if (checksOverflow)
    return arith::ConstantIntOp::create(b, loc, value, 64);
  return arith::ConstantIndexOp::create(b, loc, value);
}

void SizeEmitter::demand(Value condition) {
  allFit = allFit ? Value(arith::AndIOp::create(b, loc, allFit, condition))
                  : condition;
}

Value SizeEmitter::fits() {
  return allFit ? allFit : Value(arith::ConstantIntOp::create(b, loc, 1, 1));
}

// The sum overflows where it has not the sign that both summands have.
Value SizeEmitter::add(Value x, Value y) {
  Value sum = arith::AddIOp::create(b, loc, x, y);
  if (checksOverflow) {
    Value first = arith::XOrIOp::create(b, loc, x, sum);
    Value second = arith::XOrIOp::create(b, loc, y, sum);
    Value changes = arith::AndIOp::create(b, loc, first, second);
    demand(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sge, changes,
                                 number(0)));
  }
  return sum;
}

// The product fits where its upper half repeats the sign of the lower one.
Value SizeEmitter::multiply(Value x, Value y) {
  if (!checksOverflow)
    return arith::MulIOp::create(b, loc, x, y);
  auto product = arith::MulSIExtendedOp::create(b, loc, x, y);
  Value sign = arith::ShRSIOp::create(b, loc, product.getLow(), number(63));
  demand(arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq,
                               product.getHigh(), sign));
  return product.getLow();
}

// Of a quotient or a remainder. What divides by a size that is no positive
// number has no value.
Value SizeEmitter::divide(SizeAttr quotient) {
  auto divisor = cast<SizeAttr>(quotient.getOperands()[1]);
  Value x = emit(cast<SizeAttr>(quotient.getOperands()[0]));
  Value y = emit(divisor);
  if (checksOverflow && divisor.asNumber().value_or(0) < 1) {
    Value isPositive =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::sgt, y, number(0));
    demand(isPositive);
    y = arith::SelectOp::create(b, loc, isPositive, y, number(1));
  }
  if (quotient.getKind() == SizeKind::CeilDiv)
    return arith::CeilDivSIOp::create(b, loc, x, y);
  Value whole = arith::FloorDivSIOp::create(b, loc, x, y);
  if (quotient.getKind() == SizeKind::FloorDiv)
    return whole;
  return arith::SubIOp::create(b, loc, x,
                               arith::MulIOp::create(b, loc, whole, y));
}

Value SizeEmitter::emitFunction(SizeAttr size) {
  if (size.getKind() != SizeKind::Min && size.getKind() != SizeKind::Max)
    return divide(size);
  Value x = emit(cast<SizeAttr>(size.getOperands()[0]));
  Value y = emit(cast<SizeAttr>(size.getOperands()[1]));
  if (size.getKind() == SizeKind::Min)
    return arith::MinSIOp::create(b, loc, x, y);
  return arith::MaxSIOp::create(b, loc, x, y);
}

Value SizeEmitter::emit(SizeAttr size) {
  Value known = emitted.lookup(size);
  if (!known)
    emitted[size] = known = emitNew(size);
  return known;
}

Value SizeEmitter::emitNew(SizeAttr size) {
  switch (size.getKind()) {
  case SizeKind::Number:
    return number(size.getNumber());
  case SizeKind::Symbol:
    return symbols.lookup(size.getName());
  case SizeKind::Product:
  case SizeKind::Sum:
    break;
  default:
    return emitFunction(size);
  }
  bool isSum = size.getKind() == SizeKind::Sum;
  // The number last: of numbers and symbols the symbols are what may be shared.
  Value result;
  for (Attribute operand : size.getOperands()) {
    Value next = emit(cast<SizeAttr>(operand));
    result = !result ? next
             : isSum ? add(result, next)
                     : multiply(result, next);
  }
  if (size.getNumber() == (isSum ? 0 : 1))
    return result;
  Value constant = number(size.getNumber());
  return isSum ? add(result, constant) : multiply(result, constant);
}
