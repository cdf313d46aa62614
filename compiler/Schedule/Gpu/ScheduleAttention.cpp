// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention on a device (see LowerAttention.cpp for the funcs). A block
// computes a task; what it keeps of its rows and of a chunk of keys is shared:
//
//   threads: query_tile
//   for chunk of keys that the tile sees
//     each thread: order of the chunk's blocks
//     for block: threads for (key, rows): scores, summed over the channels
//     threads for (key, row), then for row: extremes
//     for block: threads for (key, row): weight
//     threads for (key, row), then for row: sum
//     threads for (channel, rows)
//       value_sum, over the chunk's keys
//       state = rescaled state + value_sum
//   threads: inverse of the sums, results
//
// The rows of a thread read each key and each value once.

#include "compiler/Lowering/AttentionFuncs.h"
#include "compiler/Lowering/Names.h"
#include "compiler/Schedule/Gpu/Strategies.h"
#include "compiler/Schedule/LoopNames.h"
#include "runtime/heddle_abi.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::attention;
using namespace heddle::halide;

namespace {

class AttentionScheduler {
public:
  explicit AttentionScheduler(Scheduler &s)
      : s(s), task(attentionTaskOf(s.configuration)),
        threads(cast<BlockAttentionAttr>(s.configuration).getThreads()) {}

  void run() {
    scheduleTask();
    scheduleBlocks();
    scheduleState();
    scheduleScores();
    scheduleRows(kBlockExtremes, {kRowMaximum, kRowMinimum}, kExtremes,
                 /*parts=*/2);
    scheduleWeights();
    scheduleRows(kBlockSum, kRowSum, kSum, /*parts=*/1);
    for (StringRef func : {kPlainBlocks, kRestKeys})
      keepByThreads(func);
    scheduleValueSum();
  }

  void scheduleResult(FuncOp func) {
    StringRef name = func.getSymName();
    auto first = cast<StringAttr>(func.getVars()[0]).getValue();
    if (first == kKeyVar)
      return scheduleMatrix(name);
    auto update = s.updateOf(name);
    // No two rows have one place.
    update.allowRaceConditions();
    if (first == kChannel)
      update.reorder({kChannel, kRow}).gpuThreads({kChannel, kRow});
    else
      update.gpuThreads(kRow);
  }

private:
  static constexpr int64_t block = HEDDLE_CACHE_BLOCK;

  //===-- Where funcs are kept --------------------------------------------===//

  // In memory of a block, once for a task or for each chunk.
  void share(StringRef func, bool isOfTask) {
    if (isOfTask)
      s.computeRoot(func);
    else
      s.computeAt(func, kState, kChunk);
    s.storeIn(func, Memory::GPUShared);
  }

  // Of a chunk, what all threads compute alike, each for itself.
  void keepByThreads(StringRef func) {
    s.computeAt(func, kState, kChunk);
    s.storeIn(func, Memory::Register);
    s.boundExtent(func, kChunk, 1);
  }

  //===-- Of a task -------------------------------------------------------===//

  void scheduleTask() {
    share(kInverse, /*isOfTask=*/true);
    s.boundExtent(kInverse, kRow, task.rows);
    s.pure(kInverse).gpuThreads(kRow);
    s.forEach([&](FuncOp func) {
      StringRef name = func.getSymName();
      if (name != kQueryTile && !name.starts_with(kQueriesPrefix))
        return;
      share(name, /*isOfTask=*/true);
      s.boundExtent(name, kRow, task.rows);
      s.pure(name).gpuThreads({kChannel, kRow});
    });
  }

  // Of masks: which keys a task sees, and the order of a chunk's blocks.
  void scheduleBlocks() {
    for (StringRef func : {kBeginKey, kEndKey})
      if (s.has(func)) {
        s.computeRoot(func);
        s.storeIn(func, Memory::Register);
      }
    if (!s.has(kBlockKind))
      return;
    s.forEach([&](FuncOp func) {
      if (func->hasAttr(kMaskAttr))
        scheduleMask(func);
    });
    share(kBlockKind, /*isOfTask=*/false);
    s.boundExtent(kBlockKind, kChunk, 1);
    s.boundExtent(kBlockKind, kSlot, task.chunk);
    s.pure(kBlockKind).gpuThreads(kSlot);
    keepByThreads(kBlocksBefore);
    s.boundExtent(kBlocksBefore, kSlot, task.chunk + 1);
    keepByThreads(kBlockOrder);
    s.boundExtent(kBlockOrder, kBlockOfChunk, task.chunk);
  }

