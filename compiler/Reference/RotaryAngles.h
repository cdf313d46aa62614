// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The angles of rotary position embeddings (see heddle.rotary), and the tables
// of positions.

#ifndef HEDDLE_COMPILER_REFERENCE_ROTARYANGLES_H
#define HEDDLE_COMPILER_REFERENCE_ROTARYANGLES_H

#include "compiler/Reference/Values.h"

namespace heddle::reference {

/// By how much one position turns channel pair `pair` of a head of which
/// `dimension` channels turn, in radians. `scaling` may be null; without a
/// length of its own it is that of a sequence which ends at `position`.
double rotaryFrequency(int64_t pair, int64_t dimension, double base,
                       RopeScalingAttr scaling, double position);

/// What cosines and sines are multiplied by.
double rotaryAttention(RopeScalingAttr scaling);

/// What a table holds, in double precision.
Tensor tableOf(TableOpInterface op);

} // namespace heddle::reference

#endif // HEDDLE_COMPILER_REFERENCE_ROTARYANGLES_H
