// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a kernel of attention does with each block of keys, asked of its
// pipeline: Lowering/AttentionTasks.h has the funcs.

#ifndef HEDDLE_COMPILER_EXPLAIN_BLOCKKINDS_H
#define HEDDLE_COMPILER_EXPLAIN_BLOCKKINDS_H

#include "compiler/Explain/PipelineEvaluator.h"
#include "runtime/heddle_abi.h"

#include <array>

namespace heddle {

/// For a tile of rows the kernel computes nothing of a block, compares each
/// pair with the mask, or none; or the call has to tell which.
enum class BlockKind : char { Skipped, Partial, Full, Asked };

/// The numbers of an attention in a call.
struct AttentionSizes {
  static constexpr int64_t kBlock = HEDDLE_CACHE_BLOCK;

  int64_t batch, heads, queries, keys;
  int64_t kvHeads;
  int64_t rowTile, chunkBlocks; ///< of the kernel's configuration
  int64_t splits;

  int64_t group() const { return heads / kvHeads; }
  int64_t rows() const { return queries * group(); }
  int64_t tiles() const { return (rows() + rowTile - 1) / rowTile; }
  int64_t blocks() const { return (keys + kBlock - 1) / kBlock; }
};

/// The kinds for one head of keys of one sequence.
struct BlockMap {
  int64_t tiles, blocks;
  std::vector<BlockKind> kinds; ///< of tile 0 first

  BlockKind at(int64_t tile, int64_t block) const {
    return kinds[tile * blocks + block];
  }
  bool operator==(const BlockMap &other) const { return kinds == other.kinds; }
  int64_t count(BlockKind kind) const { return llvm::count(kinds, kind); }
};

/// What `pipeline` does for key head `head` of sequence `sequence`.
BlockMap findKinds(PipelineEvaluator &pipeline, const AttentionSizes &sizes,
                   int64_t sequence, int64_t head);

/// How many pairs of a query and a key `mask` keeps there; all, if there is
/// none. An error where it keeps a pair of a skipped block, or drops one of a
/// full block: `map` would be wrong.
llvm::Expected<int64_t> countKept(const BlockMap &map,
                                  const reference::Mask *mask,
                                  const AttentionSizes &sizes, int64_t sequence,
                                  int64_t head);

/// A line for each tile and a character for each block, or for several.
std::string draw(const BlockMap &map);

} // namespace heddle

#endif // HEDDLE_COMPILER_EXPLAIN_BLOCKKINDS_H
