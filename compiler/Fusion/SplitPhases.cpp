// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// func @forward(ids: [batch, length]) attributes {heddle.decoder}
//   -> func @prefill(ids: [batch, length]), func @decode(ids: [batch, 1])

#include "compiler/Fusion/Passes.h"
#include "compiler/Fusion/Sizes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

namespace heddle {
#define GEN_PASS_DEF_SPLITPHASES
#include "compiler/Fusion/Passes.h.inc"
} // namespace heddle

using namespace mlir;
using namespace heddle;

// Makes every dimension of `argument` that counts tokens 1.
static void setLengthToOne(func::FuncOp function, BlockArgument argument,
                           const SizeRoles &roles) {
  unsigned index = argument.getArgNumber();
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  auto names = function.getArgAttrOfType<ArrayAttr>(index, kSizesAttr);
  if (!type || !names)
    return;
  SmallVector<int64_t> shape(type.getShape());
  SmallVector<Attribute> kept;
  unsigned nextName = 0;
  for (int64_t &extent : shape) {
    if (!ShapedType::isDynamic(extent))
      continue;
    Attribute name = names[nextName++];
    if (roles.lengths.contains(cast<StringAttr>(name).getValue()))
      extent = 1;
    else
      kept.push_back(name);
  }
  argument.setType(type.clone(shape));
  function.setArgAttr(index, kSizesAttr,
                      ArrayAttr::get(function.getContext(), kept));
}

// Infers result types anew after argument types have changed.
static LogicalResult inferTypes(func::FuncOp function) {
  for (Operation &op : function.front().without_terminator()) {
    auto inferred = dyn_cast<InferTypeOpInterface>(&op);
    if (!inferred || op.getNumOperands() == 0)
      continue;
    SmallVector<Type> types;
    if (failed(inferred.inferReturnTypes(
            op.getContext(), op.getLoc(), op.getOperands(),
            op.getDiscardableAttrDictionary(), op.getPropertiesStorage(),
            op.getRegions(), types)))
      return op.emitOpError("has no types for a length of 1");
    for (auto [result, type] : llvm::zip(op.getResults(), types))
      result.setType(type);
  }
  function.setFunctionType(FunctionType::get(
      function.getContext(), function.front().getArgumentTypes(),
      function.front().getTerminator()->getOperandTypes()));
  return success();
}

namespace {
struct SplitPhases : heddle::impl::SplitPhasesBase<SplitPhases> {
  void runOnOperation() override {
    SmallVector<func::FuncOp> decoders;
    for (auto function : getOperation().getOps<func::FuncOp>())
      if (function->hasAttr("heddle.decoder"))
        decoders.push_back(function);
    if (decoders.size() > 1) {
      decoders[1]
              .emitError("expected one function with heddle.decoder, found ")
              .attachNote(decoders[0].getLoc())
          << "another";
      return signalPassFailure();
    }
    for (func::FuncOp prefill : decoders) {
      if (prefill.isDeclaration()) {
        prefill.emitError("expected a body");
        return signalPassFailure();
      }
      if (failed(Sizes::of(prefill)))
        return signalPassFailure();
      prefill->removeAttr("heddle.decoder");
      func::FuncOp decode = prefill.clone();
      prefill.setName("prefill");
      decode.setName("decode");
      OpBuilder::atBlockEnd(getOperation().getBody()).insert(decode);
      SizeRoles roles = SizeRoles::of(prefill);
      for (BlockArgument argument : decode.getArguments())
        setLengthToOne(decode, argument, roles);
      if (failed(inferTypes(decode)))
        return signalPassFailure();
    }
  }
};
} // namespace
