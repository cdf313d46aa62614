// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Schedule/ProductSums.h"

#include "compiler/Lowering/Names.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::halide;

SmallVector<StringRef> ProductSums::reductionVars(FuncOp sums) const {
  return llvm::to_vector(s.update(sums.getSymName())
                             .getReductionVars()
                             .getAsValueRange<StringAttr>());
}

IntegerAttr ProductSums::tileNumber(FuncOp sums, StringRef what) {
  auto tile = sums->getAttrOfType<DictionaryAttr>(kTileAttr);
  return tile ? tile.getAs<IntegerAttr>(what) : IntegerAttr();
}

FuncOp ProductSums::foldOf(FuncOp sums) const {
  auto fold = sums->getAttrOfType<FlatSymbolRefAttr>(kFoldAttr);
  return fold ? s.func(fold.getValue()) : FuncOp();
}

FuncOp ProductSums::blocksOf(FuncOp sums) const {
  for (FuncOp other : funcs)
    if (foldOf(other) == sums)
      return other;
  return {};
}

bool ProductSums::addsBlocks(FuncOp sums) const {
  return s.update(sums.getSymName()) &&
         llvm::is_contained(reductionVars(sums), kDepthBlockVar);
}

bool ProductSums::areSeveral() const {
  return llvm::count_if(funcs, [&](FuncOp sums) { return !foldOf(sums); }) > 1;
}

bool ProductSums::fitTileRegisters(FuncOp sums) const {
  IntegerAttr panel = tileNumber(sums, kTilePanel),
              bits = tileNumber(sums, kTileBits);
  if (s.machine.tileRegisterRows == 0 || s.lanes != s.machine.lanes || !panel ||
      !s.update(sums.getSymName()) || reductionVars(sums).front() != kTermVar ||
      panel.getInt() > s.machine.tileRegisterColumns)
    return false;
  int64_t terms =
      s.update(sums.getSymName()).getStaticExtents().front() * bits.getInt();
  bool isFloat = isa<FloatType>(cast<TypeAttr>(sums.getTypes()[0]).getValue());
  return terms == 32 && bits.getInt() == (isFloat ? 16 : 8) &&
         (isFloat || termsOf(sums) > s.machine.shortBlock);
}

int64_t ProductSums::stepsOf(FuncOp sums) const {
  return s.update(sums.getSymName()).getStaticExtents().back();
}

int64_t ProductSums::termsOf(FuncOp sums) const {
  int64_t terms = 1;
  for (int64_t extent : s.update(sums.getSymName()).getStaticExtents())
    terms *= extent;
  return terms;
}

// Bytes of a panel that a step reads.
int64_t ProductSums::bytesOfStep(FuncOp sums) const {
  int64_t terms = termsOf(sums) / stepsOf(sums);
  if (FuncOp blocks = blocksOf(sums))
    terms *= termsOf(blocks);
  return tileNumber(sums, kTilePanel).getInt() *
         tileNumber(sums, kTileBits).getInt() * terms / 8;
}

// Blocks of integers are the steps if they are short; otherwise their terms
// are. Columns that are decoded to f32 first wait for no memory.
int64_t ProductSums::placesOf(FuncOp sums) const {
  FuncOp blocks = foldOf(sums) ? sums : blocksOf(sums);
  auto isKnown = [&](FuncOp func) {
    return !func ||
           llvm::none_of(s.update(func.getSymName()).getStaticExtents(),
                         ShapedType::isDynamic);
  };
  if (!tileNumber(sums, kTilePanel) || tileNumber(sums, kTileGroup) ||
      tileNumber(sums, kTileShared) || !isKnown(sums) || !isKnown(blocks) ||
      bytesOfStep(sums) < s.machine.lineBytes)
    return 1;
  bool areShort = blocks && termsOf(blocks) <= s.machine.shortBlock;
  if (blocks && areShort != addsBlocks(sums))
    return 1;
  for (int64_t places = s.machine.depthPlaces; places > 1; --places)
    if (stepsOf(sums) % places == 0)
      return places;
  return 1;
}
