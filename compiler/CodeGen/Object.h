// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One LLVM module of kernels and the host program, and what can be made of it.

#ifndef HEDDLE_COMPILER_CODEGEN_OBJECT_H
#define HEDDLE_COMPILER_CODEGEN_OBJECT_H

#include "compiler/CodeGen/Glue.h"
#include "compiler/CodeGen/KernelCompiler.h"

#include "llvm/Support/Error.h"

namespace heddle {

/// Links the optimised kernels with the host program (see translateHost), which
/// it optimises, and what callers see. Fails where a kernel refers to something
/// that no object may need, such as an allocation.
llvm::Expected<std::unique_ptr<llvm::Module>>
linkModel(llvm::LLVMContext &context, const CompiledKernels &kernels,
          std::unique_ptr<llvm::Module> host, const ModelPlan &plan,
          const MachineModel &machine, const GlueOptions &options);

/// Makes one module of the programs of all targets of a model, the first one
/// first.
llvm::Expected<std::unique_ptr<llvm::Module>>
linkTargets(std::vector<std::unique_ptr<llvm::Module>> programs,
            llvm::StringRef name);

/// Appends an object file, or assembly, to `output`. All symbols of an object
/// begin with `prefix`, local ones too. Fails where the object needs a function
/// that no object may need.
llvm::Error emitObject(llvm::Module &module, const MachineModel &machine,
                       llvm::StringRef prefix, llvm::CodeGenFileType type,
                       llvm::SmallVectorImpl<char> &output);

/// The generated C header. `others` are the targets after the first.
std::string writeHeader(const ModelPlan &plan, const MachineModel &machine,
                        llvm::ArrayRef<MachineModel> others,
                        const GlueOptions &options, llvm::StringRef source);

} // namespace heddle

#endif // HEDDLE_COMPILER_CODEGEN_OBJECT_H
