// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Contractions of activations (see Lowering/LowerProduct.cpp for the funcs):
//
//   for each other dimension
//     parallel (panel of columns, block of row tiles)
//       for row tile of the block
//         tile = 0
//         for k: tile += rows(k) columns(k)
//         write epilogue(tile)

#include "compiler/Lowering/Names.h"
#include "compiler/Schedule/Scheduler.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::halide;

namespace {

class ProductScheduler {
public:
  ProductScheduler(Scheduler &s, OutputOp output, FuncOp accumulator)
      : s(s), func(s.func(output.getFunc())), name(func.getSymName()),
        accumulator(accumulator) {
    auto tile = accumulator->getAttrOfType<DictionaryAttr>(kTileAttr);
    sumColumn = tile.getAs<StringAttr>(kTileColumn);
    column = inOutput(sumColumn);
    if (auto row = tile.getAs<StringAttr>(kTileRow)) {
      sumRow = row;
      this->row = inOutput(sumRow);
    }
    columns = extentOf(column).asNumber();
  }

  void run() {
    if (columns) {
      auto stage = s.pure(name);
      scheduleOutput(stage, chooseWidth());
    } else {
      // The columns of a tile are there, whatever the size: the last tile may
      // do again what the one before has done.
      SizeAttr extent = extentOf(column);
      for (int64_t width : {s.machine.panelWidth, s.machine.lanes})
        s.specializeAtLeast(name, extent, width, [&](Scheduler::Stage &stage) {
          scheduleOutput(stage, width);
        });
      auto stage = s.pure(name);
      scheduleOutput(stage, 1);
    }
    for (FuncOp callee : s.computedInside(func)) {
      StringRef inner = callee.getSymName();
      bool isBlock = callee->hasAttr(kFoldAttr);
      if (isBlock)
        s.computeAt(inner, accumulator.getSymName(), kBlockVar);
      else
        s.computeAt(inner, name, tileLoop());
      // The sums of blocks take all registers.
      s.storeIn(inner,
                isBlocked() && !isBlock ? Memory::Stack : Memory::Register);
      scheduleSums(callee);
    }
  }

private:
  static SmallVector<StringRef> names(ArrayAttr list) {
    return llvm::to_vector(list.getAsValueRange<StringAttr>());
  }

  // The variable of the output that stands for one of the sums.
  StringRef inOutput(StringRef sumVariable) {
    auto ofSums = names(accumulator->getAttrOfType<ArrayAttr>(kRowsAttr));
    auto ofOutput = names(func->getAttrOfType<ArrayAttr>(kRowsAttr));
    return ofOutput[llvm::find(ofSums, sumVariable) - ofSums.begin()];
  }

  SizeAttr extentOf(StringRef variable) {
    auto vars = names(func.getVars());
    return toSizes(func->getAttrOfType<ArrayAttr>(
        kExtentsAttr))[llvm::find(vars, variable) - vars.begin()];
  }

  bool isBlocked() {
    auto reduced = names(s.update(accumulator.getSymName()).getReductionVars());
    return llvm::is_contained(reduced, kBlockVar);
  }

  // Panels that divide the columns, if they are not much narrower than the
  // machine's.
  int64_t chooseWidth() {
    int64_t lanes = s.machine.lanes;
    int64_t widest = std::min(s.machine.panelWidth, *columns / lanes * lanes);
    for (int64_t width = widest; width > widest / 2; width -= lanes)
      if (*columns % width == 0)
        return width;
    return widest;
  }

  // As many rows as there are registers for sums. Of columns that are not
  // known, as many as for a whole panel.
  int64_t chooseHeight(int64_t width) {
    int64_t lanes = s.machine.lanes;
    int64_t registers = s.machine.rowTile * s.machine.panelWidth / lanes;
    int64_t vectors = columns ? width / lanes : s.machine.panelWidth / lanes;
    int64_t height = std::min<int64_t>(registers / vectors, 12);
    if (!row.empty())
      if (std::optional<int64_t> rows = extentOf(row).asNumber())
        height = std::min(height, *rows);
    return height;
  }

  StringRef tileLoop() {
    return row.empty() ? StringRef("panel") : StringRef("tile");
  }

