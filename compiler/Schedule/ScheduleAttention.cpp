// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention (see LowerAttention.cpp for the funcs):
//
//   parallel task w = (tile of rows, head, sequence)
//     query_tile
//     for chunk of keys that the tile sees
//       for group of blocks of 32 keys, then for single blocks
//         for register tile of rows: scores, summed over the head's channels
//       maximum, weights, sum of the chunk's scores
//       for slice of the value's channels
//         for register tile of rows
//           value_sum, over the chunk's keys
//           state = rescaled state + value_sum
//     attention = state / sum

#include "compiler/Schedule/Scheduler.h"
#include "runtime/heddle_abi.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::halide;

// Sums over the channels, in registers.
static void scheduleScoreSum(Scheduler &s, StringRef func, int64_t keys,
                             int64_t rows, StringRef loop) {
  s.computeAt(func, "scores", loop);
  s.storeIn(func, Memory::Register);
  for (StringRef var : {"jb", "c", "w"})
    s.boundExtent(func, var, 1);
  s.boundExtent(func, "j", keys);
  s.boundExtent(func, "i", rows);
  s.pure(func).vectorize("j", s.lanes).unroll("j").unroll("i");
  s.updateOf(func)
      .reorder({"j", "i", "d"})
      .vectorize("j", s.lanes)
      .unroll("j")
      .unroll("i");
}

void heddle::scheduleAttention(Scheduler &s, OutputOp output) {
  constexpr int64_t block = HEDDLE_CACHE_BLOCK;
  auto tiles = cast<AttentionTilesAttr>(s.configuration);
  int64_t lanes = s.lanes, rowTile = tiles.getRows();
  int64_t rows = tiles.getRegisterRows();
  int64_t chunkBlocks = tiles.getChunk(), groupBlocks = tiles.getGroup();
  int64_t valueDim = output.getStaticExtents()[0];
  int64_t headDim = s.update("score_sum").getStaticExtents()[0];
  int64_t valueVector = s.vectorOf(valueDim), valueWidth = tiles.getColumns();

  s.updateOf("attention")
      .reorder({"d", "i", "w"})
      .vectorize("d", valueVector)
      .allowRaceConditions()
      .parallel("w");
  s.computeAt("inverse", "attention", "w");
  s.boundExtent("inverse", "i", rowTile);

  SmallVector<StringRef> limits = {"key_limit", "whole_limit"};
  if (groupBlocks > 1)
    limits.push_back("grouped_blocks");
  for (StringRef func : limits) {
    s.computeAt(func, "attention", "w");
    s.boundExtent(func, "w", 1);
    s.storeIn(func, Memory::Register);
  }
  s.computeAt("query_tile", "attention", "w");
  s.boundExtent("query_tile", "i", rowTile);
  // On the stack; of another memory Halide puts more than 16 KiB in the heap.
  s.storeIn("query_tile", Memory::Register);
  s.pure("query_tile").vectorize("d", s.vectorOf(headDim));

  s.computeAt("state", "attention", "w");
  s.storeIn("state", Memory::Register);
  s.boundExtent("state", "i", rowTile);
  s.boundExtent("state", "d", valueDim);
  s.pure("state").vectorize("d", valueVector);
  s.updateOf("state")
      .split("d", "slice", "column", valueWidth)
      .split("i", "rows", "row", rows)
      .reorder({"column", "row", "rows", "slice", "c"})
      .vectorize("column", valueVector)
      .unroll("column")
      .unroll("row");

  for (StringRef func : {"scores", "weights"}) {
    s.computeAt(func, "state", "c");
    s.storeIn(func, Memory::Register);
    s.boundExtent(func, "j", block);
    s.boundExtent(func, "i", rowTile);
    s.boundExtent(func, "jb", chunkBlocks);
    s.boundExtent(func, "c", 1);
  }
  // Groups of blocks, then single ones.
  int64_t update = 0;
  if (groupBlocks > 1) {
    s.updateOf("scores", update++)
        .split("i", "rows", "row", rows)
        .reorder({"j", "member", "row", "rows", "group"})
        .vectorize("j", lanes)
        .unroll("j")
        .unroll("member")
        .unroll("row");
    scheduleScoreSum(s, "score_group", groupBlocks * block, rows, "rows");
  }
  s.updateOf("scores", update)
      .split("i", "single_rows", "row", rows)
      .reorder({"j", "row", "single_rows", "block"})
      .vectorize("j", lanes)
      .unroll("j")
      .unroll("row");
  scheduleScoreSum(s, "score_sum", block, rows, "single_rows");
  // Blocks that are kept whole, then the others.
  for (int64_t part : {0, 1})
    s.updateOf("weights", part)
        .reorder({"j", "block", "i"})
        .vectorize("j", lanes)
        .unroll("j");

  for (StringRef kind : {"max", "sum"}) {
    std::string perBlock = ("block_" + kind).str();
    std::string perRow = ("row_" + kind).str();
    StringRef stored = kind == "max" ? "maximum" : "sum";
    s.computeAt(stored, "state", "c");
    s.boundExtent(stored, "i", rowTile);
    s.boundExtent(stored, "c", 1);
    s.computeAt(perRow, stored, "i");
    s.storeIn(perRow, Memory::Register);
    s.computeAt(perBlock, stored, "i");
    s.storeIn(perBlock, Memory::Register);
    s.boundExtent(perBlock, "j", block);
    s.pure(perBlock).vectorize("j", lanes).unroll("j");
    for (int64_t part = 0; part < (kind == "max" ? 2 : 1); ++part)
      s.updateOf(perBlock, part)
          .reorder({"j", "jb", "i"})
          .vectorize("j", lanes)
          .unroll("j");
    s.updateOf(perRow).atomic().vectorize("j", block);
  }

  s.computeAt("value_sum", "state", "rows");
  s.storeIn("value_sum", Memory::Register);
  s.boundExtent("value_sum", "d", valueWidth);
  s.boundExtent("value_sum", "i", rows);
  for (StringRef var : {"c", "w"})
    s.boundExtent("value_sum", var, 1);
  s.pure("value_sum").vectorize("d", valueVector).unroll("d").unroll("i");
  // Keys that every row keeps, then the others.
  for (int64_t part : {0, 1})
    s.updateOf("value_sum", part)
        .reorder({"d", "i", "j", "jb"})
        .vectorize("d", valueVector)
        .unroll("d")
        .unroll("i");
}
