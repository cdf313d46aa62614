// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Configure/ConfigureKernels.h"
#include "compiler/Fusion/Contraction.h"
#include "compiler/Fusion/ProductOffsets.h"

using namespace mlir;
using namespace heddle;

namespace {

// The contraction that tells the shape of the tiles, which all of a kernel
// have: the first that is no offset of another.
static GenericOp tellerOf(ArrayRef<GenericOp> contractions) {
  const auto *found = llvm::find_if_not(contractions, integersOf);
  return found == contractions.end() ? contractions.front() : *found;
}

class ProductTilesChoice {
public:
  ProductTilesChoice(ArrayRef<GenericOp> contractions,
                     const MachineModel &machine)
      : contractions(contractions), op(tellerOf(contractions)),
        contraction(*Contraction::of(op)), machine(machine) {
    columns = numberOf(contraction.columnDimensions.back());
    row = contraction.longestRow(op);
    if (row)
      rows = numberOf(*row);
  }

  ProductTilesAttr choose() {
    int64_t width = chooseWidth(), height = chooseHeight(width);
    int64_t panels = llvm::divideCeil(columnCount(), width);
    bool inGroups = isStreamed() && panels < machine.tasks &&
                    columnCount() % width == 0 && !areInTileRegisters() &&
                    !contraction.choiceDimension(op);
    return ProductTilesAttr::get(
        op.getContext(), height, width, machine.lanes, machine.deepestSum,
        tilesOfBlock(height, panels), panelsOfTask(panels),
        inGroups ? machine.blocksOfGroup : 1);
  }

private:
  std::optional<int64_t> numberOf(unsigned dimension) {
    return op.getExtents()[dimension].asNumber();
  }

  // Terms of all sums that one element of the output has.
  int64_t depth() {
    int64_t depth = 0;
    for (GenericOp op : contractions) {
      int64_t terms = 1;
      Sizes extents = op.getExtents();
      for (SizeAttr extent : ArrayRef(extents).drop_front(op.getOver().size()))
        terms *= extent.asNumber().value_or(machine.usualDepth);
      depth += terms;
    }
    return depth;
  }

  int64_t columnCount() { return columns.value_or(machine.usualColumns); }

  // Of panels that columns lie in, their width. Of others one that divides the
  // columns, if it is not much narrower than the machine's.
  int64_t chooseWidth() {
    if (LayoutAttr panels = contraction.panels(op))
      return panels.getWidth();
    if (!columns)
      return machine.panelWidth;
    int64_t lanes = machine.lanes;
    int64_t widest = std::min(machine.panelWidth, *columns / lanes * lanes);
    for (int64_t width = widest; width > widest / 2; width -= lanes)
      if (*columns % width == 0)
        return width;
    return widest;
  }

  // Whether tile registers have all sums: the offsets of integers are
  // subtracted from theirs.
  bool areInTileRegisters() {
    return llvm::all_of(contractions, [&](GenericOp op) {
      return integersOf(op) || fitsTileRegisters(op);
    });
  }

  // Columns of a place lie side by side, as many as fill 32 bits.
  bool fitsTileRegisters(GenericOp op) {
    Contraction contraction = *Contraction::of(op);
    LayoutAttr panels = contraction.panels(op);
    int64_t bits = getElementTypeOrSelf(op.getInputs()[contraction.columns])
                       .getIntOrFloatBitWidth();
    return panels && panels.getGroup() * bits == 32 &&
           contraction.fitsTileRegisters(op, machine);
  }

  // As many rows as there are registers for sums.
  int64_t chooseHeight(int64_t width) {
    if (!row)
      return 1;
    LayoutAttr panels = contraction.panels(op);
    if (width <= machine.tileRegisterColumns && areInTileRegisters())
      return std::min(rows.value_or(machine.tileRegisterRows),
                      machine.tileRegisterRows);
    bool addsBlocks =
        panels && panels.getGroup() > 1 && contraction.hasShortBlocks(machine);
    int64_t height =
        addsBlocks ? machine.shortBlockRows : machine.tileRows(width);
    return std::clamp<int64_t>(rows.value_or(height), 1, height);
  }

  // Of rows as they are read: inputs of a body may be narrower than its sums.
  int64_t bytesOfRow() {
    int64_t bits = getElementTypeOrSelf(op.getInputs()[contraction.rows])
                       .getIntOrFloatBitWidth();
    return std::max<int64_t>(depth() * bits / 8, 1);
  }

