// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loops that the strategies split dimensions into. `--emit=schedule` prints
// these names. Variables of the algorithm itself are in Lowering/Names.h and
// Lowering/AttentionFuncs.h.

#ifndef HEDDLE_COMPILER_SCHEDULE_LOOPNAMES_H
#define HEDDLE_COMPILER_SCHEDULE_LOOPNAMES_H

#include "llvm/ADT/StringRef.h"

namespace heddle {

//===-- Rows and what lies side by side -----------------------------------===//

/// Rows of a task, or tiles of rows.
inline constexpr llvm::StringLiteral kBlockLoop = "block";
/// One row of a block or of a tile.
inline constexpr llvm::StringLiteral kRowLoop = "row";
/// One step of a block whose task is not made of whole rows.
inline constexpr llvm::StringLiteral kStepLoop = "step";
/// Elements of the last dimension, and columns of a contraction.
inline constexpr llvm::StringLiteral kStripLoop = "strip", kPanelLoop = "panel";
/// One element of a strip or a panel.
inline constexpr llvm::StringLiteral kLaneLoop = "lane";
/// Vectors of a row, and those of a strip of it.
inline constexpr llvm::StringLiteral kVectorLoop = "vector",
                                     kVectorInStripLoop = "vector_in_strip";

//===-- Devices -----------------------------------------------------------===//

/// What one thread does.
inline constexpr llvm::StringLiteral kThreadLoop = "thread";
/// Threads side by side in a tile of a contraction and below each other, the
/// groups of columns that one has in it, and rows of a tile.
inline constexpr llvm::StringLiteral kThreadColumnLoop = "thread_column",
                                     kThreadRowLoop = "thread_row",
                                     kGroupLoop = "group",
                                     kRowOfBlockLoop = "row_of_block";

//===-- Contractions ------------------------------------------------------===//

/// Register tiles of all rows, and those of a block.
inline constexpr llvm::StringLiteral kRowTileLoop = "row_tile",
                                     kTileLoop = "tile";
/// One of the tiles of a block that choose a matrix each.
inline constexpr llvm::StringLiteral kChoiceLoop = "choice";
/// Groups of terms that are decoded with the same numbers, and one term.
inline constexpr llvm::StringLiteral kDepthGroupLoop = "depth_group",
                                     kTermOfGroupLoop = "term_of_group";
/// The places of the depth that one row reads in turn, and steps of these.
inline constexpr llvm::StringLiteral kDepthPlaceLoop = "depth_place",
                                     kDepthStepLoop = "depth_step";
/// Blocks that a panel is read once for, and their tasks.
inline constexpr llvm::StringLiteral kBlockGroupLoop = "block_group",
                                     kTaskOfGroupLoop = "task_of_group";
/// Panels and blocks that run in parallel.
inline constexpr llvm::StringLiteral kTaskLoop = "task";

//===-- Transpositions ----------------------------------------------------===//

/// Tiles of the dimension that is not the last, and one element of it.
inline constexpr llvm::StringLiteral kAcrossLoop = "across",
                                     kInnerLoop = "inner";

//===-- Attention ---------------------------------------------------------===//

/// Channels of a value, and one of those.
inline constexpr llvm::StringLiteral kSliceLoop = "slice",
                                     kColumnLoop = "column";
/// Parts of a block of keys, and one key of those.
inline constexpr llvm::StringLiteral kPartLoop = "part",
                                     kKeyOfPartLoop = "key_of_part";
/// Register tiles of rows: of single blocks of keys, and everywhere else.
inline constexpr llvm::StringLiteral kSingleRowsLoop = "single_rows",
                                     kRowsLoop = "rows";

} // namespace heddle

#endif // HEDDLE_COMPILER_SCHEDULE_LOOPNAMES_H
