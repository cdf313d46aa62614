// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The ops of arith and math on one element: exactly, and how far code in single
// precision may be from that.

#ifndef HEDDLE_COMPILER_REFERENCE_SCALARMATH_H
#define HEDDLE_COMPILER_REFERENCE_SCALARMATH_H

#include "compiler/Reference/Values.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/APFloat.h"
#include "llvm/Support/Error.h"

#include <functional>

namespace heddle::reference {

/// A number as the reference has it. Integers are sign-extended from their
/// width, but for i1, which is 0 or 1.
struct Scalar {
  double real = 0;     ///< of float types
  int64_t integer = 0; ///< of integer types
  /// How far code may be from it, to first order; infinite where nothing is
  /// known of that (FloatRange.h).
  double error = 0;

  static Scalar of(double real, double error = 0) { return {real, 0, error}; }
  static Scalar of(int64_t integer) { return {0, integer, 0}; }
};

/// An element of a tensor of `type`, which code has but for `error`.
Scalar getElement(const Tensor &tensor, mlir::Type type, size_t element,
                  double error = 0);
void setElement(Tensor &tensor, mlir::Type type, size_t element,
                const Scalar &scalar);

/// getElement for many elements of one type, which is looked at once.
class ElementReader {
public:
  ElementReader() = default;
  explicit ElementReader(mlir::Type type);
  Scalar operator()(const Tensor &tensor, size_t element, double error) const {
    if (isReal)
      return Scalar::of(tensor.data[element], error);
    return {0, wrapped(tensor.integer(element)), error};
  }

private:
  int64_t wrapped(int64_t integer) const;

  bool isReal = false;
  unsigned width = 0; ///< of unsigned integers
};

/// The number that an element of an unsigned `type` is, whose scalar wraps
/// around.
uint64_t unsignedOf(mlir::Type type, int64_t scalar);
/// The number that a scalar is, as an element of `type`.
double numberOf(mlir::Type type, const Scalar &scalar);
/// Whether an integer of `type` is less than another one.
bool isLess(mlir::Type type, int64_t x, int64_t y);

/// How results of bf16 and f16 are rounded.
enum class Rounding {
  /// As code does it: where operands are exact, so is the result. The reference
  /// rounds what f32 gives, which for sums, products, quotients and roots is
  /// what the exact result is rounded to (Figueroa, "When is double rounding
  /// innocuous?", 1995: f32 has more than twice the bits).
  Exactly,
  /// As if each might be the neighbour of what it is: where what comes before
  /// is a little off, or in another order, a few are, and no bound tells which.
  ToEither
};

/// An op of arith or math, looked up once and then run on many elements.
class ScalarOp {
public:
  /// Fails for an op that has no meaning on elements.
  static llvm::Expected<ScalarOp> of(mlir::Operation *op,
                                     Rounding rounding = Rounding::Exactly);

  /// The result, with the errors of operands and the op's own rounding.
  Scalar operator()(llvm::ArrayRef<Scalar> operands) const;
  /// The same without an error, which takes most of the time.
  Scalar valueOf(llvm::ArrayRef<Scalar> operands) const;

private:
  using Function = std::function<Scalar(llvm::ArrayRef<Scalar>)>;

  /// An operand that is off by `error` either way, or the other i1.
  Scalar move(unsigned operand, Scalar value, double error) const;
  /// The error of `result` that comes from the error of one operand.
  double followError(llvm::ArrayRef<Scalar> operands, unsigned index,
                     const Scalar &result) const;
  /// The error that rounding adds to `result`, which has that of its operands.
  double ownError(llvm::ArrayRef<Scalar> operands, const Scalar &result) const;

  Function exact;
  bool isReal = false;      ///< the result is of a float type
  double rounding = 0;      ///< of the result, relative to it
  double leastRounding = 0; ///< of the result, whatever its size
  double overflow = 0;      ///< of its type (FloatRange.h)
  bool isFunction = false;  ///< its rounding is that of several operations
  bool isExtremum = false;  ///< of errors the largest counts, not their sum
  bool isProduct = false;   ///< of its first two operands, with a third or not
  bool isChoice = false;    ///< by its first operand of the others
  /// That of a narrow result, which is rounded to it last.
  const llvm::fltSemantics *narrow = nullptr;
  double lastRounding = 0; ///< what that may be off by, relative to the result
  /// The result grows or falls with each operand, so that what is between two
  /// operands gives what is between two results.
  bool isMonotone = false;
  bool isOfBits = false;                 ///< the float whose bits an integer is
  llvm::SmallVector<unsigned, 4> widths; ///< of integer operands; 0 of others
};

/// The nearest number that `semantics` has.
double roundTo(const llvm::fltSemantics &semantics, double value);
/// How far apart numbers of a type are that are as large as `value`.
double unitInLastPlace(const llvm::fltSemantics &semantics, double value);

/// 2^-p, by which rounding to `type` of p significant bits changes a number.
double unitRoundoff(mlir::Type type);

/// What code in `type` may be off by in a sum of `count` numbers whose
/// magnitudes add up to `magnitudes`, in any order (see ErrorBounds.h).
double sumError(mlir::Type type, double count, double magnitudes);

} // namespace heddle::reference

#endif // HEDDLE_COMPILER_REFERENCE_SCALARMATH_H
