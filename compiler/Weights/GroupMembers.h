// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loops over the members of a group that is quantised, which take nearly all of
// the time of that. Wide vectors are used where the CPU has them; results are
// the same on every CPU, as no product is fused with a sum.

#ifndef HEDDLE_COMPILER_WEIGHTS_GROUPMEMBERS_H
#define HEDDLE_COMPILER_WEIGHTS_GROUPMEMBERS_H

#include "dialect/Heddle/HeddleDialect.h"

namespace heddle {

/// The first of the members that are the furthest from 0, or NaN where there is
/// one.
double findLargest(llvm::ArrayRef<double> members);

/// The scale with the least sum of squared errors of `members`, of the
/// candidates of heddle.quantize; `most` is findLargest of them, finite and not
/// 0. Codes are from `lowest` to `largest`.
double fitScale(llvm::ArrayRef<double> members, double most, double lowest,
                double largest);

/// The codes of `members`: their quotients by `scale`, rounded to f32, and then
/// to the nearest integer, of two the even one, from `lowest` to `largest`. 0
/// of what is not a number, and with a scale of 0.
void encodeMembers(llvm::ArrayRef<double> members, double scale, double lowest,
                   double largest, llvm::MutableArrayRef<int16_t> codes);

} // namespace heddle

#endif // HEDDLE_COMPILER_WEIGHTS_GROUPMEMBERS_H
