// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Names that the lowering writes and later stages read.

#ifndef HEDDLE_COMPILER_LOWERING_NAMES_H
#define HEDDLE_COMPILER_LOWERING_NAMES_H

#include "llvm/ADT/StringRef.h"

namespace heddle {
/// The nested module that holds the pipelines, named as their kernels. No
/// function can have its name, which is no C identifier.
inline constexpr llvm::StringLiteral kPipelinesModule = "heddle.pipelines";
/// Marks pipelines whose schedule promises what the compiler's own did not:
/// their kernels assert it.
inline constexpr llvm::StringLiteral kCheckedAttr = "heddle.checked";
/// Of a func that computes a heddle.generic, and of the state of attention: its
/// sizes, an array with one for each variable, innermost first.
inline constexpr llvm::StringLiteral kExtentsAttr = "heddle.extents";
/// The variables that count rows, which are computed one after the other with
/// all that they need (see Fusion/RowGroup.h).
inline constexpr llvm::StringLiteral kRowsAttr = "heddle.rows";
/// Marks funcs whose rows are kept until the row of the output is done.
inline constexpr llvm::StringLiteral kKeptAttr = "heddle.kept";
/// Of partial sums in lanes: how many.
inline constexpr llvm::StringLiteral kLanesAttr = "heddle.lanes";
/// Of partial sums in lanes, and of sums of blocks: the func that adds them.
inline constexpr llvm::StringLiteral kFoldAttr = "heddle.fold";
/// Of the sums of a contraction: a dictionary with the variables that make a
/// register tile, kTileColumn and, if there are several rows, kTileRow; and if
/// the columns lie in panels, the width of these, kTilePanel, and the bits of
/// an element, kTileBits.
inline constexpr llvm::StringLiteral kTileAttr = "heddle.tile";
inline constexpr llvm::StringLiteral kTileColumn = "column";
inline constexpr llvm::StringLiteral kTileRow = "row";
inline constexpr llvm::StringLiteral kTilePanel = "panel", kTileBits = "bits";
/// Also there, if columns are those of a matrix that is chosen: the variable
/// along which it is.
inline constexpr llvm::StringLiteral kTileChoice = "choice";
/// Also there, if columns are decoded: how many terms in a row read the same of
/// all but the elements, and how many share a place of those.
inline constexpr llvm::StringLiteral kTileGroup = "group",
                                     kTileShared = "shared";
/// Of a func of a contraction on a device: which of them it is, see
/// LowerProductBlocks.cpp. The func that reads it is its kFoldAttr.
inline constexpr llvm::StringLiteral kProductPartAttr = "heddle.product_part";
inline constexpr llvm::StringLiteral kTileOfRows = "row_tile",
                                     kTileOfColumns = "column_tile",
                                     kTileSum = "tile_sum",
                                     kTileBlockSum = "tile_block_sum",
                                     kSliceSum = "slice_sum",
                                     kSlices = "slices",
                                     kSumOfSlices = "sum_of_slices",
                                     kOfFewRows = "of_few_rows";
/// Variables of those: a term of those that a block shares at a time, which of
/// these; a slice of a sum, and a step through it.
inline constexpr llvm::StringLiteral kTermVar = "term",
                                     kTermsVar = "depth_tile",
                                     kSliceVar = "slice", kStepVar = "step";
/// Of a sum of products of integers or bf16: one of the terms, kTermVar, that
/// are added up at a time, which of those that share places these are, and
/// which place.
inline constexpr llvm::StringLiteral kShareVar = "share", kPlaceVar = "place";
/// Marks funcs that say what a mask keeps: of a task, or of blocks of keys.
inline constexpr llvm::StringLiteral kMaskAttr = "heddle.mask";
/// Of an input: where it begins is a multiple of so many bytes.
inline constexpr llvm::StringLiteral kAlignmentAttr = "heddle.alignment";
/// The variable that counts lanes of partial sums.
inline constexpr llvm::StringLiteral kLaneVar = "lane";
/// The variable that counts blocks of depth, where deep sums are made of them.
inline constexpr llvm::StringLiteral kDepthBlockVar = "depth_block";
/// The variables of an append to a cache: channel, head, token, sequence.
inline constexpr llvm::StringLiteral kAppendChannelVar = "d",
                                     kAppendHeadVar = "h",
                                     kAppendTokenVar = "token",
                                     kAppendSequenceVar = "sequence";
} // namespace heddle

#endif // HEDDLE_COMPILER_LOWERING_NAMES_H