  void scheduleOutput(Scheduler::Stage &stage, int64_t width) {
    height = chooseHeight(width);
    if (columns)
      sumWidth = width;
    bool dividesColumns = columns && *columns % width == 0;
    stage.split(column, "panel", "lane", width,
                dividesColumns || width == 1 ? Tail::Auto : Tail::ShiftInwards);
    SmallVector<StringRef> order{"lane"};
    SmallVector<StringRef> others;
    for (StringRef var : names(func.getVars()))
      if (var != column && var != row)
        others.push_back(var);
    int64_t panels = llvm::divideCeil(columns.value_or(1024), width);
    if (!row.empty()) {
      std::optional<int64_t> rows = extentOf(row).asNumber();
      int64_t tiles = tilesOfBlock(rows, panels);
      stage.split(row, "row_tile", "row", height,
                  rows && *rows % height == 0 ? Tail::Auto : Tail::GuardWithIf);
      bool divides = rows && *rows % (height * tiles) == 0;
      stage.split("row_tile", "block", "tile", tiles,
                  divides ? Tail::Auto : Tail::GuardWithIf);
      order.append({"row", "tile", "panel", "block"});
    } else {
      order.push_back("panel");
    }
    llvm::append_range(order, others);
    stage.reorder(order);
    if (width > 1)
      stage.vectorize("lane", s.machine.lanes).unroll("lane");
    if (!row.empty())
      stage.unroll("row");
    scheduleTasks(stage, others, panels);
  }

  // Tiles of rows that the panels pass while they stay in the cache; fewer
  // where there would be too few tasks.
  int64_t tilesOfBlock(std::optional<int64_t> rows, int64_t panels) {
    constexpr int64_t tasks = 16;
    int64_t depth = 1;
    for (int64_t extent : s.update(accumulator.getSymName()).getStaticExtents())
      depth *= ShapedType::isDynamic(extent) ? 512 : extent;
    int64_t tiles =
        std::max<int64_t>(s.machine.rowBlockBytes / (height * depth * 4), 1);
    if (rows) {
      int64_t all = llvm::divideCeil(*rows, height);
      tiles = std::min(tiles, all);
      tiles = std::min(
          tiles, std::max<int64_t>(all * panels * otherElements() / tasks, 1));
    }
    return tiles;
  }

  int64_t otherElements() {
    int64_t elements = 1;
    for (StringRef var : names(func.getVars()))
      if (var != column && var != row)
        elements *=
            std::min<int64_t>(extentOf(var).asNumber().value_or(64), 64);
    return elements;
  }

  void scheduleTasks(Scheduler::Stage &stage, ArrayRef<StringRef> others,
                     int64_t panels) {
    constexpr int64_t enough = 8;
    for (StringRef var : llvm::reverse(others))
      if (extentOf(var).asNumber().value_or(enough) >= enough) {
        stage.parallel(var);
        return;
      }
    if (row.empty() || panels >= 2 * enough) {
      if (panels > 1)
        stage.parallel("panel");
      return;
    }
    stage.fuse("panel", "block", "task").parallel("task");
  }

  void scheduleSums(FuncOp sums) {
    StringRef inner = sums.getSymName();
    int64_t lanes = s.machine.lanes;
    for (StringRef var : names(sums.getVars()))
      if (var != sumColumn || sumWidth)
        s.boundExtent(inner, var,
                      var == sumColumn ? *sumWidth
                      : var == sumRow  ? height
                                       : 1);
    auto pure = s.pure(inner);
    pure.vectorize(sumColumn, lanes, sumWidth ? Tail::Auto : Tail::GuardWithIf)
        .unroll(sumColumn);
    SmallVector<StringRef> order{sumColumn};
    if (!sumRow.empty()) {
      pure.unroll(sumRow);
      order.push_back(sumRow);
    }
    llvm::append_range(
        order,
        s.update(inner).getReductionVars().getAsValueRange<StringAttr>());
    auto update = s.updateOf(inner);
    update.reorder(order).vectorize(sumColumn, lanes).unroll(sumColumn);
    if (!sumRow.empty())
      update.unroll(sumRow);
  }

  Scheduler &s;
  FuncOp func;
  StringRef name;
  FuncOp accumulator;
  StringRef column, row, sumColumn, sumRow;
  std::optional<int64_t> columns;
  std::optional<int64_t> sumWidth; ///< columns of the sums, where that is one
  int64_t height = 1;
};

} // namespace

void heddle::scheduleProduct(Scheduler &s, OutputOp output,
                             FuncOp accumulator) {
  ProductScheduler(s, output, accumulator).run();
}
