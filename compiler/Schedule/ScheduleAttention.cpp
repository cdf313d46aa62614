// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention (see LowerAttention.cpp for the funcs):
//
//   parallel task w = (tile of rows, head, sequence)
//     query_tile
//     for chunk of keys that the tile sees
//       for block of 32 keys: scores, in registers over the head's channels
//       maximum, weights, sum of the chunk's scores
//       for slice of the value's channels
//         value_sum, in registers over the chunk's keys
//         state = rescaled state + value_sum
//     attention = state / sum

#include "compiler/Schedule/Scheduler.h"
#include "runtime/heddle_abi.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::halide;

void heddle::scheduleAttention(Scheduler &s, OutputOp output) {
  constexpr int64_t block = HEDDLE_CACHE_BLOCK;
  int64_t lanes = s.machine.lanes;
  int64_t valueDim = output.getStaticExtents()[0];
  int64_t rowTile = s.update("attention").getStaticExtents()[0];
  int64_t headDim = s.update("score_sum").getStaticExtents()[0];
  int64_t chunkBlocks = s.update("scores").getStaticExtents()[0];
  int64_t valueVector = s.vectorOf(valueDim);
  int64_t valueWidth = valueDim % s.machine.attentionValueWidth
                           ? valueVector
                           : s.machine.attentionValueWidth;

  s.updateOf("attention")
      .reorder({"d", "i", "w"})
      .vectorize("d", valueVector)
      .allowRaceConditions()
      .parallel("w");

  s.computeAt("query_tile", "attention", "w");
  s.boundExtent("query_tile", "i", rowTile);
  s.pure("query_tile").vectorize("d", s.vectorOf(headDim));

  s.computeAt("state", "attention", "w");
  s.boundExtent("state", "i", rowTile);
  s.boundExtent("state", "d", valueDim);
  s.pure("state").vectorize("d", valueVector);
  s.updateOf("state")
      .split("d", "slice", "column", valueWidth)
      .reorder({"column", "i", "slice", "c"})
      .vectorize("column", valueVector)
      .unroll("column")
      .unroll("i");

  for (StringRef func : {"scores", "weights"}) {
    s.computeAt(func, "state", "c");
    s.storeIn(func, Memory::Stack);
    s.boundExtent(func, "j", block);
    s.boundExtent(func, "i", rowTile);
    s.boundExtent(func, "jb", chunkBlocks);
    s.boundExtent(func, "c", 1);
  }
  s.updateOf("scores")
      .reorder({"j", "i", "block"})
      .vectorize("j", lanes)
      .unroll("j")
      .unroll("i");
  s.computeAt("score_sum", "scores", "block");
  s.storeIn("score_sum", Memory::Register);
  for (StringRef var : {"jb", "c", "w"})
    s.boundExtent("score_sum", var, 1);
  s.boundExtent("score_sum", "j", block);
  s.boundExtent("score_sum", "i", rowTile);
  s.pure("score_sum").vectorize("j", lanes).unroll("j").unroll("i");
  s.updateOf("score_sum")
      .reorder({"j", "i", "d"})
      .vectorize("j", lanes)
      .unroll("j")
      .unroll("i");
  s.updateOf("weights")
      .reorder({"j", "block", "i"})
      .vectorize("j", lanes)
      .unroll("j");

  for (StringRef kind : {"max", "sum"}) {
    std::string perBlock = ("block_" + kind).str();
    std::string perRow = ("row_" + kind).str();
    s.computeAt(perBlock, "state", "c");
    s.boundExtent(perBlock, "j", block);
    s.boundExtent(perBlock, "i", rowTile);
    s.boundExtent(perBlock, "c", 1);
    s.pure(perBlock).vectorize("j", lanes).unroll("j");
    s.updateOf(perBlock)
        .reorder({"j", "jb", "i"})
        .vectorize("j", lanes)
        .unroll("j");
    s.computeAt(perRow, "state", "c");
    s.boundExtent(perRow, "i", rowTile);
    s.boundExtent(perRow, "c", 1);
    s.updateOf(perRow).reorder({"j", "i"}).atomic().vectorize("j", block);
  }

  s.computeAt("value_sum", "state", "slice");
  s.storeIn("value_sum", Memory::Register);
  s.boundExtent("value_sum", "d", valueWidth);
  s.boundExtent("value_sum", "i", rowTile);
  for (StringRef var : {"c", "w"})
    s.boundExtent("value_sum", var, 1);
  s.pure("value_sum").vectorize("d", valueVector).unroll("d").unroll("i");
  // Blocks that are kept whole, then the others.
  for (int64_t update : {0, 1})
    s.updateOf("value_sum", update)
        .reorder({"d", "i", "j", "jb"})
        .vectorize("d", valueVector)
        .unroll("d")
        .unroll("i");
}
