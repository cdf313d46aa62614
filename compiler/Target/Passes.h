// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The target of a module: a CPU, and a device.

#ifndef HEDDLE_COMPILER_TARGET_PASSES_H
#define HEDDLE_COMPILER_TARGET_PASSES_H

#include "dialect/Heddle/HeddleDialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace heddle {
#define GEN_PASS_DECL
#include "compiler/Target/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/Target/Passes.h.inc"
} // namespace heddle

#endif // HEDDLE_COMPILER_TARGET_PASSES_H
