// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Translate/ScalarTranslation.h"

#include "compiler/Lowering/LibraryFunctions.h"

using namespace mlir;
using namespace heddle;
using Halide::Expr;

std::optional<Halide::Type> heddle::toHalideType(Type type) {
  // Their bits.
  if (isStorageFloat(type))
    return Halide::Int(8);
  if (type.isF64())
    return Halide::Float(64);
  if (type.isF32())
    return Halide::Float(32);
  if (type.isBF16())
    return Halide::BFloat(16);
  if (type.isF16())
    return Halide::Float(16);
  if (type.isInteger(1))
    return Halide::Bool();
  for (unsigned width : {8, 16, 32, 64})
    if (type.isInteger(width))
      return Halide::Int(width);
  return std::nullopt;
}

Expr heddle::asUnsigned(const Expr &value) {
  return Halide::reinterpret(value.type().with_code(halide_type_uint), value);
}

Expr heddle::asSigned(const Expr &value) {
  return Halide::reinterpret(value.type().with_code(halide_type_int), value);
}

Expr heddle::hidden(const Expr &value) {
  Halide::Type bits = value.type().with_code(halide_type_uint);
  return Halide::reinterpret(value.type(), Halide::reinterpret(bits, value));
}

// Halide compares constants as numbers, to which -0 is 0 and NaN is anything;
// as bits they stay what they are.
static Expr floatConstant(const llvm::APFloat &value, Halide::Type type) {
  if (value.isFinite() && !value.isNegZero())
    return Halide::Internal::make_const(type, value.convertToDouble());
  return Halide::reinterpret(type, Halide::Internal::make_const(
                                       Halide::UInt(type.bits()),
                                       value.bitcastToAPInt().getZExtValue()));
}

static Expr constant(arith::ConstantOp op, Halide::Type type) {
  if (auto value = dyn_cast<IntegerAttr>(op.getValue()))
    return Halide::Internal::make_const(type, value.getInt());
  const llvm::APFloat &number = cast<FloatAttr>(op.getValue()).getValue();
  if (!type.is_float())
    return Halide::Internal::make_const(type,
                                        number.bitcastToAPInt().getSExtValue());
  return floatConstant(number, type);
}

static bool isHalf(Halide::Type type) {
  return type.is_float() && type.bits() == 16;
}

// bf16 and f16 are computed with in f32, and each result is rounded.
static Expr translateInF32(Operation *op, ArrayRef<Expr> operands,
                           Halide::Type result) {
  SmallVector<Expr> wide;
  for (const Expr &operand : operands)
    wide.push_back(Halide::cast(Halide::Float(32), operand));
  Expr value = translateFloat(op, wide);
  return value.defined() && isHalf(result) ? narrow(value, result) : value;
}

Expr heddle::selectBits(const Expr &condition, const Expr &a, const Expr &b) {
  auto bits = [](const Expr &value) {
    return Halide::reinterpret(Halide::UInt(value.type().bits()), value);
  };
  return Halide::reinterpret(a.type(),
                             Halide::select(condition, bits(a), bits(b)));
}

Expr heddle::translateScalar(Operation *op, ArrayRef<Expr> o) {
  std::optional<Halide::Type> type;
  if (op->getNumResults() == 1)
    type = toHalideType(op->getResult(0).getType());
  if (!type)
    return Expr();
  if (auto constantOp = dyn_cast<arith::ConstantOp>(op))
    return constant(constantOp, *type);
  if (isa<halide::ModOp>(op))
    return o[0] % o[1];
  if (auto call = dyn_cast<halide::CallOp>(op))
    return Halide::strict_float(Halide::Internal::Call::make(
        *type, (kLibraryPrefix + call.getFunction()).str(),
        {o.begin(), o.end()}, Halide::Internal::Call::PureExtern));
  if (isa<arith::SelectOp>(op)) {
    // By floats Halide would make maxima that drop NaN. By integers it may
    // leave out what is never chosen, which it must: Halide 14 divides by 0
    // where all lanes of a vector read one element, as beside a part of a
    // concatenation.
    bool isByIntegers = op->getOperand(0).getDefiningOp<arith::CmpIOp>();
    bool isWide = isStrict(op) && type->is_int() && type->bits() == 64;
    if (isHalf(*type) || isWide || (type->is_float() && isByIntegers))
      return selectBits(o[0], o[1], o[2]);
    Expr value = Halide::select(o[0], o[1], o[2]);
    return type->is_float() ? Halide::strict_float(value) : value;
  }
  if (o.size() == 1 && isa<CastOpInterface>(op))
    return translateCast(op, o[0]);
  if (o.empty())
    return Expr();
  if (!o[0].type().is_float())
    return translateInteger(op, o);
  return isHalf(o[0].type()) ? translateInF32(op, o, *type)
                             : translateFloat(op, o);
}
