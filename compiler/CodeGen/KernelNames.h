// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_COMPILER_CODEGEN_KERNELNAMES_H
#define HEDDLE_COMPILER_CODEGEN_KERNELNAMES_H

#include "llvm/IR/Module.h"

namespace heddle {

/// The function of a compiled kernel, whatever model it is a part of.
inline constexpr llvm::StringLiteral kKernelName = "kernel";

/// Names the function `kernel` of `module` `name`, and all else that the module
/// defines after it. The function alone is visible outside.
void renameKernel(llvm::Module &module, llvm::StringRef kernel,
                  const std::string &name);

/// Has the launches of a device's functions, which count them from 0 on in each
/// kernel, begin with a number that `setFirstFunction` gives.
void countFromFirstFunction(llvm::Module &module);
void setFirstFunction(llvm::Module &module, size_t first);

} // namespace heddle

#endif // HEDDLE_COMPILER_CODEGEN_KERNELNAMES_H
