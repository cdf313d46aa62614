// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The error of inputs of a layer that are rounded: the root mean square of the
// change, in parts of that of the inputs, if these are distributed normally.

#ifndef HEDDLE_COMPILER_PREPARE_INPUTERRORS_H
#define HEDDLE_COMPILER_PREPARE_INPUTERRORS_H

#include <cstdint>

namespace heddle {

/// That of integers of so many bits, where each `group` of inputs has a scale.
double quantizationError(unsigned bits, int64_t group);

/// That of bf16, whose neighbours are 2^-7 apart between 1 and 2: 2^-7 /
/// sqrt(12), times 0.74, the root mean square of 1/x for x whose logarithm is
/// distributed evenly there.
inline constexpr double kBFloatError = 0.0017;

} // namespace heddle

#endif // HEDDLE_COMPILER_PREPARE_INPUTERRORS_H