  // What a mask keeps of all rows: of blocks side by side, or of no keys.
  void scheduleMask(FuncOp func) {
    StringRef name = func.getSymName();
    if (func.getRank() == 0) {
      s.computeRoot(name);
      s.storeIn(name, Memory::Register);
      return;
    }
    share(name, /*isOfTask=*/false);
    s.boundExtent(name, kSlot, task.chunk);
    s.boundExtent(name, kChunk, 1);
    s.pure(name).gpuThreads(kSlot);
    s.updateOf(name).gpuThreads(kSlot);
  }

  void scheduleState() {
    share(kState, /*isOfTask=*/true);
    s.boundExtent(kState, kRow, task.rows);
    s.boundExtent(kState, kChannel, extentOf(kState));
    s.pure(kState).gpuThreads({kChannel, kRow});
    s.updateOf(kState)
        .split(kRow, kThreadRowLoop, kRowLoop, rowsOfThread(extentOf(kState)))
        .reorder({kRowLoop, kChannel, kThreadRowLoop, kChunk})
        .unroll(kRowLoop)
        .gpuThreads({kChannel, kThreadRowLoop});
  }

  // Of rows whose threads have `columns` elements side by side each: as many as
  // leave none of them idle.
  int64_t rowsOfThread(int64_t columns) const {
    int64_t most = s.machine.device->attentionThreadRows;
    int64_t rows = 1;
    while (2 * rows <= most && task.rows % (2 * rows) == 0 &&
           columns * task.rows >= 2 * rows * threads)
      rows *= 2;
    return rows;
  }

  int64_t extentOf(StringRef func) const {
    auto sizes = s.func(func)->getAttrOfType<ArrayAttr>(kExtentsAttr);
    return *cast<SizeAttr>(sizes[0]).asNumber();
  }

  //===-- Of a chunk ------------------------------------------------------===//

  void scheduleScores() {
    for (StringRef func : {kScores, kWeights, kFactored}) {
      if (!s.has(func))
        continue;
      share(func, /*isOfTask=*/false);
      s.boundExtent(func, kKey, block);
      s.boundExtent(func, kRow, task.rows);
      s.boundExtent(func, kBlockOfChunk, task.chunk);
      s.boundExtent(func, kChunk, 1);
    }
    // The sums, then what a region makes of them.
    int64_t rows = rowsOfThread(block);
    s.updateOf(kScores)
        .split(kRow, kThreadRowLoop, kRowLoop, rows)
        .reorder({kRowLoop, kKey, kThreadRowLoop, kEachBlock})
        .unroll(kRowLoop)
        .gpuThreads({kKey, kThreadRowLoop});
    for (unsigned update = 1; update < s.updateCount(kScores); ++update)
      schedulePairs(kScores, update);
    scheduleSum(kScoreSum, kScores, kKey, rows);
    s.boundExtent(kScoreSum, kChunk, 1);
  }

  // Block after block, by pairs of a key and a row.
  void schedulePairs(StringRef func, unsigned update) {
    s.updateOf(func, update)
        .reorder({kKey, kRow, kEachBlock})
        .gpuThreads({kKey, kRow});
  }

  // A sum over the channels, for the key and the rows of `reader`'s thread.
  void scheduleSum(StringRef func, StringRef reader, StringRef loop,
                   int64_t rows) {
    s.computeAt(func, reader, loop);
    s.storeIn(func, Memory::Register);
    for (StringRef var : {kKey, kBlockOfChunk})
      s.boundExtent(func, var, 1);
    keepRows(func, rows);
    unrollSteps(func, 0);
  }

