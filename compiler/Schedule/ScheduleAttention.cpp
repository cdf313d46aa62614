// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Attention (see LowerAttention.cpp for the funcs):
//
//   query_tile
//   for chunk of keys that the tile sees
//     order of its blocks
//     for group of blocks of 32 keys, then for single blocks
//       for register tile of rows: scores, summed over the head's channels
//     maximum, weights, sum of the chunk's scores
//     of values in pairs, which blocks have finite ones
//     for slice of the value's channels
//       for register tile of rows
//         value_sum, over the chunk's keys
//         state = rescaled state + value_sum
//   attention = state / sum
//
// Tile registers have the sums of packed pairs: of a block of keys and of
// values that are finite, for as many rows as a register has.

#include "compiler/Lowering/AttentionFuncs.h"
#include "compiler/Lowering/Names.h"
#include "compiler/Schedule/LoopNames.h"
#include "compiler/Schedule/Scheduler.h"
#include "dialect/Heddle/SumOfProducts.h"
#include "runtime/heddle_abi.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::attention;
using namespace heddle::halide;

namespace {

class AttentionScheduler {
public:
  explicit AttentionScheduler(Scheduler &s)
      : s(s), tiles(cast<AttentionTilesAttr>(s.configuration)),
        valueDim(extentOf(kState)), valueVector(s.vectorOf(valueDim)),
        isInTiles(s.has(kFiniteBlocks) && fitsTileRegisters()) {}

  void run() {
    scheduleTask();
    scheduleBlocks();
    scheduleState();
    scheduleScores();
    scheduleWeights();
    scheduleOverKeys(kBlockExtremes, {kRowMaximum, kRowMinimum}, kExtremes,
                     /*parts=*/2);
    scheduleOverKeys(kBlockSum, kRowSum, kSum, /*parts=*/1);
    scheduleFoldedSums();
    for (StringRef func : {kPlainBlocks, kRestKeys}) {
      s.computeAt(func, kState, kChunk);
      s.storeIn(func, Memory::Register);
      s.boundExtent(func, kChunk, 1);
    }
    scheduleFiniteBlocks();
    scheduleValueSum();
  }

  void scheduleResult(FuncOp func) {
    StringRef name = func.getSymName();
    auto first = cast<StringAttr>(func.getVars()[0]).getValue();
    if (first == kKeyVar)
      return scheduleMatrix(name);
    if (first == kChannel)
      s.updateOf(name)
          .reorder({kChannel, kRow})
          .vectorize(kChannel, valueVector);
  }

private:
  static constexpr int64_t block = HEDDLE_CACHE_BLOCK;

  /// The innermost one of a func that says its sizes.
  int64_t extentOf(StringRef func) const {
    auto sizes = s.func(func)->getAttrOfType<ArrayAttr>(kExtentsAttr);
    return *cast<SizeAttr>(sizes[0]).asNumber();
  }

  // Sums in registers, side by side along `across`. Terms that one instruction
  // adds up are innermost.
  void scheduleTerms(StringRef func, int64_t part, SmallVector<StringRef> order,
                     StringRef across, int64_t vector) {
    auto reduced =
        s.update(func).getReductionVars().getAsValueRange<StringAttr>();
    bool hasTerms = llvm::is_contained(reduced, kTermVar);
    if (hasTerms)
      order.insert(order.begin(), kTermVar);
    Scheduler::Stage update = s.updateOf(func, part);
    update.reorder(order).vectorize(across, vector).unroll(across);
    if (!isInTiles || !hasTerms)
      update.unroll(kRow);
    if (hasTerms)
      update.atomic().vectorize(kTermVar, kPair);
  }

  // What a task has once.
  void scheduleTask() {
    s.computeRoot(kInverse);
    s.boundExtent(kInverse, kRow, tiles.getRows());
    s.forEach([&](FuncOp func) {
      StringRef name = func.getSymName();
      if (name == kQueryTile || name.starts_with(kQueriesPrefix))
        scheduleQueries(name);
    });
  }

