// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From launches on tensors to a host program on buffers, and on to LLVM.

#ifndef HEDDLE_COMPILER_HOST_PASSES_H
#define HEDDLE_COMPILER_HOST_PASSES_H

#include "dialect/Heddle/HeddleDialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace heddle {

/// The nested module that holds the host program.
inline constexpr llvm::StringLiteral kHostModule = "heddle.host";
/// What follows the name of an entry point in those of its functions. No
/// function of C can have such a name.
inline constexpr llvm::StringLiteral kRunSuffix = ".run";
inline constexpr llvm::StringLiteral kMeasureSuffix = ".measure";

#define GEN_PASS_DECL
#include "compiler/Host/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/Host/Passes.h.inc"

} // namespace heddle

#endif // HEDDLE_COMPILER_HOST_PASSES_H
