// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From scheduled pipelines to optimised LLVM 22 modules.

#ifndef HEDDLE_COMPILER_CODEGEN_KERNELCOMPILER_H
#define HEDDLE_COMPILER_CODEGEN_KERNELCOMPILER_H

#include "compiler/CodeGen/DeviceFunction.h"
#include "compiler/CodeGen/KernelCache.h"
#include "compiler/Target/MachineModel.h"
#include "compiler/Translate/HalideTranslation.h"
#include "dialect/Halide/HalideDialect.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/MemoryBuffer.h"

namespace heddle {

/// The optimised bitcode of a pipeline.
struct CompiledKernel {
  std::string name; ///< the pipeline's
  /// Of a function kKernelName and all that it needs (KernelNames.h).
  std::unique_ptr<llvm::MemoryBuffer> bitcode;
  /// Its first one of CompiledKernels::deviceFunctions.
  size_t firstFunction;
};

struct CompiledKernels {
  std::vector<CompiledKernel> kernels;
  /// Pipelines that are not among them, and those that compile to the same
  /// (PipelineText.h).
  std::vector<std::pair<std::string, std::string>> alike;
  /// What a device runs of them all, by the numbers that launches have.
  std::vector<DeviceFunction> deviceFunctions;
};

/// Is told the number, counted from 0, and the name of each pipeline as Halide
/// starts on it, and how many it compiles.
using KernelProgress =
    llvm::function_ref<void(size_t number, size_t count, llvm::StringRef name)>;

/// Compiles the pipelines that `cache` does not have, and keeps them there.
/// Halide runs in this thread, in order (its names are counted per process);
/// LLVM runs beside it in others.
mlir::FailureOr<CompiledKernels>
compileKernels(llvm::ArrayRef<halide::PipelineOp> pipelines,
               const MachineModel &machine, const KernelCache &cache,
               KernelProgress progress);

} // namespace heddle

#endif // HEDDLE_COMPILER_CODEGEN_KERNELCOMPILER_H