  // Of a thread: in each step of the sum all of its rows. Updates of one func
  // run over the same dimensions.
  void keepRows(StringRef func, int64_t rows) {
    s.boundExtent(func, kRow, rows);
    s.pure(func).unroll(kRow);
    SmallVector<StringRef> order{kRow};
    llvm::append_range(
        order, s.update(func).getReductionVars().getAsValueRange<StringAttr>());
    for (unsigned number = 0; number < s.updateCount(func); ++number)
      s.updateOf(func, number).reorder(order).unroll(kRow);
  }

  // Steps of the innermost loop that read shared memory side by side.
  void unrollSteps(StringRef func, unsigned number) {
    int64_t steps = s.machine.device->attentionTerms;
    UpdateOp update = s.update(func);
    int64_t extent = update.getStaticExtents().front();
    auto first = cast<StringAttr>(update.getReductionVars()[0]);
    if (!ShapedType::isDynamic(extent) && extent % steps == 0)
      s.updateOf(func, number).unroll(first.getValue(), steps);
  }

  // Of blocks that are kept whole, then of the others.
  void scheduleWeights() {
    for (StringRef func : {kWeights, kFactored})
      for (unsigned part = 0; s.has(func) && part < 2; ++part)
        schedulePairs(func, part);
  }

  // What each row has of a chunk: over its blocks, in `parts` updates, then
  // over the keys of one.
  void scheduleRows(StringRef perBlock, ArrayRef<StringRef> perRow,
                    StringRef stored, unsigned parts) {
    share(perBlock, /*isOfTask=*/false);
    s.boundExtent(perBlock, kKey, block);
    s.boundExtent(perBlock, kRow, task.rows);
    s.boundExtent(perBlock, kChunk, 1);
    s.pure(perBlock).gpuThreads({kKey, kRow});
    for (unsigned part = 0; part < parts; ++part)
      s.updateOf(perBlock, part)
          .reorder({kBlockOfChunk, kKey, kRow})
          .gpuThreads({kKey, kRow});
    share(stored, /*isOfTask=*/false);
    s.boundExtent(stored, kRow, task.rows);
    s.boundExtent(stored, kChunk, 1);
    s.pure(stored).gpuThreads(kRow);
    for (StringRef func : perRow) {
      if (!s.has(func))
        continue;
      s.computeAt(func, stored, kRow);
      s.storeIn(func, Memory::Register);
      s.boundExtent(func, kRow, 1);
      s.boundExtent(func, kChunk, 1);
    }
  }

  // Over the keys that every row keeps, then over the others.
  void scheduleValueSum() {
    s.computeAt(kValueSum, kState, kChannel);
    s.storeIn(kValueSum, Memory::Register);
    for (StringRef var : {kChannel, kChunk})
      s.boundExtent(kValueSum, var, 1);
    keepRows(kValueSum, rowsOfThread(extentOf(kState)));
    // Of the keys that every row keeps.
    unrollSteps(kValueSum, 0);
  }

  //===-- Results ---------------------------------------------------------===//

  // Of whole blocks of keys, then of the last one. Sums over the rows are set
  // to 0 before, and add up the rows one after the other.
  void scheduleMatrix(StringRef name) {
    unsigned count = s.updateCount(name);
    bool isSum = count > 2;
    for (unsigned number = 0; number < count; ++number) {
      auto update = s.updateOf(name, number);
      update.allowRaceConditions();
      SmallVector<StringRef> order{kKey, kRow};
      if (isSum)
        std::swap(order[0], order[1]);
      order.push_back(kEachBlock);
      update.reorder(order);
      if (isSum)
        update.gpuThreads(kKey);
      else
        update.gpuThreads({kKey, kRow});
      // One name in all updates, as each reads sums of its own there.
      update.rename(order.front(), kThreadLoop);
    }
    for (StringRef prefix : {kWholePrefix, kLastPrefix})
      scheduleSum((prefix + name).str(), name, kThreadLoop, /*rows=*/1);
  }

  Scheduler &s;
  AttentionTask task;
  int64_t threads;
};

} // namespace

void heddle::gpu::scheduleAttention(Scheduler &s, OutputOp output) {
  AttentionScheduler scheduler(s);
  if (output == s.outputs().front())
    scheduler.run();
  scheduler.scheduleResult(s.func(output.getFunc()));
}
