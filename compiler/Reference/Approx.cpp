// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/Approx.h"

#include "compiler/Reference/MathErrors.h"
#include "compiler/Reference/Roundings.h"

#include "mlir/IR/BuiltinTypes.h"

#include <cmath>
#include <limits>

using namespace mlir;

namespace heddle::reference {

static Approx rounded(double value, double error, double roundings = 1) {
  if (!std::isfinite(value))
    return {value, 0};
  return {value, error + roundings * u * std::abs(value)};
}

Approx Approx::constant(double number) {
  return {number, std::abs(number - double(float(number)))};
}

Approx operator+(Approx x, Approx y) {
  return rounded(x.value + y.value, x.error + y.error);
}

Approx operator-(Approx x) { return {-x.value, x.error}; }
Approx operator-(Approx x, Approx y) { return x + -y; }

Approx operator*(Approx x, Approx y) {
  double error = std::abs(x.value) * y.error + std::abs(y.value) * x.error +
                 x.error * y.error;
  return rounded(x.value * y.value, error + kLeastError);
}

Approx operator/(Approx x, Approx y) {
  double quotient = x.value / y.value;
  double error = (x.error + std::abs(quotient) * y.error) / std::abs(y.value);
  return rounded(quotient, error + kLeastError);
}

Approx maximum(Approx x, Approx y) {
  bool isFirst = std::isnan(x.value) || x.value > y.value;
  return {isFirst ? x.value : y.value, std::max(x.error, y.error)};
}

Approx minimum(Approx x, Approx y) { return -maximum(-x, -y); }

// An error of the operand is followed by moving it by that much.
static Approx apply(double (*function)(double), StringRef op, Approx x) {
  double value = function(x.value), moved = 0;
  for (double error : {-x.error, x.error}) {
    double difference = std::abs(function(x.value + error) - value);
    if (x.error != 0 && !std::isnan(difference))
      moved = std::max(moved, difference);
  }
  return rounded(value, moved + kLeastError, findMathError(op)->units);
}

Approx exp(Approx x) { return apply(std::exp, "math.exp", x); }
Approx log(Approx x) { return apply(std::log, "math.log", x); }
Approx sqrt(Approx x) { return apply(std::sqrt, "math.sqrt", x); }
Approx tanh(Approx x) { return apply(std::tanh, "math.tanh", x); }
Approx sigmoid(Approx x) { return Approx(1) / (Approx(1) + exp(-x)); }

Approx Sum::result() const {
  return rounded(value, error + gamma(count) * magnitudes, /*roundings=*/0);
}

Approx maximumOf(ArrayRef<Approx> x) {
  Approx largest = -std::numeric_limits<double>::infinity();
  for (Approx element : x)
    largest = maximum(largest, element);
  return largest;
}

void softmax(MutableArrayRef<Approx> x) {
  Approx largest = maximumOf(x);
  Sum sum;
  for (Approx &element : x) {
    element = exp(element - largest);
    sum.add(element);
  }
  Approx inverse = Approx(1) / sum.result();
  for (Approx &element : x)
    element = element * inverse;
}

Approx storeAs(Type type, Approx x, Rounding rounding) {
  if (type.getIntOrFloatBitWidth() >= 32)
    return x;
  const llvm::fltSemantics &semantics =
      cast<FloatType>(type).getFloatSemantics();
  double value = roundTo(semantics, x.value), error = 0;
  // What is such a number is not rounded.
  if (x.error == 0 && value == x.value)
    return x;
  for (double moved : {x.value - x.error, x.value + x.error}) {
    double difference = std::abs(roundTo(semantics, moved) - value);
    if (!std::isnan(difference))
      error = std::max(error, difference);
  }
  if (rounding == Rounding::ToEither && std::isfinite(value))
    error += 2 * unitRoundoff(type) * std::abs(value);
  return {value, error};
}

} // namespace heddle::reference
