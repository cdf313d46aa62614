// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Halide 14 converts f16, and f32 to bf16, with a dozen instructions on
// integers, also for CPUs that have one for it (F16C, AVX512-BF16).

#ifndef HEDDLE_COMPILER_TRANSLATE_HALFCONVERSIONS_H
#define HEDDLE_COMPILER_TRANSLATE_HALFCONVERSIONS_H

#include <Halide.h>

namespace heddle {

/// Makes calls of conversions in lowered code, which CodeGen/HalfInstructions.h
/// makes instructions of: with `halves` between f16 and f32, by kWidenHalf and
/// kNarrowHalf; with `bfloats` from f32 to bf16, by kNarrowBFloat. Otherwise
/// the latter become integer arithmetic that leaves NaN what it is.
void callHalfConversions(Halide::Pipeline &pipeline, bool halves, bool bfloats);

} // namespace heddle

#endif // HEDDLE_COMPILER_TRANSLATE_HALFCONVERSIONS_H