  void scheduleQueries(StringRef queries) {
    s.computeRoot(queries);
    s.boundExtent(queries, kRow, tiles.getRows());
    // On the stack; of another memory Halide puts more than 16 KiB in the heap.
    s.storeIn(queries, Memory::Register);
    s.pure(queries).vectorize(kChannel, s.vectorOf(extentOf(queries)));
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
    for (StringRef func : {kBlockKind, kBlocksBefore, kBlockOrder}) {
      s.computeAt(func, kState, kChunk);
      s.storeIn(func, Memory::Register);
      s.boundExtent(func, kChunk, 1);
    }
    s.boundExtent(kBlockKind, kSlot, tiles.getChunk());
    s.boundExtent(kBlocksBefore, kSlot, tiles.getChunk() + 1);
    s.boundExtent(kBlockOrder, kBlockOfChunk, tiles.getChunk());
    s.pure(kBlockKind).vectorize(kSlot, s.vectorOf(tiles.getChunk()));
  }

  // What a mask keeps of all rows: of blocks side by side, or of no keys.
  void scheduleMask(FuncOp func) {
    StringRef name = func.getSymName();
    s.storeIn(name, Memory::Register);
    if (func.getRank() == 0)
      return s.computeRoot(name);
    s.computeAt(name, kState, kChunk);
    s.boundExtent(name, kSlot, tiles.getChunk());
    s.boundExtent(name, kChunk, 1);
    int64_t vector = s.vectorOf(tiles.getChunk());
    s.pure(name).vectorize(kSlot, vector);
    s.updateOf(name).vectorize(kSlot, vector);
  }

  void scheduleState() {
    s.computeRoot(kState);
    s.storeIn(kState, Memory::Register);
    s.boundExtent(kState, kRow, tiles.getRows());
    s.boundExtent(kState, kChannel, valueDim);
    s.pure(kState).vectorize(kChannel, valueVector);
    s.updateOf(kState)
        .split(kChannel, kSliceLoop, kColumnLoop, tiles.getColumns())
        .split(kRow, kRowsLoop, kRowLoop, tiles.getRegisterRows())
        .reorder({kColumnLoop, kRowLoop, kRowsLoop, kSliceLoop, kChunk})
        .vectorize(kColumnLoop, valueVector)
        .unroll(kColumnLoop)
        .unroll(kRowLoop);
  }

  // Of groups of blocks, then of single ones, or of parts of these.
  void scheduleScores() {
    for (StringRef func : {kScores, kWeights, kFactored}) {
      if (!s.has(func))
        continue;
      s.computeAt(func, kState, kChunk);
      s.storeIn(func, Memory::Register);
      s.boundExtent(func, kKey, block);
      s.boundExtent(func, kRow, tiles.getRows());
      s.boundExtent(func, kBlockOfChunk, tiles.getChunk());
      s.boundExtent(func, kChunk, 1);
    }
    int64_t rows = tiles.getRegisterRows(), update = 0;
    if (tiles.getGroup() > 1) {
      s.updateOf(kScores, update++)
          .split(kRow, kRowsLoop, kRowLoop, rows)
          .reorder({kKey, kMember, kRowLoop, kRowsLoop, kGroup})
          .vectorize(kKey, s.lanes)
          .unroll(kKey)
          .unroll(kMember)
          .unroll(kRowLoop);
      scheduleScoreSum(kScoreGroup, tiles.getKeys(), rows, kRowsLoop);
    }
    int64_t keys = std::min(tiles.getKeys(), block);
    s.updateOf(kScores, update++)
        .split(kRow, kSingleRowsLoop, kRowLoop, rows)
        .split(kKey, kPartLoop, kKeyOfPartLoop, keys)
        .reorder(
            {kKeyOfPartLoop, kRowLoop, kSingleRowsLoop, kPartLoop, kEachBlock})
        .vectorize(kKeyOfPartLoop, s.lanes)
        .unroll(kKeyOfPartLoop)
        .unroll(kRowLoop);
    scheduleScoreSum(kScoreSum, keys, rows, kSingleRowsLoop);
    // What a region makes of them.
    for (; update < s.updateCount(kScores); ++update)
      s.updateOf(kScores, update)
          .reorder({kKey, kRow, kEachBlock})
          .vectorize(kKey, s.lanes)
          .unroll(kKey);
  }

