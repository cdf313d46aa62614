// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/ScalarMath.h"

#include "compiler/Reference/Evaluate.h"
#include "compiler/Reference/FloatRange.h"
#include "compiler/Reference/ScalarFunctions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace heddle::reference {

ElementReader::ElementReader(Type type)
    : isReal(isa<FloatType>(type)),
      width(type.isUnsignedInteger()
                ? scalarTypeOf(type).getIntOrFloatBitWidth()
                : 0) {}

int64_t ElementReader::wrapped(int64_t integer) const {
  return width ? wrap(uint64_t(integer), width) : integer;
}

Scalar getElement(const Tensor &tensor, Type type, size_t element,
                  double error) {
  return ElementReader(type)(tensor, element, error);
}

uint64_t unsignedOf(Type type, int64_t scalar) {
  return uint64_t(scalar) &
         llvm::maskTrailingOnes<uint64_t>(type.getIntOrFloatBitWidth());
}

double numberOf(Type type, const Scalar &scalar) {
  if (isa<FloatType>(type))
    return scalar.real;
  return type.isUnsignedInteger() ? double(unsignedOf(type, scalar.integer))
                                  : double(scalar.integer);
}

bool isLess(Type type, int64_t x, int64_t y) {
  return type.isUnsignedInteger() ? uint64_t(x) < uint64_t(y) : x < y;
}

void setElement(Tensor &tensor, Type type, size_t element,
                const Scalar &scalar) {
  tensor.data[element] = numberOf(type, scalar);
  if (!type.isInteger(64))
    return;
  tensor.integers.resize(tensor.data.size());
  tensor.integers[element] = scalar.integer;
}

double unitInLastPlace(const llvm::fltSemantics &semantics, double value) {
  int least = llvm::APFloat::semanticsMinExponent(semantics);
  int exponent = value == 0 ? least : std::max(std::ilogb(value), least);
  return std::ldexp(1.0, exponent + 1 -
                             int(llvm::APFloat::semanticsPrecision(semantics)));
}

// As APFloat does it, which takes three times as long.
static double roundFinite(const llvm::fltSemantics &semantics, double value) {
  double unit = unitInLastPlace(semantics, value);
  double rounded = std::nearbyint(value / unit) * unit;
  if (std::ilogb(rounded) > llvm::APFloat::semanticsMaxExponent(semantics))
    rounded = kInfinity;
  return std::copysign(rounded, value);
}

double roundTo(const llvm::fltSemantics &semantics, double value) {
  if (std::isfinite(value) && llvm::APFloat::semanticsHasInf(semantics))
    return roundFinite(semantics, value);
  APFloat number(value);
  bool losesInfo;
  number.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return number.convertToDouble();
}

static unsigned precisionOf(const llvm::fltSemantics &semantics) {
  return llvm::APFloat::semanticsPrecision(semantics);
}

double unitRoundoff(Type type) {
  double own = std::ldexp(
      1.0, -int(precisionOf(cast<FloatType>(type).getFloatSemantics())));
  // The reference computes in f64, and is off by as much as code.
  return type.isF64() ? 2 * own : own;
}

double overflowOf(FloatType type) {
  const llvm::fltSemantics &semantics = type.getFloatSemantics();
  int exponent = llvm::APFloat::semanticsMaxExponent(semantics);
  return std::ldexp(2 - std::ldexp(1.0, -int(precisionOf(semantics))),
                    exponent);
}

double sumError(Type type, double count, double magnitudes) {
  return unitRoundoff(type) * std::min(count, 8 * std::sqrt(count)) *
         magnitudes;
}

// Of integers and truth values; floats are followed through their rounding.
static bool isMonotoneInteger(Operation *op) {
  if (auto compare = dyn_cast<arith::CmpIOp>(op))
    return compare.getPredicate() != arith::CmpIPredicate::eq &&
           compare.getPredicate() != arith::CmpIPredicate::ne;
  return isa<arith::AddIOp, arith::SubIOp, arith::MulIOp, arith::MaxSIOp,
             arith::MinSIOp, arith::SelectOp, arith::ExtSIOp, arith::ExtUIOp,
             arith::TruncIOp, arith::SIToFPOp, arith::UIToFPOp>(op);
}

static bool isExtremumOfIntegers(Operation *op) {
  return isa<arith::MaxSIOp, arith::MinSIOp, arith::MaxUIOp, arith::MinUIOp>(
      op);
}

llvm::Expected<ScalarOp> ScalarOp::of(Operation *op, Rounding rounding) {
  std::optional<ScalarFunction> function;
  if (op->getNumResults() == 1)
    function = scalarFunction(op);
  if (!function)
    return fail(op, "the reference evaluator does not know this op");
  Type type = getElementTypeOrSelf(op->getResult(0).getType());
  ScalarOp result;
  result.exact = std::move(function->exact);
  result.isReal = isa<FloatType>(type);
  result.isExtremum = function->isExtremum || isExtremumOfIntegers(op);
  result.isMonotone = isMonotoneInteger(op);
  result.isOfBits = result.isReal && isa<arith::BitcastOp>(op);
  result.isFunction = function->roundings > 1;
  result.isProduct = isa<arith::MulFOp, math::FmaOp>(op);
  result.isChoice = isa<arith::SelectOp>(op);
  if (auto real = dyn_cast<FloatType>(type)) {
    result.rounding = function->roundings * unitRoundoff(type);
    result.leastRounding = function->absoluteError;
    result.overflow = overflowOf(real);
    if (real.getWidth() < 32) {
      // Code computes in f32.
      Type wide = Float32Type::get(op->getContext());
      result.narrow = &real.getFloatSemantics();
      bool isOnce =
          function->roundings <= 1 && !isa<arith::RemFOp, math::FmaOp>(op);
      result.rounding = isOnce ? 0 : function->roundings * unitRoundoff(wide);
      if (rounding == Rounding::ToEither && function->roundings > 0)
        result.lastRounding = unitRoundoff(type);
    }
  }
  for (mlir::Value operand : op->getOperands()) {
    Type element = getElementTypeOrSelf(operand.getType());
    result.widths.push_back(element.isIndex() ? 64
                            : element.isInteger()
                                ? element.getIntOrFloatBitWidth()
                                : 0);
  }
  return result;
}

