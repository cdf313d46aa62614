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
//           write epilogue(tile)                     for k:
//                                                      sums += row(k)
//                                                      columns(k)
//                                                    write epilogue(sums)
//
// One row takes its terms from several places of a panel in turn. Where the CPU
// has tile registers, they add up what many rows have to sum up, and an
// epilogue takes it row by row:
//
//   for tile of the block
//     tile = sums over k, in tile registers
//     for row
//       sums = tile(row), scaled
//       write epilogue(sums)
//
// Where rows choose a matrix, a block has those of several choices:
//
//     parallel (panel, block of choices)
//       for choice of the block
//         for tile of its rows
//
// The rows of a block stay in the cache while the panels pass, unless these
// come from memory: then there are more rows, as few blocks matter more, or a
// panel passes a group of blocks:
//
//     parallel (block of the group, panel, group of blocks)
//       for tile of the block
//
// Where the number of rows is not known, the kernel has both and chooses.

#include "compiler/Lowering/Names.h"
#include "compiler/Schedule/LoopNames.h"
#include "compiler/Schedule/ProductDimensions.h"
#include "compiler/Schedule/ProductSums.h"
#include "compiler/Schedule/Scheduler.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::halide;

namespace {

class ProductScheduler : ProductDimensions {
public:
  ProductScheduler(Scheduler &s, OutputOp output, FuncOp accumulator)
      : ProductDimensions(s, output, accumulator),
        tiles(cast<ProductTilesAttr>(s.configuration)), sums(s, inside) {
    if (!row.empty())
      rows = extentOf(row).asNumber();
    hasPanels = bool(ProductSums::tileNumber(accumulator, kTilePanel));
    inTiles =
        !row.empty() && tiles.getRows() <= s.machine.tileRegisterRows &&
        llvm::all_of(inside, [&](FuncOp func) { return isOfTiles(func); });
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
    for (FuncOp func : inside)
      scheduleSums(func);
  }

private:
  //===-- The output ------------------------------------------------------===//

  // Tiles are no wider than there are columns: the last one may do again what
  // the one before has done. Columns fewer than a vector are done one by one.
  void scheduleAnyColumns() {
    s.specializeWidths(name, extentOf(column), tiles.getColumns(), s.lanes,
                       [&](Scheduler::Stage &stage, int64_t width) {
                         scheduleOutput(stage, width, tiles.getRows());
                       });
  }

  // How many choices of a matrix have their rows in one block.
  int64_t choicesOfBlock(int64_t height) const {
    if (choice.empty() || row.empty())
      return 1;
    int64_t tilesOfChoice = llvm::divideCeil(rows.value_or(height), height);
    return std::max<int64_t>(tiles.getBlock() / tilesOfChoice, 1);
  }

  SmallVector<StringRef> outerLoops(bool hasChoices) {
    return llvm::filter_to_vector(
        others(), [&](StringRef var) { return !hasChoices || var != choice; });
  }

  // Neighbours often choose the same matrix: a panel of it is read once for
  // those of a block.
  void splitChoices(Scheduler::Stage &stage, int64_t height, int64_t choices) {
    stage.split(row, kTileLoop, kRowLoop, height, rowTail(height));
    stage.split(choice, kBlockLoop, kChoiceLoop, choices,
                Scheduler::tailOf(extentOf(choice).asNumber(), choices));
  }

  // A tile that has fewer rows does no more than these, but it asks for each
  // whether it is there, between blocks, too. Several sums of blocks are as
  // fast one row after the other.
  void scheduleAnyRows() {
    int64_t width = tiles.getColumns(), height = tiles.getRows();
    bool hasBlocks =
        sums.areSeveral() && llvm::any_of(inside, [&](FuncOp func) {
          return sums.addsBlocks(func);
        });
    s.specializeAtLeast(
        s.pure(name), extentOf(row),
        hasBlocks ? height : std::min(height, s.machine.fewestTileRows),
        [&](Scheduler::Stage &stage) { scheduleOutput(stage, width, height); });
    auto stage = s.pure(name);
    scheduleOutput(stage, width, 1);
    sumHeight.reset();
  }

  Tail columnTail(int64_t width) {
    if (width == 1 || (columns && *columns % width == 0))
      return Tail::Auto;
    return hasPanels ? Tail::GuardWithIf : Tail::ShiftInwards;
  }

  // A tile that began earlier would write rows of another task. Sums of rows
  // past the last are those of the last, and are not written.
  Tail rowTail(int64_t height) {
    return height == 1 ? Tail::Auto : Scheduler::tailOf(rows, height);
  }

