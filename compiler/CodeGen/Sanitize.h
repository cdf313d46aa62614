// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Models that are to be linked into programs under a sanitizer.

#ifndef HEDDLE_COMPILER_CODEGEN_SANITIZE_H
#define HEDDLE_COMPILER_CODEGEN_SANITIZE_H

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace heddle {

enum class Sanitizer { None, Address, Thread };

/// Instruments the accesses of kernels and glue to memory as
/// `cc -fsanitize=address` and `cc -fsanitize=thread` do those of C. Goes after
/// all optimisations; the object calls the sanitizer's library.
void instrument(llvm::Module &module, llvm::TargetMachine &target,
                Sanitizer sanitizer);

} // namespace heddle

#endif // HEDDLE_COMPILER_CODEGEN_SANITIZE_H
