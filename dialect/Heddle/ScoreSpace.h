// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_DIALECT_HEDDLE_SCORESPACE_H
#define HEDDLE_DIALECT_HEDDLE_SCORESPACE_H

#include "dialect/Heddle/Sizes.h"

#include <array>

namespace heddle {

/// The sizes of attention's scores: of the batch, the query's heads, the
/// queries and the keys, in the order of ScoreDim.
using ScoreSpace = std::array<SizeAttr, 4>;

} // namespace heddle

#endif // HEDDLE_DIALECT_HEDDLE_SCORESPACE_H
