// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Constants that scores, or queries and keys, are multiplied or divided by.

#ifndef HEDDLE_COMPILER_ATTENTION_CONSTANTFACTORS_H
#define HEDDLE_COMPILER_ATTENTION_CONSTANTFACTORS_H

#include "mlir/IR/Value.h"

namespace heddle {

/// What `value` multiplies or divides by a constant, and null for all other
/// values. `factor` is multiplied by the constant, or divided.
mlir::Value peelFactor(mlir::Value value, double &factor);

/// Whether heddle.attention takes this scale (its constraint C4).
bool isScale(double factor);

} // namespace heddle

#endif // HEDDLE_COMPILER_ATTENTION_CONSTANTFACTORS_H
