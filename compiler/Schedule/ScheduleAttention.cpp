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

#include "compiler/Lowering/AttentionFuncs.h"
#include "compiler/Schedule/LoopNames.h"
#include "compiler/Schedule/Scheduler.h"
#include "runtime/heddle_abi.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::attention;
using namespace heddle::halide;

// Sums over the channels, in registers.
static void scheduleScoreSum(Scheduler &s, StringRef func, int64_t keys,
                             int64_t rows, StringRef loop) {
  s.computeAt(func, kScores, loop);
  s.storeIn(func, Memory::Register);
  for (StringRef var : {kBlockOfChunk, kChunk, kTask})
    s.boundExtent(func, var, 1);
  s.boundExtent(func, kKey, keys);
  s.boundExtent(func, kRow, rows);
  s.pure(func).vectorize(kKey, s.lanes).unroll(kKey).unroll(kRow);
  s.updateOf(func)
      .reorder({kKey, kRow, kChannel})
      .vectorize(kKey, s.lanes)
      .unroll(kKey)
      .unroll(kRow);
}

void heddle::scheduleAttention(Scheduler &s, OutputOp output) {
  constexpr int64_t block = HEDDLE_CACHE_BLOCK;
  auto tiles = cast<AttentionTilesAttr>(s.configuration);
  int64_t lanes = s.lanes, rowTile = tiles.getRows();
  int64_t rows = tiles.getRegisterRows();
  int64_t chunkBlocks = tiles.getChunk(), groupBlocks = tiles.getGroup();
  int64_t valueDim = output.getStaticExtents()[0];
  int64_t headDim = s.update(kScoreSum).getStaticExtents()[0];
  int64_t valueVector = s.vectorOf(valueDim), valueWidth = tiles.getColumns();

  s.updateOf(kOutput)
      .reorder({kChannel, kRow, kTask})
      .vectorize(kChannel, valueVector)
      .allowRaceConditions()
      .parallel(kTask);
  s.computeAt(kInverse, kOutput, kTask);
  s.boundExtent(kInverse, kRow, rowTile);

  SmallVector<StringRef> limits = {kKeyLimit, kWholeLimit};
  if (groupBlocks > 1)
    limits.push_back(kGroupedBlocks);
  for (StringRef func : limits) {
    s.computeAt(func, kOutput, kTask);
    s.boundExtent(func, kTask, 1);
    s.storeIn(func, Memory::Register);
  }
  s.computeAt(kQueryTile, kOutput, kTask);
  s.boundExtent(kQueryTile, kRow, rowTile);
  // On the stack; of another memory Halide puts more than 16 KiB in the heap.
  s.storeIn(kQueryTile, Memory::Register);
  s.pure(kQueryTile).vectorize(kChannel, s.vectorOf(headDim));

  s.computeAt(kState, kOutput, kTask);
  s.storeIn(kState, Memory::Register);
  s.boundExtent(kState, kRow, rowTile);
  s.boundExtent(kState, kChannel, valueDim);
  s.pure(kState).vectorize(kChannel, valueVector);
  s.updateOf(kState)
      .split(kChannel, kSliceLoop, kColumnLoop, valueWidth)
      .split(kRow, kRowsLoop, kRowLoop, rows)
      .reorder({kColumnLoop, kRowLoop, kRowsLoop, kSliceLoop, kChunk})
      .vectorize(kColumnLoop, valueVector)
      .unroll(kColumnLoop)
      .unroll(kRowLoop);

  for (StringRef func : {kScores, kWeights}) {
    s.computeAt(func, kState, kChunk);
    s.storeIn(func, Memory::Register);
    s.boundExtent(func, kKey, block);
    s.boundExtent(func, kRow, rowTile);
    s.boundExtent(func, kBlockOfChunk, chunkBlocks);
    s.boundExtent(func, kChunk, 1);
  }
  // Groups of blocks, then single ones.
  int64_t update = 0;
  if (groupBlocks > 1) {
    s.updateOf(kScores, update++)
        .split(kRow, kRowsLoop, kRowLoop, rows)
        .reorder({kKey, kMember, kRowLoop, kRowsLoop, kGroup})
        .vectorize(kKey, lanes)
        .unroll(kKey)
        .unroll(kMember)
        .unroll(kRowLoop);
    scheduleScoreSum(s, kScoreGroup, groupBlocks * block, rows, kRowsLoop);
  }
  s.updateOf(kScores, update)
      .split(kRow, kSingleRowsLoop, kRowLoop, rows)
      .reorder({kKey, kRowLoop, kSingleRowsLoop, kEachBlock})
      .vectorize(kKey, lanes)
      .unroll(kKey)
      .unroll(kRowLoop);
  scheduleScoreSum(s, kScoreSum, block, rows, kSingleRowsLoop);
  // Blocks that are kept whole, then the others.
  for (int64_t part : {0, 1})
    s.updateOf(kWeights, part)
        .reorder({kKey, kEachBlock, kRow})
        .vectorize(kKey, lanes)
        .unroll(kKey);

  // What each row has of a chunk: over its blocks, then over the keys of one.
  struct OverKeys {
    StringRef perBlock, perRow, stored;
    int64_t parts; ///< updates over blocks
  };
  for (auto [perBlock, perRow, stored, parts] :
       {OverKeys{kBlockMaximum, kRowMaximum, kMaximum, 2},
        OverKeys{kBlockSum, kRowSum, kSum, 1}}) {
    s.computeAt(stored, kState, kChunk);
    s.boundExtent(stored, kRow, rowTile);
    s.boundExtent(stored, kChunk, 1);
    s.computeAt(perRow, stored, kRow);
    s.storeIn(perRow, Memory::Register);
    s.computeAt(perBlock, stored, kRow);
    s.storeIn(perBlock, Memory::Register);
    s.boundExtent(perBlock, kKey, block);
    s.pure(perBlock).vectorize(kKey, lanes).unroll(kKey);
    for (int64_t part = 0; part < parts; ++part)
      s.updateOf(perBlock, part)
          .reorder({kKey, kBlockOfChunk, kRow})
          .vectorize(kKey, lanes)
          .unroll(kKey);
    s.updateOf(perRow).atomic().vectorize(kKey, block);
  }

  s.computeAt(kValueSum, kState, kRowsLoop);
  s.storeIn(kValueSum, Memory::Register);
  s.boundExtent(kValueSum, kChannel, valueWidth);
  s.boundExtent(kValueSum, kRow, rows);
  for (StringRef var : {kChunk, kTask})
    s.boundExtent(kValueSum, var, 1);
  s.pure(kValueSum)
      .vectorize(kChannel, valueVector)
      .unroll(kChannel)
      .unroll(kRow);
  // Keys that every row keeps, then the others.
  for (int64_t part : {0, 1})
    s.updateOf(kValueSum, part)
        .reorder({kChannel, kRow, kKey, kBlockOfChunk})
        .vectorize(kChannel, valueVector)
        .unroll(kChannel)
        .unroll(kRow);
}
