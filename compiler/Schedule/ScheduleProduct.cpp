// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contractions (see Lowering/LowerProduct.cpp for the funcs):
//
//   Many rows                              Few rows
//     for each other dimension               for each other dimension
//       parallel (panel, block of tiles)       parallel task
//         for tile of the block                  for panel of the task
//           tile = 0                               for row
//           for k: tile += rows(k) columns(k)        sums = 0
//           write epilogue(tile)                     for k: sums += row(k)
//           columns(k)
//                                                    write epilogue(sums)
//
// The rows of a block stay in the cache while the panels pass, unless these
// come from memory: then there are more rows, as few blocks matter more. Where
// the number of rows is not known, the kernel has both and chooses.

#include "compiler/Lowering/Names.h"
#include "compiler/Schedule/LoopNames.h"
#include "compiler/Schedule/ProductDimensions.h"
#include "compiler/Schedule/Scheduler.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::halide;

namespace {

class ProductScheduler : ProductDimensions {
public:
  ProductScheduler(Scheduler &s, OutputOp output, FuncOp accumulator)
      : ProductDimensions(s, output, accumulator),
        tiles(cast<ProductTilesAttr>(s.configuration)) {
    if (!row.empty())
      rows = extentOf(row).asNumber();
    auto tile = accumulator->getAttrOfType<DictionaryAttr>(kTileAttr);
    if (auto width = tile.getAs<IntegerAttr>(kTilePanel))
      panel = width.getInt();
    columns = extentOf(column).asNumber();
  }

  void run() {
    auto stage = s.pure(name);
    if (!columns)
      scheduleAnyColumns();
    else if (row.empty() || rows)
      scheduleOutput(stage, tiles.getColumns(), tiles.getRows());
    else
      scheduleAnyRows();
    for (FuncOp callee : inside)
      scheduleSums(callee);
  }

private:
  static SmallVector<StringRef> reductionVars(UpdateOp update) {
    return names(update.getReductionVars());
  }

  // Whether a func adds up the sums of blocks.
  bool addsBlocks(FuncOp sums) {
    UpdateOp update = s.update(sums.getSymName());
    return update && llvm::is_contained(reductionVars(update), kDepthBlockVar);
  }

  // Then there are more sums than registers. Rows that the output takes one
  // after the other find their sums in memory, and those that are added up keep
  // the registers.
  bool hasSeveralSums() {
    return llvm::count_if(inside, [&](FuncOp sums) {
             return !sums->hasAttr(kFoldAttr);
           }) > 1;
  }

  //===-- The output ------------------------------------------------------===//

  // Tiles are no wider than there are columns: the last one may do again what
  // the one before has done. Columns fewer than a vector are done one by one.
  void scheduleAnyColumns() {
    s.specializeWidths(name, extentOf(column), tiles.getColumns(), s.lanes,
                       [&](Scheduler::Stage &stage, int64_t width) {
                         scheduleOutput(stage, width, tiles.getRows());
                       });
  }

  // A tile that has fewer rows does no more than these, but it asks for each
  // whether it is there, between blocks, too. Several sums of blocks are as
  // fast one row after the other.
  void scheduleAnyRows() {
    int64_t width = tiles.getColumns(), height = tiles.getRows();
    bool hasBlocks = hasSeveralSums() && llvm::any_of(inside, [&](FuncOp sums) {
                       return addsBlocks(sums);
                     });
    s.specializeAtLeast(
        name, extentOf(row),
        hasBlocks ? height : std::min(height, s.machine.fewestTileRows),
        [&](Scheduler::Stage &stage) { scheduleOutput(stage, width, height); });
    auto stage = s.pure(name);
    scheduleOutput(stage, width, 1);
    sumHeight.reset();
  }

  Tail columnTail(int64_t width) {
    if (width == 1 || (columns && *columns % width == 0))
      return Tail::Auto;
    return panel ? Tail::GuardWithIf : Tail::ShiftInwards;
  }

  // A tile that began earlier would write rows of another task. Sums of rows
  // past the last are those of the last, and are not written.
  Tail rowTail(int64_t height) {
    return height == 1 ? Tail::Auto : Scheduler::tailOf(rows, height);
  }

  void scheduleOutput(Scheduler::Stage &stage, int64_t width, int64_t height) {
    if (columns)
      sumWidth = width;
    sumHeight = height;
    stage.split(column, kPanelLoop, kLaneLoop, width, columnTail(width));
    SmallVector<StringRef> order{kLaneLoop};
    if (!row.empty()) {
      // Few rows are all in one block.
      int64_t steps = height == 1 ? tiles.getRows() : tiles.getBlock();
      stage.split(row, kRowTileLoop, kRowLoop, height, rowTail(height));
      stage.split(kRowTileLoop, kBlockLoop, kTileLoop, steps,
                  Scheduler::tailOf(rows, height * steps));
      order.append({kRowLoop, kTileLoop});
    }
    order.push_back(kPanelLoop);
    if (!row.empty())
      order.push_back(kBlockLoop);
    llvm::append_range(order, others());
    stage.reorder(order);
    if (width > 1)
      stage.vectorize(kLaneLoop, s.lanes).unroll(kLaneLoop);
    if (!row.empty() && !hasSeveralSums())
      stage.unroll(kRowLoop);
    scheduleTasks(stage, width, /*fewRows=*/height == 1);
  }

