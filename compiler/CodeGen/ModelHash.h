// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What tells a model from others with the same weights.

#ifndef HEDDLE_COMPILER_CODEGEN_MODELHASH_H
#define HEDDLE_COMPILER_CODEGEN_MODELHASH_H

#include "mlir/IR/BuiltinOps.h"

namespace heddle {

/// A hash of the text of `module`, as it is before any pass. Models that
/// differ alone in their name, which is that of a folder, and in what they say
/// of answers have the same.
uint64_t hashModel(mlir::ModuleOp module);

} // namespace heddle

#endif // HEDDLE_COMPILER_CODEGEN_MODELHASH_H
