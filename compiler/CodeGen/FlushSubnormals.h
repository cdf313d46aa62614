// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_COMPILER_CODEGEN_FLUSHSUBNORMALS_H
#define HEDDLE_COMPILER_CODEGEN_FLUSHSUBNORMALS_H

#include "llvm/IR/Module.h"

namespace heddle {

/// Lets results below 2^-126 be 0 in the tasks of `kernel`, which give the
/// caller's mode back (MXCSR's bit FZ), and with it the caller's flags.
///
/// Attention weighs far keys by e^x for any x, so that most products of such a
/// key are subnormal, for which an Intel CPU takes more than a hundred cycles
/// each: ALiBi with steep slopes took 1.8 to 2.8 times as long as without. What
/// is lost of a sum is at most 2^-126 for each of its terms.
void flushSubnormals(llvm::Module &module, llvm::StringRef kernel);

} // namespace heddle

#endif // HEDDLE_COMPILER_CODEGEN_FLUSHSUBNORMALS_H
