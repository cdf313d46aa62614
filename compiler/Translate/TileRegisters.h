// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums of products that tile registers of a CPU add up (AMX).
//
// Halide 14 has such registers, too, but it multiplies a tile by four bytes at
// a time, a sixteenth of what an instruction can, and no part of a tile.

#ifndef HEDDLE_COMPILER_TRANSLATE_TILEREGISTERS_H
#define HEDDLE_COMPILER_TRANSLATE_TILEREGISTERS_H

#include <Halide.h>

#include <set>
#include <string>

namespace heddle {

/// Where loops compute the sums of one of `funcs` over terms and rows, of bytes
/// or of pairs of bf16 that are read from memory, a function does (kTileSums),
/// and where they add to such sums, another one (kTileAdditions), which
/// CodeGen/TileInstructions.h defines. Other loops stay.
void sumInTileRegisters(Halide::Pipeline &pipeline,
                        const std::set<std::string> &funcs);

} // namespace heddle

#endif // HEDDLE_COMPILER_TRANSLATE_TILEREGISTERS_H