  void scheduleScoreSum(StringRef func, int64_t keys, int64_t rows,
                        StringRef loop) {
    scheduleSum(func, keys, rows, kScores, loop);
    s.boundExtent(func, kChunk, 1);
  }

  // Sums over the channels, in registers: of a register tile of rows, which
  // `loop` of `reader` counts, with `keys`.
  void scheduleSum(StringRef func, int64_t keys, int64_t rows, StringRef reader,
                   StringRef loop) {
    s.computeAt(func, reader, loop);
    bool isTile = isInTiles && func == StringRef(kScoreSum);
    s.storeIn(func, isTile ? Memory::AMXTile : Memory::Register);
    s.boundExtent(func, kBlockOfChunk, 1);
    s.boundExtent(func, kKey, keys);
    s.boundExtent(func, kRow, rows);
    s.pure(func).vectorize(kKey, s.lanes).unroll(kKey);
    if (!isTile)
      s.pure(func).unroll(kRow);
    scheduleTerms(func, 0, {kKey, kRow, kChannel}, kKey, s.lanes);
  }

  // Of blocks that are kept whole, then of the others.
  void scheduleWeights() {
    for (StringRef func : {kWeights, kFactored})
      for (int64_t part = 0; s.has(func) && part < 2; ++part)
        s.updateOf(func, part)
            .reorder({kKey, kEachBlock, kRow})
            .vectorize(kKey, s.lanes)
            .unroll(kKey);
  }

  // What each row has of a chunk: over its blocks, in `parts` updates, then
  // over the keys of one.
  void scheduleOverKeys(StringRef perBlock, ArrayRef<StringRef> perRow,
                        StringRef stored, int64_t parts) {
    s.computeAt(stored, kState, kChunk);
    s.boundExtent(stored, kRow, tiles.getRows());
    s.boundExtent(stored, kChunk, 1);
    s.computeAt(perBlock, stored, kRow);
    s.storeIn(perBlock, Memory::Register);
    s.boundExtent(perBlock, kKey, block);
    s.pure(perBlock).vectorize(kKey, s.lanes).unroll(kKey);
    for (int64_t part = 0; part < parts; ++part)
      s.updateOf(perBlock, part)
          .reorder({kKey, kBlockOfChunk, kRow})
          .vectorize(kKey, s.lanes)
          .unroll(kKey);
    for (StringRef func : perRow) {
      if (!s.has(func))
        continue;
      s.computeAt(func, stored, kRow);
      s.storeIn(func, Memory::Register);
      int64_t keys = s.update(func).getStaticExtents().front();
      s.updateOf(func).atomic().vectorize(kKey, keys);
    }
  }

  void scheduleFoldedSums() {
    for (const FoldedSums &folded : kFoldedSums) {
      s.computeAt(folded.func, kSum, kRow);
      s.storeIn(folded.func, Memory::Register);
      s.boundExtent(folded.func, kKey, folded.count);
      s.pure(folded.func)
          .vectorize(kKey, std::min(folded.count, s.lanes))
          .unroll(kKey);
    }
  }

