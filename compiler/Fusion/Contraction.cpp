// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Fusion/Contraction.h"

#include "compiler/Fusion/JoinDimensions.h"
#include "compiler/Prepare/Views.h"
#include "compiler/Target/MachineModel.h"
#include "dialect/Heddle/Coordinates.h"
#include "dialect/Heddle/StoredWeights.h"
#include "dialect/Heddle/SumOfProducts.h"

using namespace mlir;
using namespace heddle;

std::optional<Contraction> Contraction::of(GenericOp op) {
  auto known = op->getAttrOfType<ContractionAttr>(kContractionAttr);
  if (!known)
    return std::nullopt;
  Contraction contraction;
  contraction.rows = known.getRows().front();
  contraction.columns = known.getColumns().front();
  llvm::append_range(contraction.columnInputs, known.getColumns());
  contraction.terms = known.getTerms();
  contraction.pairs = known.getPairs();
  Sizes extents = op.getExtents();
  for (unsigned dimension = 0; dimension < op.getOver().size(); ++dimension) {
    if (extents[dimension].asNumber() == 1)
      continue;
    bool isRow = readDimension(op, known.getRows(), dimension);
    bool isColumn = readDimension(op, known.getColumns(), dimension);
    if (isRow && !isColumn)
      contraction.rowDimensions.push_back(dimension);
    if (isColumn && !isRow)
      contraction.columnDimensions.push_back(dimension);
  }
  return contraction;
}

std::optional<Contraction> Contraction::inTiles(GenericOp op) {
  std::optional<Contraction> contraction = of(op);
  bool isTiled = contraction && contraction->hasTiles(op) &&
                 contraction->hasColumnsSideBySide(op);
  return isTiled ? contraction : std::nullopt;
}

std::optional<unsigned> Contraction::longestRow(GenericOp op) const {
  Sizes extents = op.getExtents();
  std::optional<unsigned> longest;
  auto length = [&](unsigned dimension) {
    return extents[dimension].asNumber().value_or(INT64_MAX);
  };
  for (unsigned dimension : rowDimensions)
    if (!longest || length(dimension) > length(*longest))
      longest = dimension;
  return longest;
}

std::optional<unsigned> Contraction::columnCoordinate(GenericOp op,
                                                      unsigned input) const {
  Sizes at = op.getCoordinates(input);
  for (auto [index, coordinate] : llvm::enumerate(at))
    if (asDimension(coordinate) == columnDimensions.back())
      return index;
  return std::nullopt;
}

bool Contraction::hasShortBlocks(const MachineModel &machine) const {
  return terms > 0 && terms <= machine.shortBlock;
}

bool Contraction::fitsTileRegisters(GenericOp op,
                                    const MachineModel &machine) const {
  std::optional<unsigned> row = longestRow(op);
  if (machine.tileRegisterRows == 0 || !row)
    return false;
  if (pairs)
    return true;
  auto isByte = [&](unsigned input) {
    return getElementTypeOrSelf(op.getInputs()[input]).isInteger(8);
  };
  bool hasSign =
      !getElementTypeOrSelf(op.getInputs()[columns]).isUnsignedInteger();
  return terms > machine.shortBlock && isByte(rows) && isByte(columns) &&
         (!hasSign || op.getExtents()[*row].asNumber());
}

bool Contraction::addsIntegers(GenericOp op) const {
  LayoutAttr layout = inTiles(op) ? panels(op) : LayoutAttr();
  if (!layout || terms == 0 || layout.getGroup() == 1)
    return false;
  Value stored = storedOf(op.getInputs()[columns]);
  auto type = cast<RankedTensorType>(stored.getType());
  int64_t place = layout.getGroup() * StoredWeight(type, layout).shares();
  return terms % place == 0;
}

bool Contraction::addsPairs(GenericOp op) const {
  LayoutAttr layout = pairs ? panels(op) : LayoutAttr();
  return layout && layout.getGroup() == kPair;
}

Value heddle::storedOf(Value input) {
  OpOperand *all = choiceOf(input);
  return all ? all->get() : input;
}

std::optional<unsigned> Contraction::choiceDimension(GenericOp op) const {
  if (!choiceOf(op.getInputs()[columns]))
    return std::nullopt;
  return asDimension(op.getCoordinates(columns)[0]);
}

LayoutAttr Contraction::panels(GenericOp op) const {
  LayoutAttr layout = layoutOf(storedOf(op.getInputs()[columns]));
  std::optional<unsigned> coordinate = columnCoordinate(op, columns);
  bool isOfColumns =
      layout && coordinate && layout.getDimension() == *coordinate;
  return isOfColumns ? layout : LayoutAttr();
}

bool Contraction::hasTiles(GenericOp op) const {
  std::optional<int64_t> extent =
      op.getExtents()[columnDimensions.back()].asNumber();
  return (!rowDimensions.empty() || panels(op)) &&
         (!extent || *extent >= kFewestTileColumns);
}

// Column n as n mod p, of panel n floordiv p.
static bool isLane(SizeAttr coordinate, unsigned column) {
  return coordinate.getKind() == SizeKind::Mod &&
         asDimension(cast<SizeAttr>(coordinate.getOperands()[0])) == column;
}

static bool isPanel(SizeAttr coordinate, unsigned column) {
  return coordinate.getKind() == SizeKind::FloorDiv &&
         asDimension(cast<SizeAttr>(coordinate.getOperands()[0])) == column;
}

// Column n as element n + k, whatever k is.
static bool isShifted(SizeAttr coordinate, unsigned column) {
  SizeAttr symbol = dimensionSymbol(coordinate.getContext(), column);
  return llvm::is_contained(termsOf(coordinate), symbol) &&
         !usesDimension(coordinate - symbol, column);
}

// Where an input is read, in as few dimensions as there can be.
static Sizes readCoordinates(GenericOp op, unsigned input) {
  return joinCoordinates(op.getCoordinates(input), op.getInputs()[input]);
}

bool Contraction::hasColumnsSideBySide(GenericOp op) const {
  if (panels(op))
    return true;
  unsigned column = columnDimensions.back();
  Sizes at = readCoordinates(op, columns);
  bool isPacked = isLane(at.back(), column);
  if (!isPacked && !isShifted(at.back(), column))
    return false;
  return llvm::none_of(ArrayRef(at).drop_back(), [&](SizeAttr coordinate) {
    return usesDimension(coordinate, column) &&
           !(isPacked && isPanel(coordinate, column));
  });
}

bool Contraction::hasPackedColumns(GenericOp op) const {
  return isLane(readCoordinates(op, columns).back(), columnDimensions.back());
}
