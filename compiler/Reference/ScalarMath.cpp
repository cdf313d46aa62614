// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/ScalarMath.h"

#include "compiler/Reference/Evaluate.h"
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

Scalar getElement(const Tensor &tensor, Type type, size_t element,
                  double error) {
  if (!isa<FloatType>(type))
    return {0, tensor.integer(element), error};
  return Scalar::of(tensor.data[element], error);
}

void setElement(Tensor &tensor, Type type, size_t element,
                const Scalar &scalar) {
  bool isReal = isa<FloatType>(type);
  tensor.data[element] = isReal ? scalar.real : double(scalar.integer);
  if (isReal || !type.isInteger(64))
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

double roundTo(const llvm::fltSemantics &semantics, double value) {
  APFloat number(value);
  bool losesInfo;
  number.convert(semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  number.convert(APFloat::IEEEdouble(), APFloat::rmNearestTiesToEven,
                 &losesInfo);
  return number.convertToDouble();
}

double unitRoundoff(Type type) {
  return type.isBF16() ? 0x1p-9 : type.isF16() ? 0x1p-12 : 0x1p-24;
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
  result.rounding = function->roundings * unitRoundoff(type);
  result.leastRounding = function->absoluteError;
  result.isExtremum = function->isExtremum;
  result.isMonotone = isMonotoneInteger(op);
  if (result.isReal && type.getIntOrFloatBitWidth() < 32) {
    result.narrow = &cast<FloatType>(type).getFloatSemantics();
    bool isOnce =
        function->roundings <= 1 && !isa<arith::RemFOp, math::FmaOp>(op);
    result.rounding = isOnce ? 0 : function->roundings * 0x1p-24;
    if (rounding == Rounding::ToEither && function->roundings > 0)
      result.lastRounding = 2 * unitRoundoff(type);
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

Scalar ScalarOp::move(unsigned operand, Scalar value, double error) const {
  unsigned width = widths[operand];
  if (width == 1)
    value.integer ^= 1;
  else if (width > 1)
    value.integer = wrap(uint64_t(value.integer) + int64_t(error), width);
  value.real += error;
  return value;
}

// Infinity is not rounded.
static double roundingOf(double value, double relative) {
  return std::isinf(value) ? 0 : relative * std::abs(value);
}

// An operand's error is followed by moving it by that much, which is right to
// first order, and for functions that jump as well: where the code may land on
// the other side, the jump counts.
Scalar ScalarOp::operator()(ArrayRef<Scalar> operands) const {
  Scalar result = exact(operands);
  constexpr double unknown = std::numeric_limits<double>::infinity();
  double error = result.error;
  auto differenceTo = [&](const Scalar &other) {
    double difference =
        isReal ? std::abs(other.real - result.real)
               : std::abs(double(other.integer) - double(result.integer));
    return std::isnan(difference) ? 0.0 : difference;
  };
  SmallVector<Scalar, 4> moved;
  for (auto [index, operand] : llvm::enumerate(operands)) {
    if (operand.error == 0)
      continue;
    // Of an integer that is off by more than one, the function may be anything
    // in between, but for a few functions.
    bool isBetween = widths[index] <= 1 || isMonotone || operand.error <= 1;
    bool isKnown = isBetween && operand.error < 0x1p62;
    double largest = widths[index] && !isKnown ? unknown : 0;
    for (double sign : {-1.0, 1.0}) {
      if (largest == unknown)
        break;
      moved.assign(operands.begin(), operands.end());
      moved[index] = move(index, operand, sign * operand.error);
      largest = std::max(largest, differenceTo(exact(moved)));
    }
    error = isExtremum ? std::max(error, largest) : error + largest;
  }
  result.error = error;
  if (!isReal)
    return result;
  result.error += roundingOf(result.real, rounding) + leastRounding;
  if (!narrow)
    return result;
  // Rounded numbers are in the order of what they are rounded from.
  double value = result.real, rounded = roundTo(*narrow, value);
  error = 0;
  if (result.error != 0)
    for (double sign : {-1.0, 1.0}) {
      double other = roundTo(*narrow, value + sign * result.error);
      double difference = std::abs(other - rounded);
      error = std::max(error, std::isnan(difference) ? 0 : difference);
    }
  return Scalar::of(rounded, error + roundingOf(rounded, lastRounding));
}

} // namespace heddle::reference
