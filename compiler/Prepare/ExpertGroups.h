// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Rows of a product that belong to experts, put side by side for each expert,
// so that its matrix is read once for several of them.

#ifndef HEDDLE_COMPILER_PREPARE_EXPERTGROUPS_H
#define HEDDLE_COMPILER_PREPARE_EXPERTGROUPS_H

#include "dialect/Heddle/HeddleDialect.h"

namespace heddle {

/// Whether that is worth it: of weights, which are stored in panels, as they
/// are or decoded.
bool areWorthGrouping(ExpertLinearOp op);

/// The same as a sum for each token and choice of an expert, but for its bias:
/// [.., j, n]. Of p pairs of those and e experts there are up to
/// p / rows + e tiles of some rows, and no more than p; those of a tile have
/// one expert, and rows that no pair has hold numbers that nobody reads.
mlir::Value buildGroupedProduct(mlir::OpBuilder &b, ExpertLinearOp op);

} // namespace heddle

#endif // HEDDLE_COMPILER_PREPARE_EXPERTGROUPS_H
