// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contractions on a device (see Lowering/LowerProductBlocks.cpp for the funcs):
//
//   Many rows                              Few rows
//     block for each tile                    block for a panel of each row
//       threads: their part of tile_sum = 0    threads for (columns, slice)
//       for depth_tile                           slice_sum = 0
//         threads: row_tile, column_tile         for step: slice_sum += ...
//         threads: for term                      slices = slice_sum
//           tile_sum += row_tile column_tile   threads for column
//       threads: write epilogue(tile_sum)        write epilogue(sum_of_slices)
//
// The columns of a thread are groups of a few side by side, which all threads
// read together without a conflict of banks of shared memory.

#include "compiler/Lowering/Names.h"
#include "compiler/Schedule/Gpu/Strategies.h"
#include "compiler/Schedule/LoopNames.h"
#include "compiler/Schedule/ProductDimensions.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::halide;

namespace {

class ProductScheduler : ProductDimensions {
public:
  ProductScheduler(Scheduler &s, OutputOp output, FuncOp accumulator)
      : ProductDimensions(s, output, accumulator),
        blocks(cast<BlockProductAttr>(s.configuration)) {}

  void run() {
    bool many = hasPart(kTileSum), few = hasPart(kSumOfSlices);
    auto stage = s.pure(name);
    if (many && few)
      s.specializeAtLeast(
          stage, extentOf(row), blocks.getThreadRows(),
          [&](Scheduler::Stage &stage) { scheduleTiles(stage); });
    else if (many)
      scheduleTiles(stage);
    if (few)
      scheduleRows(stage);
    for (FuncOp callee : inside)
      scheduleInside(callee);
  }

private:
  static StringRef partOf(FuncOp func) {
    auto part = func->getAttrOfType<StringAttr>(kProductPartAttr);
    return part ? part.getValue() : StringRef();
  }

  bool hasPart(StringRef part) {
    return llvm::any_of(inside,
                        [&](FuncOp func) { return partOf(func) == part; });
  }

  Tail tailOf(StringRef variable, int64_t factor) {
    return Scheduler::tailOf(extentOf(variable).asNumber(), factor);
  }

  //===-- The output ------------------------------------------------------===//

  // What a thread does of a tile, its loops the innermost first: `column` and
  // `row` are of the tile alone.
  SmallVector<StringRef> splitTile(Scheduler::Stage &stage, StringRef column,
                                   StringRef row) {
    int64_t vector = blocks.getVector();
    int64_t side = blocks.getColumns() / blocks.getThreadColumns() * vector;
    stage.split(column, kGroupLoop, kStripLoop, side)
        .split(kStripLoop, kThreadColumnLoop, kLaneLoop, vector)
        .split(row, kThreadRowLoop, kRowLoop, blocks.getThreadRows());
    return {kLaneLoop, kGroupLoop, kRowLoop};
  }

  void unrollTile(Scheduler::Stage &stage) {
    stage.unroll(kLaneLoop).unroll(kGroupLoop).unroll(kRowLoop);
    stage.gpuThreads({kThreadColumnLoop, kThreadRowLoop});
  }

  void scheduleTiles(Scheduler::Stage &stage) {
    stage
        .split(column, kPanelLoop, kColumnLoop, blocks.getColumns(),
               tailOf(column, blocks.getColumns()))
        .split(row, kBlockLoop, kRowOfBlockLoop, blocks.getRows(),
               tailOf(row, blocks.getRows()));
    SmallVector<StringRef> order =
        splitTile(stage, kColumnLoop, kRowOfBlockLoop);
    llvm::append_values(order, StringRef(kThreadColumnLoop),
                        StringRef(kThreadRowLoop));
    SmallVector<StringRef> outer{kPanelLoop, kBlockLoop};
    llvm::append_range(outer, others());
    llvm::append_range(order, outer);
    stage.reorder(order);
    unrollTile(stage);
    stage.gpuBlocks(outer);
  }

  // Both forms have the loops that something is computed at: one step each.
  void scheduleRows(Scheduler::Stage &stage) {
    stage
        .split(column, kPanelLoop, kStripLoop, blocks.getPanel(),
               tailOf(column, blocks.getPanel()))
        .split(kStripLoop, kThreadColumnLoop, kLaneLoop, 1);
    SmallVector<StringRef> outer{kPanelLoop};
    if (!row.empty())
      outer.push_back(row);
    llvm::append_range(outer, others());
    SmallVector<StringRef> order{kLaneLoop, kThreadColumnLoop};
    llvm::append_range(order, outer);
    stage.reorder(order).gpuThreads(kThreadColumnLoop).gpuBlocks(outer);
  }

  //===-- What it reads ---------------------------------------------------===//

  void scheduleInside(FuncOp callee) {
    StringRef part = partOf(callee);
    if (part == kTileOfRows || part == kTileOfColumns)
      scheduleOperand(callee, part == kTileOfRows);
    else if (part == kTileSum || part == kTileBlockSum)
      scheduleTileSum(callee);
    else if (part.empty() && hasPart(kTileSum))
      keepByElement(callee);
    else if (part == kSlices)
      scheduleSlices(callee);
    else if (part == kSliceSum)
      scheduleSliceSum(callee);
    else
      keepByThreads(callee);
  }

