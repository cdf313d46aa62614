// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#ifndef HEDDLE_COMPILER_CODEGEN_INSTRUCTIONORDER_H
#define HEDDLE_COMPILER_CODEGEN_INSTRUCTIONORDER_H

namespace heddle {

/// Makes LLVM choose an order of instructions that needs few registers, before
/// it gives them any, for CPUs with vectors of 512 bits.
///
/// In source order, LLVM's own choice, the factors of all rows of a register
/// tile are read before the first product. So 3 of the 24 sums of attention's
/// values were spilled, and took 47% of the time in place of 36%.
/// With vectors of 256 bits, tiles of 4 bits became slower by a third at 7 rows
/// and faster by 15% at 512, and others stayed as they were.
void orderForFewRegisters();

} // namespace heddle

#endif // HEDDLE_COMPILER_CODEGEN_INSTRUCTIONORDER_H
