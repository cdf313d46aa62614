// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The funcs that attention is lowered to and the loops that they have, by which
// the schedule finds them. LowerAttention.cpp has their formulas.

#ifndef HEDDLE_COMPILER_LOWERING_ATTENTIONFUNCS_H
#define HEDDLE_COMPILER_LOWERING_ATTENTIONFUNCS_H

#include "dialect/Heddle/HeddleDialect.h"

namespace heddle::attention {

using Name = llvm::StringLiteral;

//===-- Loops -------------------------------------------------------------===//

inline constexpr Name kRow = "i"; ///< of a tile
inline constexpr Name kChunk = "c";
/// A block of a chunk, as they lie and in the order in which they are visited.
inline constexpr Name kSlot = "slot", kBlockOfChunk = "jb";
inline constexpr Name kKey = "j"; ///< in a block
inline constexpr Name kChannel = "d";
/// Of updates that go over the blocks of a chunk one by one, or in groups.
inline constexpr Name kEachBlock = "block", kGroup = "group",
                      kMember = "member";

//===-- Funcs -------------------------------------------------------------===//

inline constexpr Name kBeginKey = "begin_key", kEndKey = "end_key";
inline constexpr Name kBlockKind = "block_kind",
                      kBlocksBefore = "blocks_before",
                      kBlockOrder = "block_order";
inline constexpr Name kQueryTile = "query_tile";
inline constexpr Name kScoreGroup = "score_group", kScoreSum = "score_sum",
                      kScores = "scores", kWeights = "weights",
                      kFactored = "factored_weights";
/// The largest and the least scores.
inline constexpr Name kBlockExtremes = "block_extremes",
                      kRowMaximum = "row_max", kRowMinimum = "row_min",
                      kExtremes = "extremes";
/// How many blocks of a chunk need no mask; and of the others, the end of the
/// keys that some row keeps.
inline constexpr Name kPlainBlocks = "plain_blocks", kRestKeys = "rest_keys";
inline constexpr Name kBlockSum = "block_sum", kRowSum = "row_sum",
                      kSum = "sum";
/// The sums of a block's keys, halved until `count` are left.
struct FoldedSums {
  Name func;
  int64_t count;
};
inline constexpr FoldedSums kFoldedSums[] = {
    {"sums_16", 16}, {"sums_8", 8}, {"sums_4", 4}};
/// Of values in pairs, the largest magnitude in a block, as bits: of each place
/// of a row, and of all; and the end of a chunk's blocks whose values are
/// finite.
inline constexpr Name kLargestInPlace = "largest_in_place",
                      kLargestValue = "largest_value",
                      kFiniteBlocks = "finite_blocks";
inline constexpr Name kValueSum = "value_sum", kState = "state",
                      kInverse = "inverse";

//===-- Results -----------------------------------------------------------===//

/// Variables of results: a key, a query, a head of a group, a group, a
/// sequence, and a split.
inline constexpr Name kKeyVar = "key", kQueryVar = "s", kMemberVar = "h",
                      kGroupVar = "g", kSequenceVar = "b", kSplitVar = "split";
/// The func of a result.
inline std::string resultFunc(AttentionResult result) {
  if (result == AttentionResult::Output)
    return "attention";
  return "attention_" + stringifyEnum(result).str();
}
/// A matrix of pairs has sums over the channels in funcs of these names and its
/// own, of whole blocks and of the last one, and may have queries of its own.
inline constexpr Name kWholePrefix = "whole_", kLastPrefix = "last_",
                      kQueriesPrefix = "queries_";

} // namespace heddle::attention

#endif // HEDDLE_COMPILER_LOWERING_ATTENTIONFUNCS_H
