// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Schedule/ProductDimensions.h"

#include "compiler/Lowering/Names.h"

using namespace mlir;
using namespace heddle;
using namespace heddle::halide;

ProductDimensions::ProductDimensions(Scheduler &s, OutputOp output,
                                     FuncOp accumulator)
    : s(s), func(s.func(output.getFunc())), name(func.getSymName()),
      accumulator(accumulator), inside(s.computedInside(func)) {
  auto tile = accumulator->getAttrOfType<DictionaryAttr>(kTileAttr);
  sumColumn = tile.getAs<StringAttr>(kTileColumn);
  column = inOutput(sumColumn);
  if (auto row = tile.getAs<StringAttr>(kTileRow)) {
    sumRow = row;
    this->row = inOutput(sumRow);
  }
  if (auto variable = tile.getAs<StringAttr>(kTileChoice))
    choice = inOutput(variable);
}

SmallVector<StringRef> ProductDimensions::names(ArrayAttr list) {
  return llvm::to_vector(list.getAsValueRange<StringAttr>());
}

SizeAttr ProductDimensions::extentOf(StringRef variable) {
  auto vars = names(func.getVars());
  return toSizes(func->getAttrOfType<ArrayAttr>(
      kExtentsAttr))[llvm::find(vars, variable) - vars.begin()];
}

SmallVector<StringRef> ProductDimensions::others() {
  return llvm::filter_to_vector(names(func.getVars()), [&](StringRef var) {
    return var != column && var != row;
  });
}

StringRef ProductDimensions::inOutput(StringRef sumVariable) {
  auto ofSums = names(accumulator->getAttrOfType<ArrayAttr>(kRowsAttr));
  auto ofOutput = names(func->getAttrOfType<ArrayAttr>(kRowsAttr));
  return ofOutput[llvm::find(ofSums, sumVariable) - ofSums.begin()];
}
