// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From scheduled pipelines to optimised LLVM 22 modules.

#ifndef HEDDLE_COMPILER_CODEGEN_KERNELCOMPILER_H
#define HEDDLE_COMPILER_CODEGEN_KERNELCOMPILER_H

#include "compiler/CodeGen/DeviceFunction.h"
#include "compiler/Target/MachineModel.h"
#include "compiler/Translate/HalideTranslation.h"
#include "dialect/Halide/HalideDialect.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/MemoryBuffer.h"

namespace heddle {

struct CompiledKernels {
  /// One for each pipeline.
  std::vector<std::unique_ptr<llvm::MemoryBuffer>> bitcode;
  /// Pipelines that are not compiled, and those whose functions stand for them
  /// (AlikePipelines.h).
  std::vector<std::pair<std::string, std::string>> alike;
  /// What a device runs of them all, by the numbers that launches have.
  std::vector<DeviceFunction> deviceFunctions;
};

/// Optimised bitcode of each pipeline. Its function has the pipeline's name
/// after `prefix`, and all names in it begin with that. Halide runs in this
/// thread, in order (its names are counted per process); LLVM runs beside it in
/// others. `progress` is told the number of each pipeline as Halide starts on
/// it.
mlir::FailureOr<CompiledKernels>
compileKernels(llvm::ArrayRef<halide::PipelineOp> pipelines,
               const MachineModel &machine, llvm::StringRef prefix,
               llvm::function_ref<void(size_t)> progress);

} // namespace heddle

#endif // HEDDLE_COMPILER_CODEGEN_KERNELCOMPILER_H
