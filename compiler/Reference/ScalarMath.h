// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The ops of arith and math on one element: exactly, and how far code in single
// precision may be from that.

#ifndef HEDDLE_COMPILER_REFERENCE_SCALARMATH_H
#define HEDDLE_COMPILER_REFERENCE_SCALARMATH_H

#include "mlir/IR/Operation.h"
#include "llvm/Support/Error.h"

#include <functional>

namespace heddle::reference {

/// A number as the reference has it. Integers are sign-extended from their
/// width, but for i1, which is 0 or 1.
struct Scalar {
  double real = 0;     ///< of float types
  int64_t integer = 0; ///< of integer types
  /// How far code may be from it, to first order; infinite where it may be
  /// another integer.
  double error = 0;

  static Scalar of(double real, double error = 0) { return {real, 0, error}; }
  static Scalar of(int64_t integer) { return {0, integer, 0}; }
};

/// An element of a tensor of `type` that holds doubles, and back.
Scalar toScalar(mlir::Type type, double element, double error = 0);
double fromScalar(mlir::Type type, const Scalar &scalar);

/// An op of arith or math, looked up once and then run on many elements.
class ScalarOp {
public:
  /// Fails for an op that has no meaning on elements.
  static llvm::Expected<ScalarOp> of(mlir::Operation *op);

  /// The result, with the errors of operands and the op's own rounding.
  Scalar operator()(llvm::ArrayRef<Scalar> operands) const;

private:
  using Function = std::function<Scalar(llvm::ArrayRef<Scalar>)>;

  Function exact;
  bool isReal = false;      ///< the result is of a float type
  double rounding = 0;      ///< of the result, relative to it
  double leastRounding = 0; ///< of the result, whatever its size
  bool isExtremum = false;  ///< of errors the largest counts, not their sum
  llvm::SmallVector<bool, 4> isInteger; ///< of each operand; i1 is none
};

/// 2^-p, by which rounding to `type` of p significant bits changes a number.
double unitRoundoff(mlir::Type type);

/// What code in `type` may be off by in a sum of `count` numbers whose
/// magnitudes add up to `magnitudes`, in any order (see ErrorBounds.h).
double sumError(mlir::Type type, double count, double magnitudes);

} // namespace heddle::reference

#endif // HEDDLE_COMPILER_REFERENCE_SCALARMATH_H