  // More weights than stay in a cache are read again for each block, so that
  // blocks are large, where panels are tasks enough; otherwise there are as
  // many of them as keep all cores busy to the end.
  int64_t tilesOfBlock(int64_t height, int64_t panels) {
    int64_t all = llvm::divideCeil(rows.value_or(machine.usualRows), height);
    if (contraction.choiceDimension(op) && !sharesChoices())
      return all;
    int64_t tiles =
        std::max<int64_t>(machine.rowBlockBytes / (height * bytesOfRow()), 1);
    if (isStreamed())
      tiles = std::max(tiles, machine.streamedRows / height);
    if (isStreamed() && panels >= machine.tasks)
      return tiles;
    int64_t balanced = all * panels * otherElements() / machine.tasks;
    tiles = std::min(tiles, std::max<int64_t>(balanced, 1));
    return rows && !contraction.choiceDimension(op) ? std::min(tiles, all)
                                                    : tiles;
  }

  // Whether no private cache keeps the columns, as they are stored.
  bool isLarge() {
    int64_t bits = getElementTypeOrSelf(op.getInputs()[contraction.columns])
                       .getIntOrFloatBitWidth();
    return depth() * columnCount() * bits / 8 > machine.keptMatrixBytes;
  }

  // Of panels: other columns are rows of other matrices' products.
  bool isStreamed() { return contraction.panels(op) && isLarge(); }

  // Whether a block has the rows of several choices of a matrix: not where a
  // cache keeps the whole matrix, nor in a step of a decoder, where neighbours
  // choose different ones.
  bool sharesChoices() {
    return rows.value_or(machine.usualRows) > machine.expertRowsOfStep &&
           isLarge();
  }

  // Of dimensions that are neither rows nor columns of a tile, the steps that
  // make tasks.
  int64_t otherElements() {
    int64_t elements = 1;
    for (unsigned dim = 0; dim < op.getOver().size(); ++dim)
      if (dim != contraction.columnDimensions.back() && dim != row)
        elements *=
            std::min(numberOf(dim).value_or(machine.tasks), machine.tasks);
    return elements;
  }

  // Of few rows each weight is read once, so what counts is how many there are.
  int64_t panelsOfTask(int64_t panels) {
    int64_t weights = depth() * columnCount();
    if (weights < machine.parallelWeights)
      return panels;
    return std::min<int64_t>(
        llvm::divideCeil(machine.taskWeights * panels, weights), panels);
  }

  ArrayRef<GenericOp> contractions;
  GenericOp op;
  Contraction contraction;
  const MachineModel &machine;
  std::optional<unsigned> row; ///< the dimension of a tile's rows
  std::optional<int64_t> rows, columns;
};

} // namespace

ProductTilesAttr heddle::chooseProductTiles(ArrayRef<GenericOp> contractions,
                                            const MachineModel &machine) {
  return ProductTilesChoice(contractions, machine).choose();
}

LogicalResult heddle::checkTiles(GenericOp op, ProductTilesAttr tiles,
                                 EmitError emitError) {
  Contraction contraction = *Contraction::of(op);
  if (LayoutAttr panels = contraction.panels(op))
    if (tiles.getColumns() != panels.getWidth())
      return emitError() << "expected columns = " << panels.getWidth()
                         << ", the width of the panels that a weight of the "
                            "kernel is stored in (a heddle.configure of the "
                            "weight replaces it), found "
                         << tiles.getColumns();
  auto checkMost = [&](StringRef what, int64_t found,
                       std::optional<int64_t> most) -> LogicalResult {
    if (!most || found <= *most)
      return success();
    return emitError() << "expected " << what << " of at most " << *most
                       << ", as many as the kernel has, found " << found;
  };
  auto numberOf = [&](unsigned dimension) {
    return op.getExtents()[dimension].asNumber();
  };
  std::optional<unsigned> row = contraction.longestRow(op);
  if (failed(checkMost("rows", tiles.getRows(), row ? numberOf(*row) : 1)))
    return failure();
  std::optional<int64_t> columns =
      numberOf(contraction.columnDimensions.back());
  if (tiles.getGroup() > 1 && (!columns || *columns % tiles.getColumns() != 0))
    return emitError() << "expected group = 1, as the last of the panels is "
                          "not full, found "
                       << tiles.getGroup();
  return contraction.panels(op)
             ? success()
             : checkMost("columns", tiles.getColumns(),
                         numberOf(contraction.columnDimensions.back()));
}
