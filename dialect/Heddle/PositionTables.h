// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The numbers of heddle.rotary_table and heddle.sinusoidal_positions.

#ifndef HEDDLE_DIALECT_HEDDLE_POSITIONTABLES_H
#define HEDDLE_DIALECT_HEDDLE_POSITIONTABLES_H

#include "dialect/Heddle/HeddleDialect.h"

#include <vector>

namespace heddle {

/// What a position turns each pair of channels by, in radians, and what cosines
/// and sines are multiplied by.
struct RotaryFrequencies {
  std::vector<double> ofPairs;
  double attention = 1;
};

/// Those of `dimension` channels that rotate; `scaling` may be null.
RotaryFrequencies rotaryFrequencies(int64_t dimension, double base,
                                    RopeScalingAttr scaling);

} // namespace heddle

#endif // HEDDLE_DIALECT_HEDDLE_POSITIONTABLES_H
