// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From kernels to Halide algorithms.

#ifndef HEDDLE_COMPILER_LOWERING_PASSES_H
#define HEDDLE_COMPILER_LOWERING_PASSES_H

#include "dialect/Halide/HalideDialect.h"
#include "dialect/Heddle/HeddleDialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace heddle {
#define GEN_PASS_DECL
#include "compiler/Lowering/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/Lowering/Passes.h.inc"

/// Lets LoweringOpInterface know what ops of kernels become.
void registerLowerings(mlir::DialectRegistry &registry);
} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_PASSES_H
