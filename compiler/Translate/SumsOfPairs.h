// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of neighbouring products of bf16, which Halide makes one instruction of
// (vdpbf16ps): only where they are no strict floats. What such an instruction
// returns it would promise to be no NaN, so that the sums are made strict once
// it has found them.

#ifndef HEDDLE_COMPILER_TRANSLATE_SUMSOFPAIRS_H
#define HEDDLE_COMPILER_TRANSLATE_SUMSOFPAIRS_H

#include <Halide.h>

namespace heddle {

void makePairsStrict(Halide::Pipeline &pipeline);

} // namespace heddle

#endif // HEDDLE_COMPILER_TRANSLATE_SUMSOFPAIRS_H
