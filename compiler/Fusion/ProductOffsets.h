// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Offsets of products of integers: zeros and minimums of columns, times sums of
// groups of rows, which are contractions of their own
// (Prepare/QuantizeActivations.cpp). Panels of both have the same width, so
// that one kernel computes them. Where groups are the blocks that integers are
// added up in, one loop does.

#ifndef HEDDLE_COMPILER_FUSION_PRODUCTOFFSETS_H
#define HEDDLE_COMPILER_FUSION_PRODUCTOFFSETS_H

#include "dialect/Heddle/HeddleDialect.h"

namespace heddle {

/// The contractions whose results are subtracted from that of `integers`, and
/// are used for nothing else. None of ops that add up no integers.
llvm::SmallVector<GenericOp> offsetsOf(GenericOp integers);

/// The products of integers that `op` is an offset of, the first of several in
/// one sum; null where it is none.
GenericOp integersOf(GenericOp op);

} // namespace heddle

#endif // HEDDLE_COMPILER_FUSION_PRODUCTOFFSETS_H
