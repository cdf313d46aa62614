// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Prepare/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/SymbolTable.h"

namespace heddle {
#define GEN_PASS_DEF_HOISTCONSTANTS
#include "compiler/Prepare/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

// The elements of a constant that is stored as a weight, or null.
static ElementsAttr elementsOf(arith::ConstantOp constant) {
  auto elements = dyn_cast<ElementsAttr>(constant.getValue());
  if (!elements || elements.isSplat() ||
      !isWeightElementType(elements.getElementType()))
    return {};
  return elements;
}

namespace {
struct HoistConstants : heddle::impl::HoistConstantsBase<HoistConstants> {
  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    llvm::DenseMap<Attribute, WeightOp> weights;
    OpBuilder top = OpBuilder::atBlockBegin(getOperation().getBody());
    getOperation().walk([&](arith::ConstantOp constant) {
      ElementsAttr elements = elementsOf(constant);
      if (!elements)
        return;
      WeightOp &weight = weights[elements];
      if (!weight) {
        weight = WeightOp::create(
            top, constant.getLoc(), top.getStringAttr("constant"),
            TypeAttr::get(elements.getType()), StringAttr(), elements);
        symbols.insert(weight);
      }
      OpBuilder b(constant);
      Value reference = WeightRefOp::create(
          b, constant.getLoc(), constant.getType(), weight.getSymName());
      constant.replaceAllUsesWith(reference);
      constant.erase();
    });
  }
};
} // namespace
