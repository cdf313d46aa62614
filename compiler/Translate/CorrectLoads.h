// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NaN in what kernels read.

#ifndef HEDDLE_COMPILER_TRANSLATE_STRICTLOADS_H
#define HEDDLE_COMPILER_TRANSLATE_STRICTLOADS_H

#include <Halide.h>

namespace heddle {

/// Lets lowered code read all floats strictly. Loads that a mask guards are
/// calls to LLVM, to which Halide adds its promise that there are no NaNs; and
/// LLVM 14 drops comparisons with what is promised to be none.
void readStrictly(Halide::Pipeline &pipeline);

} // namespace heddle

#endif // HEDDLE_COMPILER_TRANSLATE_STRICTLOADS_H
