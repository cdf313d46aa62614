// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Halide 14 converts f16 with a dozen instructions on integers, also for CPUs
// that have one for it (F16C).

#ifndef HEDDLE_COMPILER_TRANSLATE_HALFCONVERSIONS_H
#define HEDDLE_COMPILER_TRANSLATE_HALFCONVERSIONS_H

#include <Halide.h>

namespace heddle {

/// Makes calls to kWidenHalf and kNarrowHalf of conversions between f16 and f32
/// in lowered code, which CodeGen/HalfInstructions.h makes instructions of.
void callHalfConversions(Halide::Pipeline &pipeline);

} // namespace heddle

#endif // HEDDLE_COMPILER_TRANSLATE_HALFCONVERSIONS_H
