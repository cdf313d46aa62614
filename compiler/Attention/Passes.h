// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention: found among other ops, with short masks, and with heads and keys
// where kernels read them.

#ifndef HEDDLE_COMPILER_ATTENTION_PASSES_H
#define HEDDLE_COMPILER_ATTENTION_PASSES_H

#include "dialect/Heddle/HeddleDialect.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace heddle {
#define GEN_PASS_DECL
#include "compiler/Attention/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "compiler/Attention/Passes.h.inc"
} // namespace heddle

#endif // HEDDLE_COMPILER_ATTENTION_PASSES_H
