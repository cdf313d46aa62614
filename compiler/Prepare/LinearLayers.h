// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Layers that are made of linear ones.

#ifndef HEDDLE_COMPILER_PREPARE_LINEARLAYERS_H
#define HEDDLE_COMPILER_PREPARE_LINEARLAYERS_H

#include "dialect/Heddle/HeddleDialect.h"

#include "mlir/IR/BuiltinOps.h"

namespace heddle {

/// Feed-forward and attention layers of `module` with a matrix that
/// `isConcerned` holds of become the linear ones that they mean.
void exposeLinearLayers(mlir::ModuleOp module,
                        llvm::function_ref<bool(mlir::Value)> isConcerned);

} // namespace heddle

#endif // HEDDLE_COMPILER_PREPARE_LINEARLAYERS_H
