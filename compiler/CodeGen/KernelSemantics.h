// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the code that Halide makes means something else than the model.

#ifndef HEDDLE_COMPILER_CODEGEN_KERNELSEMANTICS_H
#define HEDDLE_COMPILER_CODEGEN_KERNELSEMANTICS_H

#include "llvm/IR/Module.h"

namespace heddle {

/// Makes a kernel keep NaN and infinities as IEEE 754 says, convert every
/// number to some integer, and return what a parallel loop returns. Comes
/// before any optimisation, which would use what Halide promises.
void correctSemantics(llvm::Module &module);

/// Makes a kernel with assertions return HEDDLE_BROKEN_PROMISE where one does
/// not hold.
void returnBrokenPromises(llvm::Module &module);

} // namespace heddle

#endif // HEDDLE_COMPILER_CODEGEN_KERNELSEMANTICS_H
