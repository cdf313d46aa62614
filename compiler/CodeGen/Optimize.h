// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// LLVM 22's code generators and its passes, as kernels and programs get them.

#ifndef HEDDLE_COMPILER_CODEGEN_OPTIMIZE_H
#define HEDDLE_COMPILER_CODEGEN_OPTIMIZE_H

#include "compiler/Target/MachineModel.h"

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"

namespace heddle {

/// A code generator for exactly `machine`.
std::unique_ptr<llvm::TargetMachine>
createTargetMachine(const MachineModel &machine);

/// Runs passes over `module` for `target`; `build` says which.
void runPasses(
    llvm::Module &module, llvm::TargetMachine &target,
    llvm::function_ref<llvm::ModulePassManager(llvm::PassBuilder &)> build);

/// Runs LLVM's pipeline over `module` for `target`.
void optimize(llvm::Module &module, llvm::TargetMachine &target);

} // namespace heddle

#endif // HEDDLE_COMPILER_CODEGEN_OPTIMIZE_H
