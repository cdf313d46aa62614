// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Internal to this folder: what a device runs of a lowered pipeline.

#ifndef HEDDLE_COMPILER_TRANSLATE_OFFLOADKERNELS_H
#define HEDDLE_COMPILER_TRANSLATE_OFFLOADKERNELS_H

#include "compiler/Target/MachineModel.h"
#include "compiler/Translate/AlgorithmTranslation.h"
#include "compiler/Translate/OpenClText.h"

#include "llvm/Support/ErrorOr.h"

namespace heddle {

/// A function of a device: loops over blocks and over threads, of one dimension
/// each, around what a thread does.
struct OffloadedKernel {
  std::string name;
  Halide::Internal::Stmt statement;
  std::vector<Halide::Internal::DeviceArgument> arguments;
  int64_t threads; ///< of a block
};

/// Lets lowered code of `outputs`, which compute `pipeline`, launch kernels of
/// `device` with blocks of `threads` threads, and adds those to `kernels`,
/// whose address must not change. Each loop over blocks is one; a pipeline
/// without any is a kernel of one block, and one of tasks a kernel whose blocks
/// are tasks. A launch is a call of
///   int heddle_launch(void *user_context, int kernel, int blocks, int threads,
///       int shared_bytes, const int64_t *sizes, void *const *arguments,
///       const uint8_t *are_buffers)
/// with the number of the kernel, and of each argument the size, where it is,
/// and whether it is the address of memory.
void offloadKernels(Halide::Pipeline &outputs,
                    const TranslatedPipeline &pipeline, const std::string &name,
                    const DeviceModel &device, int64_t threads,
                    std::vector<OffloadedKernel> &kernels);

/// The part of a program of OpenCL C (OpenClText.h) that is that kernel.
OpenClText printOpenCl(const OffloadedKernel &kernel);

/// LLVM 14 bitcode of what a thread of that kernel does, for
/// CodeGen/CudaCode.h.
llvm::ErrorOr<std::string> compileForCuda(const OffloadedKernel &kernel);

} // namespace heddle

#endif // HEDDLE_COMPILER_TRANSLATE_OFFLOADKERNELS_H
