// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/ScalarFunctions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;

namespace heddle::reference {

static unsigned widthOf(Type type) { return type.getIntOrFloatBitWidth(); }

int64_t toInteger(double value, unsigned width, bool isSigned) {
  if (std::isnan(value))
    return 0;
  value = std::trunc(value);
  double low = isSigned ? -std::ldexp(1.0, width - 1) : 0;
  double high = std::ldexp(1.0, isSigned ? width - 1 : width);
  if (value <= low)
    return wrap(isSigned ? uint64_t(1) << (width - 1) : 0, width);
  if (value >= high)
    return wrap(isSigned ? (uint64_t(1) << (width - 1)) - 1
                         : llvm::maskTrailingOnes<uint64_t>(width),
                width);
  return wrap(isSigned ? uint64_t(int64_t(value)) : uint64_t(value), width);
}

static double unsignedReal(int64_t value, unsigned width) {
  return double(uint64_t(value) & llvm::maskTrailingOnes<uint64_t>(width));
}

static double signedReal(int64_t value, unsigned width) {
  return width == 1 ? -double(value & 1) : double(value);
}

// The bits of a float as an integer, and the other way round.
static ScalarFunction bitcast(FloatType from, IntegerType to) {
  const llvm::fltSemantics &semantics = from.getFloatSemantics();
  unsigned width = to.getWidth();
  return {[&semantics, width](ArrayRef<Scalar> o) {
    APFloat value(o[0].real);
    bool losesInfo;
    value.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
    return Scalar::of(wrap(value.bitcastToAPInt().getZExtValue(), width));
  }};
}

static ScalarFunction bitcast(IntegerType from, FloatType to) {
  const llvm::fltSemantics &semantics = to.getFloatSemantics();
  unsigned width = from.getWidth();
  return {[&semantics, width](ArrayRef<Scalar> o) {
    APFloat value(semantics, APInt(width, uint64_t(o[0].integer),
                                   /*isSigned=*/false, /*implicitTrunc=*/true));
    bool losesInfo;
    value.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                  &losesInfo);
    return Scalar::of(value.convertToDouble());
  }};
}

static std::optional<ScalarFunction> bitcast(Type from, Type to) {
  if (isa<FloatType>(from) && isa<IntegerType>(to))
    return bitcast(cast<FloatType>(from), cast<IntegerType>(to));
  if (isa<IntegerType>(from) && isa<FloatType>(to))
    return bitcast(cast<IntegerType>(from), cast<FloatType>(to));
  return std::nullopt;
}

std::optional<ScalarFunction> castFunction(Operation *op) {
  if (op->getNumOperands() != 1 || op->getNumResults() != 1)
    return std::nullopt;
  Type from = getElementTypeOrSelf(op->getOperand(0));
  Type to = getElementTypeOrSelf(op->getResult(0));
  auto isNumber = [](Type type) { return isa<FloatType, IntegerType>(type); };
  if (!isNumber(from) || !isNumber(to))
    return std::nullopt;
  unsigned wide = widthOf(from), narrow = widthOf(to);
  using Result = std::optional<ScalarFunction>;
  auto ofInteger = [](auto function) -> Result {
    return ScalarFunction{[=](ArrayRef<Scalar> o) {
      return Scalar::of(int64_t(function(o[0].integer)));
    }};
  };
  auto toReal = [&](auto function) -> Result {
    // Code converts to f32 first.
    auto real = dyn_cast<FloatType>(to);
    double roundoff = unitRoundoff(real && real.getWidth() > 32
                                       ? Type(real)
                                       : Float32Type::get(to.getContext()));
    return ScalarFunction{[=](ArrayRef<Scalar> o) {
      double value = function(o[0].integer);
      bool isExact = value == double(float(value)); // most integers are small
      return Scalar::of(value, isExact ? 0 : roundoff * std::abs(value));
    }};
  };
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case([&](arith::ExtFOp) {
        return ScalarFunction{
            [](ArrayRef<Scalar> o) { return Scalar::of(o[0].real); }};
      })
      .Case([&](arith::TruncFOp) {
        return ScalarFunction{
            [](ArrayRef<Scalar> o) { return Scalar::of(o[0].real); }, 1};
      })
      .Case([&](arith::ExtSIOp) {
        return ofInteger(
            [=](int64_t x) { return wrap(wide == 1 ? -(x & 1) : x, narrow); });
      })
      .Case([&](arith::ExtUIOp) {
        return ofInteger([=](int64_t x) {
          return wrap(uint64_t(x) & llvm::maskTrailingOnes<uint64_t>(wide),
                      narrow);
        });
      })
      .Case([&](arith::TruncIOp) {
        return ofInteger([=](int64_t x) { return wrap(x, narrow); });
      })
      .Case([&](arith::SIToFPOp) {
        return toReal([=](int64_t x) { return signedReal(x, wide); });
      })
      .Case([&](arith::UIToFPOp) {
        return toReal([=](int64_t x) { return unsignedReal(x, wide); });
      })
      .Case<arith::FPToSIOp, arith::FPToUIOp>([&](Operation *op) {
        bool isSigned = isa<arith::FPToSIOp>(op);
        return ScalarFunction{[=](ArrayRef<Scalar> o) {
          return Scalar::of(toInteger(o[0].real, narrow, isSigned));
        }};
      })
      .Case([&](arith::BitcastOp) { return bitcast(from, to); })
      .Default(Result());
}

// A select follows its condition; the others are of one kind.
std::optional<ScalarFunction> scalarFunction(Operation *op) {
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    Scalar value;
    if (auto real = dyn_cast<FloatAttr>(constant.getValue()))
      value = Scalar::of(real.getValueAsDouble());
    else if (auto integer = dyn_cast<IntegerAttr>(constant.getValue()))
      value = Scalar::of(wrap(integer.getValue().getZExtValue(),
                              integer.getType().getIntOrFloatBitWidth()));
    else
      return std::nullopt;
    return ScalarFunction{[=](ArrayRef<Scalar>) { return value; }};
  }
  if (isa<arith::SelectOp>(op))
    return ScalarFunction{[](ArrayRef<Scalar> o) {
      const Scalar &chosen = o[0].integer & 1 ? o[1] : o[2];
      return Scalar{chosen.real, chosen.integer};
    }};
  if (std::optional<ScalarFunction> function = castFunction(op))
    return function;
  if (std::optional<ScalarFunction> function = integerFunction(op))
    return function;
  return realFunction(op);
}

} // namespace heddle::reference
