// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/Approx.h"

#include "compiler/Reference/FloatRange.h"
#include "compiler/Reference/MathErrors.h"
#include "compiler/Reference/Roundings.h"

#include "mlir/IR/BuiltinTypes.h"

#include <cmath>

using namespace mlir;

namespace heddle::reference {

// `error`: inherited from operands. `units` and `least`: relative and absolute
// rounding error of the operation itself, of which infinity has none.
static Approx rounded(double value, double error, double units = 1,
                      double least = 0) {
  double roundoff = precision().roundoff, overflow = precision().overflow;
  double own =
      std::isfinite(value) ? units * roundoff * std::abs(value) + least : 0;
  // One rounding takes no number in range out of it.
  error = errorInRange(value, units > 1 ? error + own : error, overflow);
  double result = toRange(value, overflow);
  bool isRounded =
      std::isfinite(result) && units <= 1 && (value != 0 || error != 0);
  return {result, isRounded ? error + own : error};
}

// Of a result that is infinite or NaN, or is made of what may be anything.
static Approx unrounded(double value, bool isKnown) {
  return {toRange(value, precision().overflow), isKnown ? 0 : kInfinity};
}

static bool isExact(Approx x) { return x.error == 0; }
// Whether the sign is known: a number that is off by its own size may be 0, or
// have the other sign.
static bool hasSign(Approx x) {
  return isExact(x) || x.error < std::abs(x.value);
}

Approx Approx::constant(double number) {
  bool isDouble = precision().roundoff < u;
  return {number, isDouble ? 0 : std::abs(number - double(float(number)))};
}

Approx operator+(Approx x, Approx y) {
  return rounded(x.value + y.value, x.error + y.error);
}

Approx operator-(Approx x) { return {-x.value, x.error}; }
Approx operator-(Approx x, Approx y) { return x + -y; }

Approx operator*(Approx x, Approx y) {
  double product = x.value * y.value;
  if (isUnknown(x.error) || isUnknown(y.error) || !std::isfinite(product))
    return unrounded(product, hasSign(x) && hasSign(y));
  double error = std::abs(x.value) * y.error + std::abs(y.value) * x.error +
                 x.error * y.error;
  // Zero has the sign of both.
  if (product == 0 && error == 0 && !(hasSign(x) && hasSign(y)))
    return {product, kEitherSign};
  return rounded(product, error, 1, precision().leastError);
}

Approx operator/(Approx x, Approx y) {
  double quotient = x.value / y.value;
  if (isUnknown(x.error) || !hasSign(y) || !std::isfinite(quotient))
    return unrounded(quotient, hasSign(x) && hasSign(y));
  double error = (x.error + std::abs(quotient) * y.error) / std::abs(y.value);
  return rounded(quotient, error, 1, precision().leastError);
}

// Of zeros the positive one is larger.
Approx maximum(Approx x, Approx y) {
  bool isFirst = std::isnan(x.value) || x.value > y.value ||
                 (x.value == y.value && !std::signbit(x.value));
  return {isFirst ? x.value : y.value, std::max(x.error, y.error)};
}

Approx minimum(Approx x, Approx y) { return -maximum(-x, -y); }

// An error of the operand is followed by moving it by that much. Functions of 0
// that are 0 have its sign.
static Approx apply(double (*function)(double), StringRef op, Approx x) {
  double value = function(x.value), moved = 0;
  if (isUnknown(x.error))
    return unrounded(value, false);
  if (x.error != 0)
    for (double error : {-x.error, x.error})
      moved = std::max(moved,
                       differenceOf(value, function(movedBy(x.value, error))));
  if (isExact(x) && x.value == 0 && value == 0)
    return {value, 0};
  return rounded(value, moved, findMathError(op)->units,
                 precision().leastError);
}

Approx exp(Approx x) { return apply(std::exp, "math.exp", x); }
Approx log(Approx x) { return apply(std::log, "math.log", x); }
Approx sqrt(Approx x) { return apply(std::sqrt, "math.sqrt", x); }
Approx tanh(Approx x) { return apply(std::tanh, "math.tanh", x); }
Approx sigmoid(Approx x) { return Approx(1) / (Approx(1) + exp(-x)); }

Approx Sum::result() const {
  double overflow = precision().overflow;
  return {toRange(value, overflow),
          errorOfSum(value, error + gamma(count) * magnitudes, magnitudes,
                     overflow)};
}

Approx maximumOf(ArrayRef<Approx> x) {
  Approx largest = -kInfinity;
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
  if (!isa<FloatType>(type) || type.getIntOrFloatBitWidth() >= 32)
    return x;
  const llvm::fltSemantics &semantics =
      cast<FloatType>(type).getFloatSemantics();
  double value = roundTo(semantics, x.value), error = 0;
  if (isUnknown(x.error))
    return {value, kInfinity};
  // What is such a number is not rounded.
  if (x.error == 0 && value == x.value)
    return x;
  for (double moved : {movedBy(x.value, -x.error), movedBy(x.value, x.error)})
    error = std::max(error, differenceOf(value, roundTo(semantics, moved)));
  if (rounding == Rounding::ToEither && std::isfinite(value))
    error += unitRoundoff(type) * std::abs(value);
  return {value, error};
}

} // namespace heddle::reference