  void scheduleTasks(Scheduler::Stage &stage, int64_t width, bool fewRows) {
    SmallVector<StringRef> outer = others();
    for (StringRef var : llvm::reverse(outer))
      if (extentOf(var).asNumber().value_or(s.machine.tasks) >=
          s.machine.tasks / 2) {
        stage.parallel(var);
        return;
      }
    int64_t panels =
        llvm::divideCeil(columns.value_or(s.machine.usualColumns), width);
    if (fewRows)
      return scheduleFewRows(stage, panels,
                             tiles.getTask() * tiles.getColumns() / width);
    if (panels >= s.machine.tasks) {
      stage.parallel(kPanelLoop);
      return;
    }
    stage.fuse(kPanelLoop, kBlockLoop, kTaskLoop).parallel(kTaskLoop);
  }

  void scheduleFewRows(Scheduler::Stage &stage, int64_t panels,
                       int64_t panelsOfTask) {
    if (panels <= panelsOfTask)
      return;
    if (panelsOfTask == 1) {
      stage.parallel(kPanelLoop);
      return;
    }
    stage
        .split(kPanelLoop, kTaskLoop, kPanelLoop, panelsOfTask,
               Tail::GuardWithIf)
        .parallel(kTaskLoop);
  }

  //===-- The sums --------------------------------------------------------===//

  // Of a variable of the sums, if all tiles have the same.
  std::optional<int64_t> extentInTile(StringRef var) {
    if (var == sumColumn)
      return sumWidth;
    if (var == sumRow)
      return sumHeight;
    return 1;
  }

  // How many terms in a row have something in common; other reductions than
  // contractions know of none.
  static IntegerAttr termsOf(FuncOp sums, StringRef what) {
    auto tile = sums->getAttrOfType<DictionaryAttr>(kTileAttr);
    return tile ? tile.getAs<IntegerAttr>(what) : IntegerAttr();
  }

  void scheduleSums(FuncOp sums) {
    StringRef inner = sums.getSymName();
    int64_t lanes = s.lanes;
    auto fold = sums->getAttrOfType<FlatSymbolRefAttr>(kFoldAttr);
    if (fold)
      s.computeAt(inner, fold.getValue(), kDepthBlockVar);
    else
      s.computeAt(inner, name, row.empty() ? kPanelLoop : kTileLoop);
    // The sums of blocks take all registers.
    s.storeIn(inner, addsBlocks(sums) ? Memory::Stack : Memory::Register);
    for (StringRef var : names(sums.getVars()))
      if (std::optional<int64_t> extent = extentInTile(var))
        s.boundExtent(inner, var, *extent);
    // Columns that do not fill a vector are read one by one: what follows them
    // may be nobody's memory.
    Tail tail = sumWidth ? Tail::Auto : Tail::GuardWithIf;
    auto pure = s.pure(inner);
    pure.vectorize(sumColumn, lanes, tail).unroll(sumColumn);
    SmallVector<StringRef> order{sumColumn};
    if (!sumRow.empty()) {
      // Where the number of rows is not known, each row would begin under a
      // condition, and registers would carry what is there if it does not hold.
      if (sumHeight || !hasSeveralSums())
        pure.unroll(sumRow);
      order.push_back(sumRow);
    }
    // What several read of the sums is kept and sums up nothing.
    if (!s.update(inner))
      return;
    SmallVector<StringRef> reduced = reductionVars(s.update(inner));
    auto update = s.updateOf(inner);
    // Scales of a group of terms are read once for all of them.
    if (IntegerAttr group = termsOf(sums, kTileGroup)) {
      update.split(reduced.front(), kDepthGroupLoop, kTermOfGroupLoop,
                   group.getInt());
      reduced.front() = kDepthGroupLoop;
      reduced.insert(reduced.begin(), kTermOfGroupLoop);
    }
    // Terms that one instruction adds up are innermost.
    bool addsTerms = reduced.front() == kTermVar;
    if (addsTerms) {
      reduced.erase(reduced.begin());
      order.insert(order.begin(), kTermVar);
    }
    llvm::append_range(order, reduced);
    update.reorder(order).vectorize(sumColumn, lanes, tail).unroll(sumColumn);
    if (addsTerms)
      update.atomic().vectorize(kTermVar,
                                s.update(inner).getStaticExtents().front());
    if (reduced.front() == kShareVar)
      update.unroll(kShareVar);
    if (!sumRow.empty())
      update.unroll(sumRow);
    else if (!addsBlocks(sums))
      update.unroll(addsTerms ? reduced.back() : reduced.front(),
                    addsTerms ? 2 : 4);
    IntegerAttr shared = termsOf(sums, kTileShared);
    if (shared && !sumRow.empty())
      update.unroll(reduced.front(), shared.getInt());
  }

  ProductTilesAttr tiles;
  std::optional<int64_t> columns, rows;
  std::optional<int64_t> panel; ///< the width that columns lie side by side
  /// Columns and rows of the tiles of sums, where all tiles have the same.
  std::optional<int64_t> sumWidth, sumHeight;
};

} // namespace

void heddle::scheduleProduct(Scheduler &s, OutputOp output,
                             FuncOp accumulator) {
  ProductScheduler(s, output, accumulator).run();
}
