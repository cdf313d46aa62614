// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a function must look like so that C can call it.

#ifndef HEDDLE_COMPILER_CODEGEN_CHECKENTRIES_H
#define HEDDLE_COMPILER_CODEGEN_CHECKENTRIES_H

#include "mlir/IR/BuiltinOps.h"

namespace heddle {

/// Demands that `module` has a func.func that is not private, of every such
/// that
///   - it has a body;
///   - its name is a C identifier, and what the header makes of it and of
///     `prefix` is no name that something else has;
///   - its arguments and results have names that are different from each other
///     (HeaderNames.h has what the header makes of them);
///   - arguments and results are tensors of at most HEDDLE_MAX_RANK dimensions,
///     or caches;
///   - caches that it appends to are returned.
/// Emits an error for the first that is not so.
llvm::LogicalResult checkEntries(mlir::ModuleOp module, llvm::StringRef prefix);

} // namespace heddle

#endif // HEDDLE_COMPILER_CODEGEN_CHECKENTRIES_H