/// The number `real` in place of a float.
static Scalar withReal(Scalar value, double real) {
  value.real = real;
  return value;
}

Scalar ScalarOp::move(unsigned operand, Scalar value, double error) const {
  unsigned width = widths[operand];
  if (width == 1)
    value.integer ^= 1;
  else if (width > 1)
    value.integer = wrap(uint64_t(value.integer) + int64_t(error), width);
  value.real = movedBy(value.real, error);
  return value;
}

// Infinity is not rounded.
static double roundingOf(double value, double relative) {
  return std::isinf(value) ? 0 : relative * std::abs(value);
}

// An operand's error is followed by moving it by that much, which is right to
// first order, and for functions that jump as well: where the code may land on
// the other side, the jump counts. One jump is at 0. An unknown operand is
// replaced by infinities and NaN: a result that stays does not depend on it.
double ScalarOp::followError(ArrayRef<Scalar> operands, unsigned index,
                             const Scalar &result) const {
  const Scalar &operand = operands[index];
  if (operand.error == 0)
    return 0;
  bool isAny = widths[index] == 0 && isUnknown(operand.error);
  // Of an integer that is off by more than one, the function may be anything
  // in between, but for a few functions. Floats without a sign are in the order
  // of their bits.
  bool isBetween = widths[index] <= 1 || isMonotone || operand.error <= 1 ||
                   (isOfBits && double(operand.integer) >= operand.error);
  if (widths[index] && !(isBetween && operand.error < 0x1p62))
    return kInfinity;
  SmallVector<Scalar, 4> moved(operands);
  double largest = 0;
  auto moveTo = [&](const Scalar &place) {
    moved[index] = place;
    Scalar other = exact(moved);
    double difference =
        isReal ? differenceOf(result.real, other.real)
               : std::abs(double(other.integer) - double(result.integer));
    largest = std::max(largest, difference);
  };
  moveTo(move(index, operand, -operand.error));
  moveTo(move(index, operand, operand.error));
  if (widths[index] == 0 && operand.real != 0 &&
      operand.error >= std::abs(operand.real))
    for (double zero : {0.0, -0.0})
      moveTo(withReal(operand, zero));
  if (isAny)
    for (double end :
         {-kInfinity, kInfinity, std::numeric_limits<double>::quiet_NaN()})
      moveTo(withReal(operand, end));
  return isAny && isReal && largest > 0 ? kInfinity : largest;
}

// Exact zeros have no rounding error: a sum or product that is 0, and f(0) = 0,
// f(inf) = 0. Neither have infinity and NaN.
double ScalarOp::ownError(ArrayRef<Scalar> operands,
                          const Scalar &result) const {
  bool isOfEnd = llvm::any_of(operands, [](const Scalar &operand) {
    return operand.real == 0 || std::isinf(operand.real);
  });
  if (result.real == 0 && result.error == 0 && (!isFunction || isOfEnd))
    return 0;
  if (std::isnan(result.real))
    return 0;
  return roundingOf(result.real, rounding) + leastRounding;
}

Scalar ScalarOp::valueOf(ArrayRef<Scalar> operands) const {
  Scalar result = exact(operands);
  if (!isReal)
    return {0, result.integer, 0};
  return Scalar::of(narrow ? roundTo(*narrow, result.real)
                           : toRange(result.real, overflow));
}

Scalar ScalarOp::operator()(ArrayRef<Scalar> operands) const {
  Scalar result = exact(operands);
  double error = result.error;
  for (unsigned index = 0; index < operands.size(); ++index) {
    double followed = followError(operands, index, result);
    error = isExtremum ? std::max(error, followed) : error + followed;
  }
  // Errors of two operands meet, which followError moves one at a time: the
  // product of both, and that of what code chooses in place of the result.
  if (double both = isProduct ? operands[0].error * operands[1].error : 0;
      both > 0)
    error += both;
  if (isChoice && operands[0].error != 0)
    error += std::max(operands[1].error, operands[2].error);
  result.error = error;
  if (!isReal)
    return result;
  double value = result.real;
  double own = ownError(operands, result);
  if (!narrow) {
    // One rounding takes no number in range out of it.
    error = errorInRange(value, isFunction ? error + own : error, overflow);
    bool isRounded = std::isfinite(toRange(value, overflow)) && !isFunction;
    return Scalar::of(toRange(value, overflow),
                      isRounded ? error + own : error);
  }
  // Rounded numbers are in the order of what they are rounded from.
  double rounded = roundTo(*narrow, value);
  if (isUnknown(error))
    return Scalar::of(rounded, kInfinity);
  double largest = 0;
  if (error + own != 0)
    for (double moved :
         {movedBy(value, -error - own), movedBy(value, error + own)})
      largest =
          std::max(largest, differenceOf(rounded, roundTo(*narrow, moved)));
  return Scalar::of(rounded, largest + roundingOf(rounded, lastRounding));
}

} // namespace heddle::reference
