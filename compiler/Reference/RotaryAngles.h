// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The angles of rotary position embeddings (see heddle.rotary).

#ifndef HEDDLE_COMPILER_REFERENCE_ROTARYANGLES_H
#define HEDDLE_COMPILER_REFERENCE_ROTARYANGLES_H

#include "compiler/Reference/Values.h"

namespace heddle::reference {

/// By how much one position turns channel pair `pair` of a head of `dimension`
/// channels, in radians. `scaling` may be null.
double rotaryFrequency(int64_t pair, int64_t dimension, double base,
                       RopeScalingAttr scaling);

/// The table of heddle.rotary_table, in double precision.
Tensor rotaryTable(RotaryTableOp op);

} // namespace heddle::reference

#endif // HEDDLE_COMPILER_REFERENCE_ROTARYANGLES_H
