// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to this folder: `arith` and `math` ops as Halide's expressions.
//
// Ops on floats mean what their dialect says. What Halide computes of real
// numbers would reach LLVM 14 with the promise that there is no NaN and no
// infinity, and that leaves out what a constant of either would be stored by.
//
// An op with halide.strict on integers does, too, and these where the dialect
// leaves the result open:
// * x / 0 and x mod 0 are 0, the smallest integer divided by -1 is itself;
// * a shift counts modulo the width;
// * a float becomes the nearest integer that there is towards 0, NaN 0.
// Without it Halide's rules hold: integers never overflow, floor(x / y) is of a
// positive y, and floats that become integers are in their range. Expressions
// of coordinates have to be such, or Halide knows no bounds. Maxima of floats
// without it are Halide's, of which it makes vector reductions.

#ifndef HEDDLE_COMPILER_TRANSLATE_SCALARTRANSLATION_H
#define HEDDLE_COMPILER_TRANSLATE_SCALARTRANSLATION_H

#include "dialect/Halide/HalideDialect.h"

#include <Halide.h>

namespace heddle {

/// Halide's type of a scalar: an i1 is Halide's Bool, other integers are
/// signed. Without a value for types that kernels do not compute with.
std::optional<Halide::Type> toHalideType(mlir::Type type);

/// The value of `op`, whose operands have the values `operands`; undefined
/// where the table has no such op, or not of these types.
///
/// What would call a function of libm, such as math.exp, is not in the table:
/// objects need nothing but the runtime, and heddle-expand-math makes `arith`
/// ops of it.
Halide::Expr translateScalar(mlir::Operation *op,
                             llvm::ArrayRef<Halide::Expr> operands);

//===-- Its parts ---------------------------------------------------------===//

/// An op whose operands are integers of one type and whose result is such a
/// one, or i1.
Halide::Expr translateInteger(mlir::Operation *op,
                              llvm::ArrayRef<Halide::Expr> operands);
/// The same of f32 and f64.
Halide::Expr translateFloat(mlir::Operation *op,
                            llvm::ArrayRef<Halide::Expr> operands);
/// An op from one type to another.
Halide::Expr translateCast(mlir::Operation *op, Halide::Expr operand);
/// `value`, an f32, rounded to the nearest f16 or bf16, to even where two are
/// as near. NaN stays NaN.
Halide::Expr narrow(const Halide::Expr &value, Halide::Type type);

/// `condition` ? a : b, of any type. Halide chooses no bf16 and f16, promises
/// LLVM that what it chooses of other floats is no NaN, and takes the smallest
/// i64 for a bound that it is not (see withoutBounds in
/// IntegerTranslation.cpp).
Halide::Expr selectBits(const Halide::Expr &condition, const Halide::Expr &a,
                        const Halide::Expr &b);

/// The bits of an integer as an unsigned and as a signed number.
Halide::Expr asUnsigned(const Halide::Expr &value);
Halide::Expr asSigned(const Halide::Expr &value);

/// A number that Halide knows nothing of, at the cost of no instruction. In the
/// special cases of a schedule it takes comparisons for true that hold of all
/// real numbers, such as x == x and -1 < abs(x), strict or not.
Halide::Expr hidden(const Halide::Expr &value);

inline bool isStrict(mlir::Operation *op) {
  return op->hasAttr(halide::kStrictAttr);
}

} // namespace heddle

#endif // HEDDLE_COMPILER_TRANSLATE_SCALARTRANSLATION_H
