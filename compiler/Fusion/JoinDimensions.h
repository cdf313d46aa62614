// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_COMPILER_FUSION_JOINDIMENSIONS_H
#define HEDDLE_COMPILER_FUSION_JOINDIMENSIONS_H

#include "dialect/Heddle/HeddleDialect.h"

namespace heddle {

/// Coordinates at which a value is read, whose neighbouring dimensions are one
/// where they are read as parts of one number e: e in place of
/// (e floordiv n, e mod n), with n the size of the second one. Weights keep
/// their dimensions, as do values of more elements than kernels count.
Sizes joinCoordinates(const Sizes &at, mlir::Value value);

/// Makes such dimensions of an argument, which all that read it read so, one
/// dimension: a reshaped value is read without divisions.
void joinDimensions(KernelOp kernel);

} // namespace heddle

#endif // HEDDLE_COMPILER_FUSION_JOINDIMENSIONS_H
