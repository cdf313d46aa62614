// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tiles of rows of which the last has fewer. Halide asks for each row whether
// it is there, wherever it does something with it: between the blocks of a sum,
// too.
//
//   let rows = n - 8 * tile
//   { if (0 < rows) .. if (7 < rows) .. }
//     -> if (8 <= rows) { .. } else { if (0 < rows) .. if (7 < rows) .. }

#ifndef HEDDLE_COMPILER_TRANSLATE_WHOLETILES_H
#define HEDDLE_COMPILER_TRANSLATE_WHOLETILES_H

#include <Halide.h>

namespace heddle {

/// Gives whole tiles code of their own.
void separateWholeTiles(Halide::Pipeline &pipeline);

} // namespace heddle

#endif // HEDDLE_COMPILER_TRANSLATE_WHOLETILES_H
