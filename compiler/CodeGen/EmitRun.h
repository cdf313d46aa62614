// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_COMPILER_CODEGEN_EMITRUN_H
#define HEDDLE_COMPILER_CODEGEN_EMITRUN_H

#include "compiler/CodeGen/AbiTypes.h"
#include "compiler/CodeGen/Glue.h"

namespace heddle {

/// Emits `int run(const heddle_frame *)` of an entry point: calls its kernels
/// in order, on buffers in the workspace.
llvm::Function *emitRun(llvm::Module &module, const AbiTypes &abi,
                        const EntryPlan &entry, const GlueOptions &options);

} // namespace heddle

#endif // HEDDLE_COMPILER_CODEGEN_EMITRUN_H