  static StringRef readerOf(FuncOp callee) {
    return callee->getAttrOfType<FlatSymbolRefAttr>(kFoldAttr).getValue();
  }

  // Of all other dimensions there is one element at a time.
  void boundTo(FuncOp callee, ArrayRef<std::pair<StringRef, int64_t>> extents) {
    for (StringRef var : names(callee.getVars())) {
      auto *known =
          llvm::find_if(extents, [&](auto &pair) { return pair.first == var; });
      s.boundExtent(callee.getSymName(), var,
                    known == extents.end() ? 1 : known->second);
    }
  }

  // Terms of a row lie side by side in memory, where the last dimension fills
  // tiles, and columns of a term.
  void scheduleOperand(FuncOp tile, bool isOfRows) {
    StringRef inner = tile.getSymName();
    s.computeAt(inner, readerOf(tile), kTermsVar);
    s.storeIn(inner, Memory::GPUShared);
    StringRef first = isOfRows ? sumRow : sumColumn;
    int64_t extent = isOfRows ? blocks.getRows() : blocks.getColumns();
    boundTo(tile, {{first, extent}, {kTermVar, blocks.getDepth()}});
    auto stage = s.pure(inner);
    if (!isOfRows) {
      stage.gpuThreads({first, kTermVar});
      return;
    }
    // Threads that write terms of a row write to other banks.
    s.alignStorage(inner, first, extent + blocks.getVector());
    stage.reorder({kTermVar, first}).gpuThreads({kTermVar, first});
  }

  // Every thread keeps its part in registers.
  void scheduleTileSum(FuncOp sum) {
    StringRef inner = sum.getSymName();
    if (partOf(sum) == kTileBlockSum)
      s.computeAt(inner, readerOf(sum), kDepthBlockVar);
    else
      s.computeAt(inner, name, kPanelLoop);
    s.storeIn(inner, Memory::Register);
    boundTo(sum,
            {{sumColumn, blocks.getColumns()}, {sumRow, blocks.getRows()}});
    scheduleParts(s.pure(inner), {});
    if (UpdateOp update = s.update(inner))
      scheduleParts(s.updateOf(inner), names(update.getReductionVars()));
  }

  void scheduleParts(Scheduler::Stage stage, ArrayRef<StringRef> reduced) {
    SmallVector<StringRef> order = splitTile(stage, sumColumn, sumRow);
    // Terms that are shared are each thread's; what comes next is the block's.
    bool hasTerms = !reduced.empty() && reduced.front() == kTermVar;
    if (hasTerms)
      order.push_back(kTermVar);
    llvm::append_values(order, StringRef(kThreadColumnLoop),
                        StringRef(kThreadRowLoop));
    llvm::append_range(order, reduced.drop_front(hasTerms));
    stage.reorder(order);
    unrollTile(stage);
  }

  void scheduleSlices(FuncOp slices) {
    StringRef inner = slices.getSymName();
    s.computeAt(inner, name, kPanelLoop);
    s.storeIn(inner, Memory::GPUShared);
    boundTo(slices,
            {{sumColumn, blocks.getPanel()}, {kSliceVar, blocks.getSlices()}});
    s.pure(inner)
        .split(sumColumn, kThreadColumnLoop, kLaneLoop, blocks.getVector())
        .reorder({kLaneLoop, kThreadColumnLoop, kSliceVar})
        .unroll(kLaneLoop)
        .gpuThreads({kThreadColumnLoop, kSliceVar});
  }

  void scheduleSliceSum(FuncOp sum) {
    StringRef inner = sum.getSymName();
    s.computeAt(inner, readerOf(sum), kThreadColumnLoop);
    s.storeIn(inner, Memory::Register);
    boundTo(sum, {{sumColumn, blocks.getVector()}});
    s.pure(inner).unroll(sumColumn);
    SmallVector<StringRef> order{sumColumn};
    llvm::append_range(order, names(s.update(inner).getReductionVars()));
    s.updateOf(inner).reorder(order).unroll(sumColumn);
  }

  // Of many rows, what several read of the sums: for each element that is
  // stored, as it may read inputs that have no others.
  void keepByElement(FuncOp func) {
    s.computeAt(func.getSymName(), name, kLaneLoop);
    s.storeIn(func.getSymName(), Memory::Register);
    boundTo(func, {});
  }

  // Of few rows: the sum of slices, and what several read of it.
  void keepByThreads(FuncOp func) {
    s.computeAt(func.getSymName(), name, kThreadColumnLoop);
    s.storeIn(func.getSymName(), Memory::Register);
    boundTo(func, {});
  }

  BlockProductAttr blocks;
};

} // namespace

void heddle::gpu::scheduleProduct(Scheduler &s, OutputOp output,
                                  FuncOp accumulator) {
  ProductScheduler(s, output, accumulator).run();
}
