// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Translate/ScalarTranslation.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace heddle;
using Halide::Expr;

//===-- Between floats ----------------------------------------------------===//

// To bf16 Halide rounds the bits as an integer, which makes infinities and
// zeros of some NaNs; to f16 it makes infinities of them.
Expr heddle::narrow(const Expr &value, Halide::Type type) {
  int lanes = value.type().lanes();
  Halide::Type u16 = Halide::UInt(16, lanes);
  Expr bits = Halide::reinterpret(Halide::UInt(32, lanes), value);
  Expr isNaN = (bits & 0x7fffffff) > 0x7f800000;
  auto orQuiet = [&](const Expr &quiet, const Expr &rounded) {
    return Halide::reinterpret(
        type, Halide::select(isNaN, Halide::cast(u16, quiet), rounded));
  };
  if (!type.is_bfloat())
    return orQuiet(((bits >> 16) & 0x8000) | ((bits >> 13) & 0x3ff) | 0x7e00,
                   Halide::reinterpret(u16, Halide::cast(type, value)));
  Expr rounded = (bits + 0x7fff + ((bits >> 16) & 1)) >> 16;
  return orQuiet((bits >> 16) | 0x40, Halide::cast(u16, rounded));
}

static Expr widen(const Expr &value) {
  return value.type().bits() < 32 ? Halide::cast(Halide::Float(32), value)
                                  : value;
}

static Expr truncate(Operation *op, const Expr &value, Halide::Type type) {
  return isStrict(op) && value.type().bits() == 32 ? narrow(value, type)
                                                   : Halide::cast(type, value);
}

//===-- Between integers and floats ---------------------------------------===//

// An integer as an f32 that rounds to the same f16 or bf16. The lower bits of
// one that f32 cannot hold, which the narrow types do not see, become a single
// one where any is set: rounding to odd (Boldo and Melquiond, "Emulation of a
// FMA and correctly rounded sums", 2008).
static Expr toOddF32(const Expr &value) {
  Halide::Type type = value.type();
  if (type.bits() < 32)
    return Halide::cast(Halide::Float(32), value);
  auto number = [&](uint64_t bits) {
    return Halide::Internal::make_const(type.with_code(halide_type_uint), bits);
  };
  Expr magnitude = asUnsigned(value);
  if (type.is_int())
    magnitude = Halide::select(value < 0, number(0) - magnitude, magnitude);
  constexpr int step = 8, kept = 24;
  for (int low = type.bits() - kept; low > 0; low -= step) {
    Expr mask = number((uint64_t(1) << low) - 1);
    // From so many on there are more bits than f32 has.
    Expr isLarge = magnitude >= number(uint64_t(1) << (low + kept - step - 1));
    Expr odd = (magnitude & ~mask) | number(uint64_t(1) << low);
    magnitude =
        Halide::select(isLarge && (magnitude & mask) != 0, odd, magnitude);
  }
  Expr result = Halide::cast(Halide::Float(32), magnitude);
  return type.is_int() ? Halide::select(value < 0, -result, result) : result;
}

// Integers become f32 before they become f16 or bf16.
static Expr toFloat(Operation *op, const Expr &value, Halide::Type type) {
  if (type.bits() >= 32)
    return Halide::cast(type, value);
  return narrow(toOddF32(value), type);
}

// The integers of the type lie in [low, high), powers of 2 or one below 0, all
// exact in f32. Of NaN no comparison holds. (Halide makes !(a < b) of b <= a,
// which does.) What is below becomes `low` while it is a float: of a choice
// between the least i64 and this integer Halide 14 made the number 1.
static Expr toInteger(const Expr &value, Halide::Type type) {
  auto limit = [&](double number) {
    return Halide::Internal::make_const(value.type(), number);
  };
  auto choose = [](const Expr &condition, const Expr &a, const Expr &b) {
    return Halide::strict_float(Halide::select(condition, a, b));
  };
  int bits = type.bits() - (type.is_int() ? 1 : 0);
  double high = std::ldexp(1.0, bits), low = type.is_int() ? -high : 0;
  Expr number = hidden(value);
  Expr isBelowHigh = Halide::strict_float(number < limit(high));
  Expr isNumber = Halide::strict_float(number == value);
  Expr least =
      choose(Halide::strict_float(number < limit(low)), limit(low), value);
  Expr inside = Halide::cast(type, choose(isBelowHigh, least, limit(0)));
  return Halide::select(isNumber && !isBelowHigh, type.max(), inside);
}

static Expr toSigned(Operation *op, const Expr &value, Halide::Type type) {
  if (type.is_bool())
    return !Halide::strict_float(-1 < value) && Halide::strict_float(value < 0);
  return isStrict(op) ? toInteger(value, type) : Halide::cast(type, value);
}

static Expr toUnsigned(Operation *op, const Expr &value, Halide::Type type) {
  if (type.is_bool())
    return !Halide::strict_float(value < 1) && Halide::strict_float(0 < value);
  Halide::Type unsignedType = type.with_code(halide_type_uint);
  return asSigned(isStrict(op) ? toInteger(value, unsignedType)
                               : Halide::cast(unsignedType, value));
}

//===-- The table ---------------------------------------------------------===//

// A set i1 is -1.
static Expr signedOf(const Expr &value) {
  if (!value.type().is_bool())
    return value;
  return Halide::select(value, Expr(int8_t(-1)), Expr(int8_t(0)));
}

static Expr truncateInteger(const Expr &value, Halide::Type type) {
  if (type.is_bool())
    return (value & Halide::Internal::make_one(value.type())) != 0;
  return asSigned(
      Halide::cast(type.with_code(halide_type_uint), asUnsigned(value)));
}

// Halide widens unsigned numbers with zeros.
static Expr extendUnsigned(const Expr &value, Halide::Type type) {
  return Halide::cast(type, asUnsigned(value));
}

Expr heddle::translateCast(Operation *op, Expr o) {
  Halide::Type type = *toHalideType(op->getResult(0).getType());
  return llvm::TypeSwitch<Operation *, Expr>(op)
      .Case([&](arith::ExtFOp) { return Halide::cast(type, o); })
      .Case([&](arith::TruncFOp) { return truncate(op, o, type); })
      .Case([&](arith::SIToFPOp) { return toFloat(op, signedOf(o), type); })
      .Case([&](arith::UIToFPOp) { return toFloat(op, asUnsigned(o), type); })
      .Case([&](arith::FPToSIOp) { return toSigned(op, widen(o), type); })
      .Case([&](arith::FPToUIOp) { return toUnsigned(op, widen(o), type); })
      .Case([&](arith::ExtSIOp) { return Halide::cast(type, signedOf(o)); })
      .Case([&](arith::ExtUIOp) { return extendUnsigned(o, type); })
      .Case([&](arith::TruncIOp) { return truncateInteger(o, type); })
      .Case([&](arith::BitcastOp) { return Halide::reinterpret(type, o); })
      .Default(Expr());
}
