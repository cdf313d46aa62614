// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How ops say how a weight that they make is read: WeightInterfaces.td.

#ifndef HEDDLE_COMPILER_WEIGHTS_WEIGHTINTERFACES_H
#define HEDDLE_COMPILER_WEIGHTS_WEIGHTINTERFACES_H

#include "compiler/Weights/BoxReader.h"

#include "mlir/IR/DialectRegistry.h"
#include "mlir/IR/OpDefinition.h"

#include "compiler/Weights/WeightInterfaces.h.inc"

namespace heddle {

/// Registers the ops that may stand in the body of a heddle.weight.
void registerWeightExpressions(mlir::DialectRegistry &registry);

/// What each file registers.
void registerWeightArithmetic(mlir::DialectRegistry &registry);
void registerWeightMovements(mlir::DialectRegistry &registry);
void registerWeightQuantization(mlir::DialectRegistry &registry);

} // namespace heddle

#endif // HEDDLE_COMPILER_WEIGHTS_WEIGHTINTERFACES_H
