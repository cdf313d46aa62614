// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_COMPILER_CODEGEN_FLUSHSUBNORMALS_H
#define HEDDLE_COMPILER_CODEGEN_FLUSHSUBNORMALS_H

#include "llvm/IR/Module.h"

namespace heddle {

/// Lets results below 2^-126 be 0 in the tasks of `kernel`, which give the
/// caller's mode back (MXCSR's bit FZ), and with it the caller's flags.
///
/// Softmax weighs far keys by e^x for any x, so that most products of such a
/// key are subnormal, for which an Intel CPU takes more than a hundred cycles
/// each: ALiBi with random slopes took 1.65 times as long with 512 queries, and
/// 1.24 times with 2048 (an Emerald Rapids). A sum loses at most 2^-126 for
/// each of its terms.
void flushSubnormals(llvm::Module &module, llvm::StringRef kernel);

} // namespace heddle

#endif // HEDDLE_COMPILER_CODEGEN_FLUSHSUBNORMALS_H
