// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions of `math` as arithmetic on f32 (see ScalarMaths.h). How accurate
// each is stands in compiler/Reference/MathErrors.h; NaN, infinities and signed
// zeros are those of IEEE 754 and C, annex F. Products and sums may be rounded
// once or twice: no formula depends on it.

#ifndef HEDDLE_COMPILER_LOWERING_MATHEXPANSIONS_H
#define HEDDLE_COMPILER_LOWERING_MATHEXPANSIONS_H

#include "compiler/Lowering/ScalarMaths.h"

#include <utility>

namespace heddle {

//===-- Exponentials (ExpandExponentials.cpp) -----------------------------===//

Float expandExp(Float x);
Float expandExp2(Float x);
Float expandExpm1(Float x);
Float expandSinh(Float x);
Float expandCosh(Float x);
Float expandTanh(Float x);

/// x = n ln 2 + r with an integer n, for |x| below 150.
struct ExponentAndRest {
  Float n, r;
};
ExponentAndRest reduceExponent(Float x);
/// e^r for |r| up to ln(2) / 2.
Float expOfRest(Float r);
/// y 2^n for y in [1/2, 2] and n in [-150, 129], rounded once.
Float scaleByPowerOf2(Float y, Int n);

//===-- Logarithms (ExpandLogarithms.cpp) ---------------------------------===//

Float expandLog(Float x);
Float expandLog2(Float x);
Float expandLog10(Float x);
Float expandLog1p(Float x);
Float expandAsinh(Float x);
Float expandAcosh(Float x);
Float expandAtanh(Float x);

/// x = 2^e (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)), for x positive and
/// finite.
struct ExponentAndFraction {
  Float e, f;
};
ExponentAndFraction splitExponent(Float x);

//===-- Error functions (ExpandErrorFunctions.cpp) ------------------------===//

Float expandErf(Float x);
Float expandErfc(Float x);

//===-- Trigonometry (ExpandTrigonometry.cpp, ExpandArcs.cpp) -------------===//

Float expandSin(Float x);
Float expandCos(Float x);
Float expandTan(Float x);
Float expandAsin(Float x);
Float expandAcos(Float x);
Float expandAtan(Float x);
Float expandAtan2(Float y, Float x);

//===-- Powers (ExpandPowers.cpp) -----------------------------------------===//

Float expandPow(Float x, Float y);
/// x^n, where `y` is n and `isOdd` says whether n is.
Float expandIntegerPow(Float x, Double y, Bool isOdd);
Float expandCbrt(Float x);
Float expandRsqrt(Float x);

//===-- Small ones (ExpandRounding.cpp) -----------------------------------===//

/// The nearest integer; halfway between two, the one further from 0.
Float expandRound(Float x);
Float expandCopysign(Float magnitude, Float sign);
/// What the division of x by y, towards 0, leaves.
Float expandRem(Float x, Float y);
Bool expandIsInf(Float x);
Bool expandIsFinite(Float x);
Bool expandIsNormal(Float x);

//===-- Between floats (ExpandNarrowFloats.cpp) ---------------------------===//

/// The bits of a float of eight bits, 0 to 255, as f32, and back.
Float expandFromE4M3(Int bits);
Float expandFromE5M2(Int bits);
Int expandToE4M3(Float x);
Int expandToE5M2(Float x);
/// An f32 that bf16, f16 and floats of eight bits round as they round `x`.
Float expandToOdd(Double x);

//===-- Of f64 (ExpandDouble.cpp) -----------------------------------------===//

/// The result of an op on f64, as arithmetic or a call of the C library; null
/// where there is neither.
mlir::Value expandDouble(mlir::Operation *op);

} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_MATHEXPANSIONS_H
