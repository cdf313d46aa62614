// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// s[b, i, j] = sum_k q[b, i, k] k[b, j, k]
//   -> t[b, p, k, j] = k[b, p * 64 + j, k];
//      s[b, i, j] = sum_k q[b, i, k] t[b, j floordiv 64, k, j mod 64]

#include "compiler/Fusion/Contraction.h"
#include "compiler/Fusion/Passes.h"
#include "compiler/Target/MachineModel.h"
#include "dialect/Heddle/Coordinates.h"
#include "dialect/Heddle/KernelAttributes.h"

namespace heddle {
#define GEN_PASS_DEF_PACKOPERANDS
#include "compiler/Fusion/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

// The dimensions of `op` that its columns have, but for the last one.
static SmallVector<unsigned> outerDimensions(GenericOp op,
                                             const Contraction &contraction) {
  Sizes at = op.getCoordinates(contraction.columns);
  SmallVector<unsigned> dimensions;
  for (unsigned dimension = 0; dimension < op.getExtents().size(); ++dimension)
    if (dimension != contraction.columnDimensions.back() &&
        llvm::any_of(at, [&](SizeAttr coordinate) {
          return usesDimension(coordinate, dimension);
        }))
      dimensions.push_back(dimension);
  return dimensions;
}

namespace {
/// The copy: its sizes, where each dimension of the contraction is in it, and
/// where it is read.
struct Packing {
  Sizes over;
  llvm::DenseMap<unsigned, SizeAttr> inCopy;
  Sizes at;
};
} // namespace

static Packing choosePacking(GenericOp op, const Contraction &contraction,
                             int64_t width) {
  MLIRContext *context = op.getContext();
  Sizes extents = op.getExtents();
  unsigned column = contraction.columnDimensions.back();
  SizeAttr panel = SizeAttr::number(context, width);
  SizeAttr panels = floorDiv(extents[column], panel);
  bool hasPanels = panels * width == extents[column];
  Packing packing;
  auto add = [&](SizeAttr extent, SizeAttr at) {
    packing.over.push_back(extent);
    packing.at.push_back(at);
    return dimensionSymbol(context, packing.over.size() - 1);
  };
  bool isPanelPlaced = !hasPanels;
  SizeAttr symbol = dimensionSymbol(context, column), inPanel;
  auto placePanel = [&] {
    inPanel = add(panels, floorDiv(symbol, panel)) * width;
    isPanelPlaced = true;
  };
  for (unsigned dimension : outerDimensions(op, contraction)) {
    // Panels are as deep as the sums.
    if (!isPanelPlaced && dimension >= op.getOver().size())
      placePanel();
    packing.inCopy[dimension] =
        add(extents[dimension], dimensionSymbol(context, dimension));
  }
  // The columns may be the same for all that is summed.
  if (!isPanelPlaced)
    placePanel();
  packing.inCopy[column] = hasPanels ? inPanel + add(panel, mod(symbol, panel))
                                     : add(extents[column], symbol);
  return packing;
}

static void pack(GenericOp op, const Contraction &contraction, int64_t width) {
  OpBuilder b(op);
  Value input = op.getInputs()[contraction.columns];
  Packing packing = choosePacking(op, contraction, width);
  auto toMap = [&](const Sizes &at, unsigned dimensions, Sizes &symbols) {
    SmallVector<AffineExpr> expressions;
    for (SizeAttr coordinate : at)
      expressions.push_back(toAffine(coordinate, symbols));
    return AffineMap::get(dimensions, symbols.size(), expressions,
                          b.getContext());
  };
  Sizes symbols, none;
  Sizes source = op.getCoordinates(contraction.columns);
  for (SizeAttr &coordinate : source)
    coordinate = coordinate.substitute([&](StringRef name) {
      std::optional<unsigned> dimension =
          asDimension(SizeAttr::symbol(b.getContext(), name));
      return dimension ? packing.inCopy.lookup(*dimension) : SizeAttr();
    });
  AffineMap map = toMap(source, packing.over.size(), symbols);
  Type type = getElementTypeOrSelf(input);
  auto copy = GenericOp::create(
      b, op.getLoc(), Type(tensorOf(packing.over, type)), input, ValueRange(),
      toArray(b.getContext(), packing.over), b.getArrayAttr({}),
      b.getAffineMapArrayAttr(map), toArray(b.getContext(), symbols),
      b.getArrayAttr({}));
  copy->setAttr(kOriginAttr, b.getStringAttr("pack"));
  Block &body = copy.getBody().emplaceBlock();
  body.addArgument(scalarTypeOf(type), op.getLoc());
  auto inside = OpBuilder::atBlockEnd(&body);
  YieldOp::create(inside, op.getLoc(), body.getArguments());

  SmallVector<AffineMap> maps;
  for (unsigned index = 0; index < op.getInputs().size(); ++index)
    maps.push_back(op.getMap(index));
  maps[contraction.columns] = toMap(packing.at, op.getExtents().size(), none);
  op.setMapsAttr(b.getAffineMapArrayAttr(maps));
  op.getInputsMutable()[contraction.columns].set(copy.getResult(0));
}

// Whether columns are in panels, each as deep as the sums, or too few for it to
// matter: rows of many columns are far apart, and a tile reads a few columns of
// each. Taps read columns of one row.
static bool areColumnsNearby(GenericOp op, const Contraction &contraction,
                             const MachineModel &machine) {
  Sizes extents = op.getExtents();
  unsigned column = contraction.columnDimensions.back();
  SizeAttr columns = extents[column];
  bool areTaps = llvm::any_of(
      op.getCoordinates(contraction.columns), [&](SizeAttr coordinate) {
        return usesDimension(coordinate, column) &&
               usesDimension(coordinate, extents.size() - 1);
      });
  return areTaps || contraction.panels(op) ||
         contraction.hasPackedColumns(op) ||
         columns.asNumber().value_or(0) < machine.packedColumns ||
         extents.back().asNumber().value_or(INT64_MAX) < machine.packedDepth;
}

namespace {
struct PackOperands : heddle::impl::PackOperandsBase<PackOperands> {
  void runOnOperation() override {
    FailureOr<MachineModel> machine = MachineModel::of(getOperation());
    if (failed(machine))
      return signalPassFailure();
    getOperation().walk([&](GenericOp op) {
      std::optional<Contraction> contraction = Contraction::of(op);
      if (contraction && contraction->hasTiles(op) &&
          !isHalfByte(
              getElementTypeOrSelf(op.getInputs()[contraction->columns])) &&
          (!contraction->hasColumnsSideBySide(op) ||
           !areColumnsNearby(op, *contraction, *machine)))
        pack(op, *contraction, machine->panelWidth);
    });
  }
};
} // namespace
