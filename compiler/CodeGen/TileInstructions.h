// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The functions of kernels that multiply in tile registers (AMX).

#ifndef HEDDLE_COMPILER_CODEGEN_TILEINSTRUCTIONS_H
#define HEDDLE_COMPILER_CODEGEN_TILEINSTRUCTIONS_H

#include "llvm/IR/Module.h"

namespace heddle {

/// Defines those that kernels call (kTileFunctions). A function that calls some
/// releases its registers in the end: they and their shape last no longer.
void defineTileSums(llvm::Module &module);

/// Whether there are such instructions in `module`.
bool usesTileRegisters(const llvm::Module &module);

} // namespace heddle

#endif // HEDDLE_COMPILER_CODEGEN_TILEINSTRUCTIONS_H
