// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arithmetic that says how far single precision may be from its results
// (running error analysis: Higham, Accuracy and Stability of Numerical
// Algorithms, 3.3). A formula that is written with it gives a value and its
// bound at once.

#ifndef HEDDLE_COMPILER_REFERENCE_APPROX_H
#define HEDDLE_COMPILER_REFERENCE_APPROX_H

#include "compiler/Reference/ScalarMath.h"

namespace heddle::reference {

/// A number, and how far that of compiled code may be from it. Infinities and
/// NaN are exact, but where the error is infinite: that number may be anything
/// (FloatRange.h).
struct Approx {
  double value = 0, error = 0;

  Approx() = default;
  Approx(double value, double error = 0) : value(value), error(error) {}
  /// A constant of the formula, which code has as the nearest f32, or f64.
  static Approx constant(double number);
};

/// Each rounds its result, but for negation; what overflows is infinite.
Approx operator+(Approx x, Approx y);
Approx operator-(Approx x, Approx y);
Approx operator*(Approx x, Approx y);
Approx operator/(Approx x, Approx y);
Approx operator-(Approx x);
/// The larger one, which of zeros is the positive one; NaN if one of both is.
Approx maximum(Approx x, Approx y);
Approx minimum(Approx x, Approx y);
Approx exp(Approx x);
Approx log(Approx x);
Approx sqrt(Approx x);
Approx tanh(Approx x);
/// 1 / (1 + exp(-x))
Approx sigmoid(Approx x);

/// A sum, in any order.
class Sum {
public:
  void add(Approx term) {
    value += term.value;
    error += term.error;
    if (std::isfinite(term.value))
      magnitudes += std::abs(term.value);
    ++count;
  }
  Approx result() const;

private:
  double value = 0, error = 0, magnitudes = 0, count = 1;
};

/// The largest one, or -infinity of none.
Approx maximumOf(llvm::ArrayRef<Approx> x);
/// exp(x_i - m) / sum over j of exp(x_j - m), with m the largest x_j.
void softmax(llvm::MutableArrayRef<Approx> x);

/// `x`, stored as an element of `type`: rounded, if that is a float that is
/// shorter than f32.
Approx storeAs(mlir::Type type, Approx x, Rounding rounding);

} // namespace heddle::reference

#endif // HEDDLE_COMPILER_REFERENCE_APPROX_H
