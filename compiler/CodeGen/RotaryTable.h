// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_COMPILER_CODEGEN_ROTARYTABLE_H
#define HEDDLE_COMPILER_CODEGEN_ROTARYTABLE_H

#include "dialect/Heddle/HeddleDialect.h"

#include <vector>

namespace heddle {

/// The frequencies of a rotary embedding in radians per position, one for each
/// of the dimension / 2 pairs of channels (see heddle.rotary).
std::vector<double> rotaryFrequencies(int64_t dimension, double base,
                                      RopeScalingAttr scaling);

/// The values of a heddle.rotary_table, rounded once from double.
std::vector<float> rotaryTable(RotaryTableOp op);

} // namespace heddle

#endif // HEDDLE_COMPILER_CODEGEN_ROTARYTABLE_H
