// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/ScalarMath.h"

#include "compiler/Reference/Evaluate.h"
#include "compiler/Reference/ScalarFunctions.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace heddle::reference {

Scalar toScalar(Type type, double element, double error) {
  return type.isInteger() ? Scalar::of(int64_t(element))
                          : Scalar::of(element, error);
}

double fromScalar(Type type, const Scalar &scalar) {
  return type.isInteger() ? double(scalar.integer) : scalar.real;
}

double unitRoundoff(Type type) {
  return type.isBF16() ? 0x1p-9 : type.isF16() ? 0x1p-12 : 0x1p-24;
}

double sumError(Type type, double count, double magnitudes) {
  return unitRoundoff(type) * std::min(count, 8 * std::sqrt(count)) *
         magnitudes;
}

llvm::Expected<ScalarOp> ScalarOp::of(Operation *op) {
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
  for (mlir::Value operand : op->getOperands()) {
    Type element = getElementTypeOrSelf(operand.getType());
    result.isInteger.push_back(element.isIndex() ||
                               (element.isInteger() && !element.isInteger(1)));
  }
  return result;
}

// An operand's error is followed by moving it by that much, which is right to
// first order, and for functions that jump as well: where the code may land on
// the other side, the jump counts.
Scalar ScalarOp::operator()(ArrayRef<Scalar> operands) const {
  Scalar result = exact(operands);
  constexpr double unknown = std::numeric_limits<double>::infinity();
  double error = result.error;
  auto differenceTo = [&](const Scalar &other) {
    if (!isReal)
      return result.integer == other.integer ? 0.0 : unknown;
    double difference = std::abs(other.real - result.real);
    return std::isnan(difference) ? 0.0 : difference;
  };
  SmallVector<Scalar, 4> moved;
  for (auto [index, operand] : llvm::enumerate(operands)) {
    if (operand.error == 0)
      continue;
    double largest = isInteger[index] ? unknown : 0;
    for (double sign : {-1.0, 1.0}) {
      moved.assign(operands.begin(), operands.end());
      moved[index].real += sign * operand.error;
      moved[index].integer ^= 1; // of an i1, the other one
      largest = std::max(largest, differenceTo(exact(moved)));
    }
    error = isExtremum ? std::max(error, largest) : error + largest;
  }
  result.error = error;
  if (isReal)
    result.error += rounding * std::abs(result.real) + leastRounding;
  return result;
}

} // namespace heddle::reference