  // Of the blocks of a chunk that not every row keeps whole.
  void scheduleFiniteBlocks() {
    if (!s.has(kFiniteBlocks))
      return;
    s.computeAt(kFiniteBlocks, kState, kChunk);
    s.storeIn(kFiniteBlocks, Memory::Register);
    s.boundExtent(kFiniteBlocks, kChunk, 1);
    int64_t places = kPair * valueDim, lanes = kPair * valueVector;
    for (StringRef func : {kLargestInPlace, kLargestValue}) {
      s.computeAt(func, kFiniteBlocks, kEachBlock);
      s.storeIn(func, Memory::Register);
      s.boundExtent(func, kBlockOfChunk, 1);
      s.boundExtent(func, kChunk, 1);
    }
    s.boundExtent(kLargestInPlace, kChannel, places);
    s.pure(kLargestInPlace).vectorize(kChannel, lanes).unroll(kChannel);
    s.updateOf(kLargestInPlace)
        .reorder({kChannel, kKey})
        .vectorize(kChannel, lanes)
        .unroll(kChannel);
    s.updateOf(kLargestValue).atomic().vectorize(kChannel, lanes);
  }

  // Over the keys that every row keeps, then over the others: of pairs, first
  // over those whose values are finite.
  void scheduleValueSum() {
    s.computeAt(kValueSum, kState, kRowsLoop);
    s.storeIn(kValueSum, isInTiles ? Memory::AMXTile : Memory::Register);
    s.boundExtent(kValueSum, kChannel, tiles.getColumns());
    s.boundExtent(kValueSum, kRow, tiles.getRegisterRows());
    s.boundExtent(kValueSum, kChunk, 1);
    s.pure(kValueSum).vectorize(kChannel, valueVector).unroll(kChannel);
    if (!isInTiles)
      s.pure(kValueSum).unroll(kRow);
    for (int64_t part = 0; part < s.updateCount(kValueSum); ++part)
      scheduleTerms(kValueSum, part, {kChannel, kRow, kKey, kBlockOfChunk},
                    kChannel, valueVector);
  }

  bool fitsTileRegisters() const {
    return s.machine.tileRegisterRows > 0 && s.lanes == s.machine.lanes &&
           tiles.getRegisterRows() == s.machine.tileRegisterRows &&
           tiles.getKeys() <= block &&
           tiles.getColumns() <= s.machine.tileRegisterColumns;
  }

  // Of a register tile with a whole block of keys, which has no more sums than
  // one of scores in vectors.
  int64_t rowsOfBlock() {
    int64_t all =
        isInTiles ? s.machine.attentionRegisterRows : tiles.getRegisterRows();
    while (tiles.getRows() % all)
      --all;
    int64_t rows = std::clamp<int64_t>(all * tiles.getKeys() / block, 1, all);
    while (all % rows)
      --rows;
    return rows;
  }

  // Of whole blocks of keys, then of the last one. Sums over the rows are set
  // to 0 before.
  void scheduleMatrix(StringRef name) {
    int64_t rows = rowsOfBlock(), count = s.updateCount(name);
    if (count > 2) {
      s.updateOf(name, 0)
          .reorder({kKey, kRow, kEachBlock})
          .allowRaceConditions()
          .vectorize(kKey, s.lanes);
      s.updateOf(name, 1).reorder({kKey, kRow, kEachBlock});
    }
    s.updateOf(name, count - 2)
        .split(kRow, kRowsLoop, kRowLoop, rows)
        .reorder({kKey, kRowLoop, kRowsLoop, kEachBlock})
        .allowRaceConditions()
        .vectorize(kKey, s.lanes);
    s.updateOf(name, count - 1)
        .split(kRow, kRowsLoop, kRowLoop, rows)
        .reorder({kKey, kRowLoop, kRowsLoop, kEachBlock});
    for (StringRef prefix : {kWholePrefix, kLastPrefix})
      scheduleSum((prefix + name).str(), block, rows, name, kRowsLoop);
  }

  Scheduler &s;
  AttentionTilesAttr tiles;
  int64_t valueDim, valueVector;
  bool isInTiles; ///< whether tile registers have the sums
};

} // namespace

void heddle::scheduleAttention(Scheduler &s, OutputOp output) {
  AttentionScheduler scheduler(s);
  if (output == s.outputs().front())
    scheduler.run();
  scheduler.scheduleResult(s.func(output.getFunc()));
}
