// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From a module as it was written or imported to entry points whose sizes are
// known.

#ifndef HEDDLE_COMPILER_PREPARE_PASSES_H
#define HEDDLE_COMPILER_PREPARE_PASSES_H

#include "dialect/Heddle/HeddleDialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace heddle {

/// Does what --heddle-resolve-sizes does to one function or kernel. May be run
/// again once types of arguments have changed.
llvm::LogicalResult resolveSizes(mlir::FunctionOpInterface function);

/// Lets SizesOpInterface know the ops of arith and math.
void registerElementwiseSizes(mlir::DialectRegistry &registry);

/// Lets ConvertOpInterface know the ops of linalg and tensor, and those of
/// arith and math that have two results.
void registerLinalgConversions(mlir::DialectRegistry &registry);
void registerTensorConversions(mlir::DialectRegistry &registry);
void registerSplitResults(mlir::DialectRegistry &registry);
/// Lets DecomposeOpInterface know what ops of this dialect decompose into.
void registerDecompositions(mlir::DialectRegistry &registry);

#define GEN_PASS_DECL
#include "compiler/Prepare/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/Prepare/Passes.h.inc"

} // namespace heddle

#endif // HEDDLE_COMPILER_PREPARE_PASSES_H
