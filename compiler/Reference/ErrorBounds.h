// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// How far single-precision code may be from the reference, element by element.
// Integers are what they are, but where they are made of floats that are off.
//
// Every operation on f32 is off by a factor 1 + d, |d| <= u = 2^-24, and a sum
// of n products by at most gamma(n) * (the sum of the products' magnitudes), in
// any order of summation and with or without fused multiply-add:
//   gamma(n) = u * min(n, 8 sqrt(n))
// n is the worst case (Higham, Accuracy and Stability of Numerical
// Algorithms, 3.1). 8 sqrt(n) is what roundings stay below that know nothing of
// each other, but with probability 2n exp(-8^2 / 2) (Higham and Mary, A New
// Approach to Probabilistic Rounding Error Analysis, theorem 2.4): 1e-10 for n
// = 8192.
//
// Bounds go from op to op to first order in u; those of a kernel's arguments
// are 0. They are relative to the terms of a sum, not to the sum, so that
// cancellation is no error, and a term that is missing or wrong is one as long
// as it is larger than gamma(n) of the terms together: one of 8192 equal terms
// is 2.8 times as large.
//
// A bound of 0 says that code has this number, with its sign if it is a zero.
// Overflow, and zeros whose sign may be either, are in FloatRange.h.

#ifndef HEDDLE_COMPILER_REFERENCE_ERRORBOUNDS_H
#define HEDDLE_COMPILER_REFERENCE_ERRORBOUNDS_H

#include "compiler/Reference/ScalarMath.h"
#include "compiler/Reference/Values.h"

#include "llvm/ADT/DenseMap.h"

namespace heddle::reference {

class Environment;

/// One for each element of a tensor; none where every element is exact.
using Bounds = std::vector<double>;

/// The bounds of the values of one kernel.
class ErrorBounds {
public:
  explicit ErrorBounds(Rounding rounding = Rounding::Exactly)
      : rounding(rounding) {}

  /// Goes on to the results of `op`, as an Evaluator::Observer is told of it.
  /// Bounds of results are NaN where an op has not the interface, or says that
  /// it knows none.
  void follow(mlir::Operation *op, llvm::ArrayRef<Value> results,
              const Environment &values);

  /// The errors of a value that is there already.
  void set(mlir::Value value, Bounds errors) {
    bounds[value] = std::move(errors);
  }
  llvm::ArrayRef<double> of(mlir::Value value) const;
  double at(mlir::Value value, size_t element) const {
    llvm::ArrayRef<double> all = of(value);
    return all.empty() ? 0 : all[element];
  }
  Rounding getRounding() const { return rounding; }

private:
  Rounding rounding;
  llvm::DenseMap<mlir::Value, Bounds> bounds;
};

/// Infinite ones of tensors.
llvm::SmallVector<Bounds> unknownBounds(llvm::ArrayRef<Value> results);

} // namespace heddle::reference

#endif // HEDDLE_COMPILER_REFERENCE_ERRORBOUNDS_H
