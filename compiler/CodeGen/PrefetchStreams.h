// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_COMPILER_CODEGEN_PREFETCHSTREAMS_H
#define HEDDLE_COMPILER_CODEGEN_PREFETCHSTREAMS_H

#include "compiler/Target/MachineModel.h"

#include "llvm/IR/Module.h"
#include "llvm/Target/TargetMachine.h"

namespace heddle {

/// Makes the loops of sums of products ask for the vectors that they read
/// `machine.bytesAhead` later, each cache line once: weights and caches, which
/// come from memory. Loops that read less than a line a turn ask for nothing.
///
/// A CPU has as many lines under way as its instructions under way ask for, and
/// those that widen narrow numbers are many. Without it one row of bf16 read at
/// 24 GB/s and with it at 31, of 34 (Emerald Rapids, 2 threads); 4 rows
/// took 1.3 times (f32) to 1.6 times (bf16) as long. Other loops read what
/// is in caches: a transposition took 1.2 times as long.
void prefetchStreams(llvm::Module &module, llvm::TargetMachine &target,
                     const MachineModel &machine);

} // namespace heddle

#endif // HEDDLE_COMPILER_CODEGEN_PREFETCHSTREAMS_H
