// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_COMPILER_CODEGEN_ALIKEPIPELINES_H
#define HEDDLE_COMPILER_CODEGEN_ALIKEPIPELINES_H

#include "dialect/Halide/HalideDialect.h"

#include "llvm/ADT/ArrayRef.h"

namespace heddle {

/// The number, for each pipeline, of the first one that compiles to the same
/// function, which is itself where no other one before it does: they may differ
/// in their names, and in what they call the sizes that they are given. A
/// product of prompts and that of single tokens do, as their rows are
/// "batch * length" and "batch".
llvm::SmallVector<size_t>
findAlike(llvm::ArrayRef<halide::PipelineOp> pipelines);

} // namespace heddle

#endif // HEDDLE_COMPILER_CODEGEN_ALIKEPIPELINES_H
