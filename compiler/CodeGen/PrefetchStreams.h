// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_COMPILER_CODEGEN_PREFETCHSTREAMS_H
#define HEDDLE_COMPILER_CODEGEN_PREFETCHSTREAMS_H

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace heddle {

/// Makes the loops of products ask for the vectors that they read 2 KiB later,
/// each cache line once: weights and caches, which come from memory.
///
/// A CPU has as many lines under way as its instructions under way ask for, and
/// those that widen narrow numbers are many. Without it decoding read at 24
/// GB/s in bf16 and with it at 31, of 34 (Emerald Rapids, 2 threads); 4 rows
/// took 1.3 (f32) to 1.6 times as long (bf16 and int8). Where no factors are
/// multiplied, rows are few and come from caches: there it cost 10%.
void prefetchStreams(llvm::Module &module, llvm::TargetMachine &target);

} // namespace heddle

#endif // HEDDLE_COMPILER_CODEGEN_PREFETCHSTREAMS_H
