// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_COMPILER_CODEGEN_PIPELINETEXT_H
#define HEDDLE_COMPILER_CODEGEN_PIPELINETEXT_H

#include "dialect/Halide/HalideDialect.h"

namespace heddle {

/// All of `pipeline` that decides what it compiles to. Pipelines with the same
/// text may differ in their names, and in what they call the sizes that they
/// are given. A product of prompts and that of single tokens do, as their rows
/// are "batch * length" and "batch".
std::string textOf(halide::PipelineOp pipeline);

} // namespace heddle

#endif // HEDDLE_COMPILER_CODEGEN_PIPELINETEXT_H
