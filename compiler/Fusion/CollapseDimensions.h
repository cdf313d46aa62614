// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Neighbouring dimensions of a kernel that are always read together become one:
// the rows of [batch, length, channels] are [batch * length, channels].

#ifndef HEDDLE_COMPILER_FUSION_COLLAPSEDIMENSIONS_H
#define HEDDLE_COMPILER_FUSION_COLLAPSEDIMENSIONS_H

#include "dialect/Heddle/HeddleDialect.h"

namespace heddle {

/// Rewrites a kernel of heddle.generic ops with as few dimensions as it needs.
/// Its arguments and results then have fewer than the values that a launch
/// hands it, with the same elements in the same order. Last dimensions stay as
/// they are, as schedules tell rows from what lies side by side in them.
void collapseDimensions(KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_COMPILER_FUSION_COLLAPSEDIMENSIONS_H