  void scheduleOutput(Scheduler::Stage &stage, int64_t width, int64_t height) {
    if (columns)
      sumWidth = width;
    if (!inTiles)
      sumHeight = height;
    stage.split(column, kPanelLoop, kLaneLoop, width, columnTail(width));
    SmallVector<StringRef> order{kLaneLoop};
    int64_t choices = choicesOfBlock(height);
    if (choices > 1) {
      splitChoices(stage, height, choices);
      order.append({kRowLoop, kTileLoop, kChoiceLoop});
    } else if (!row.empty()) {
      // Few rows are all in one block.
      int64_t steps = height == 1 ? tiles.getRows() : tiles.getBlock();
      stage.split(row, kRowTileLoop, kRowLoop, height, rowTail(height));
      stage.split(kRowTileLoop, kBlockLoop, kTileLoop, steps,
                  Scheduler::tailOf(rows, height * steps));
      order.append({kRowLoop, kTileLoop});
    }
    StringRef parallel = parallelLoop(width, height, choices > 1);
    if (parallel == kBlockGroupLoop) {
      stage.split(kBlockLoop, kBlockGroupLoop, kBlockLoop, tiles.getGroup(),
                  Tail::GuardWithIf);
      order.append({kBlockLoop, kPanelLoop, kBlockGroupLoop});
    } else {
      order.push_back(kPanelLoop);
      if (!row.empty())
        order.push_back(kBlockLoop);
    }
    llvm::append_range(order, outerLoops(choices > 1));
    stage.reorder(order);
    if (width > 1)
      stage.vectorize(kLaneLoop, s.lanes).unroll(kLaneLoop);
    if (!row.empty() && !sums.areSeveral() && !inTiles)
      stage.unroll(kRowLoop);
    scheduleTasks(stage, width, parallel);
  }

  int64_t panelsOf(int64_t width) const {
    return llvm::divideCeil(columns.value_or(s.machine.usualColumns), width);
  }

  // The loop whose steps become tasks: of another dimension, or of panels, of
  // blocks, which are tasks for each panel where these are too few, or of
  // groups of such blocks. Empty for few rows.
  StringRef parallelLoop(int64_t width, int64_t height, bool hasChoices) {
    SmallVector<StringRef> outer = outerLoops(hasChoices);
    for (StringRef var : llvm::reverse(outer))
      if (extentOf(var).asNumber().value_or(s.machine.tasks) >=
          s.machine.tasks / 2)
        return var;
    if (hasChoices)
      return kBlockLoop;
    if (height == 1)
      return "";
    if (panelsOf(width) >= s.machine.tasks)
      return kPanelLoop;
    return tiles.getGroup() > 1 && !inTiles ? kBlockGroupLoop : kBlockLoop;
  }

  void scheduleTasks(Scheduler::Stage &stage, int64_t width,
                     StringRef parallel) {
    if (parallel.empty())
      return scheduleFewRows(stage, panelsOf(width),
                             tiles.getTask() * tiles.getColumns() / width);
    if (parallel == kBlockGroupLoop)
      stage.fuse(kBlockLoop, kPanelLoop, kTaskOfGroupLoop)
          .fuse(kTaskOfGroupLoop, kBlockGroupLoop, kTaskLoop);
    else if (parallel == kBlockLoop)
      stage.fuse(kPanelLoop, kBlockLoop, kTaskLoop);
    bool isFused = parallel == kBlockGroupLoop || parallel == kBlockLoop;
    stage.parallel(isFused ? StringRef(kTaskLoop) : parallel);
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

  void scheduleSums(FuncOp func) {
    StringRef inner = func.getSymName();
    int64_t lanes = s.lanes;
    bool isTile = inTiles && sums.fitTileRegisters(func);
    bool isOfTile = inTiles && (isTile || addsTiles(func));
    FuncOp fold = sums.foldOf(func);
    if (fold && !(isTile && sums.stepsOf(fold) == 1))
      s.computeAt(inner, fold.getSymName(), blockLoop(fold));
    else if (inTiles && !isOfTile)
      s.computeAt(inner, name, kRowLoop);
    else
      s.computeAt(inner, name, row.empty() ? kPanelLoop : kTileLoop);
    // The sums of blocks take all registers.
    bool areKept = isOfTile || (!inTiles && sums.addsBlocks(func));
    s.storeIn(inner, isTile    ? Memory::AMXTile
                     : areKept ? Memory::Stack
                               : Memory::Register);
    for (StringRef var : names(func.getVars()))
      if (std::optional<int64_t> extent = extentInTile(var))
        s.boundExtent(inner, var, *extent);
    // Columns that do not fill a vector are read one by one: what follows them
    // may be nobody's memory.
    Tail tail = sumWidth ? Tail::Auto : Tail::GuardWithIf;
    auto pure = s.pure(inner);
    pure.vectorize(sumColumn, lanes, tail).unroll(sumColumn);
    // Where the number of rows is not known, each row would begin under a
    // condition, and registers would carry what is there if it does not hold.
    if (!sumRow.empty() && !isOfTile && (sumHeight || !sums.areSeveral()))
      pure.unroll(sumRow);
    // What several read of the sums is kept and sums up nothing.
    if (!s.update(inner))
      return;
    auto update = s.updateOf(inner);
    int64_t places = placesOf(func);
    bool unrollsRows = !isOfTile;
    if ((places > 1 || isTile) && !row.empty() && !rows) {
      s.specializeAtLeast(
          update, extentOf(row), 2, [&](Scheduler::Stage &stage) {
            scheduleTerms(stage, func, tail, /*places=*/1, unrollsRows);
          });
      unrollsRows |= isTile;
    }
    scheduleTerms(update, func, tail, places, unrollsRows);
  }

  // Whether a func has sums that fit into tile registers, or adds up such.
  bool isOfTiles(FuncOp func) {
    FuncOp blocks = sums.blocksOf(func);
    return !s.update(func.getSymName()) ||
           sums.fitTileRegisters(blocks ? blocks : func);
  }

  // Whether a func adds up several blocks, whose sums tile registers have.
  bool addsTiles(FuncOp func) {
    FuncOp blocks = sums.addsBlocks(func) ? sums.blocksOf(func) : FuncOp();
    return blocks && sums.fitTileRegisters(blocks) && sums.stepsOf(func) > 1;
  }

  // Several rows find in a cache what the first has read.
  int64_t placesOf(FuncOp func) {
    return rows.value_or(1) > 1 ? 1 : sums.placesOf(func);
  }

  // The loop of a func whose steps add up a block each, whatever the number of
  // rows.
  StringRef blockLoop(FuncOp func) {
    return placesOf(func) > 1 ? kDepthPlaceLoop : kDepthBlockVar;
  }

  void scheduleTerms(Scheduler::Stage &update, FuncOp func, Tail tail,
                     int64_t places, bool unrollsRows) {
    ArrayRef<int64_t> extents = s.update(func.getSymName()).getStaticExtents();
    SmallVector<StringRef> reduced = sums.reductionVars(func);
    // Scales of a group of terms are read once for all of them.
    if (IntegerAttr group = sums.tileNumber(func, kTileGroup)) {
      update.split(reduced.front(), kDepthGroupLoop, kTermOfGroupLoop,
                   group.getInt());
      reduced.front() = kDepthGroupLoop;
      reduced.insert(reduced.begin(), kTermOfGroupLoop);
    }
    SmallVector<StringRef> order{sumColumn};
    if (!sumRow.empty())
      order.push_back(sumRow);
    // Terms that one instruction adds up are innermost.
    bool addsTerms = reduced.front() == kTermVar;
    if (addsTerms) {
      reduced.erase(reduced.begin());
      order.insert(order.begin(), kTermVar);
    }
    if (places > 1) {
      update.split(reduced.back(), kDepthPlaceLoop, kDepthStepLoop,
                   sums.stepsOf(func) / places);
      reduced.back() = kDepthPlaceLoop;
      reduced.push_back(kDepthStepLoop);
    } else if (sums.addsBlocks(func) && placesOf(func) > 1) {
      update.rename(reduced.back(), kDepthPlaceLoop);
      reduced.back() = kDepthPlaceLoop;
    }
    llvm::append_range(order, reduced);
    update.reorder(order).vectorize(sumColumn, s.lanes, tail).unroll(sumColumn);
    if (addsTerms)
      update.atomic().vectorize(kTermVar, extents.front());
    if (reduced.front() == kShareVar)
      update.unroll(kShareVar);
    if (!sumRow.empty() && unrollsRows)
      update.unroll(sumRow);
    if (places > 1)
      update.unroll(kDepthPlaceLoop);
    else if (sumRow.empty() && !sums.addsBlocks(func))
      update.unroll(addsTerms ? reduced.back() : reduced.front(),
                    addsTerms ? 2 : 4);
    IntegerAttr shared = sums.tileNumber(func, kTileShared);
    if (shared && !sumRow.empty())
      update.unroll(reduced.front(), shared.getInt());
  }

  ProductTilesAttr tiles;
  ProductSums sums;
  std::optional<int64_t> columns, rows;
  bool hasPanels = false; ///< that columns lie in
  bool inTiles = false;   ///< that the CPU has registers for
  /// Columns and rows of the tiles of sums, where all tiles have the same.
  std::optional<int64_t> sumWidth, sumHeight;
};

} // namespace

void heddle::scheduleProduct(Scheduler &s, OutputOp output,
                             FuncOp accumulator) {
  ProductScheduler(s, output, accumulator).run();
}
