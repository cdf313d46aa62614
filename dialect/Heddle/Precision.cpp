// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/Precision.h"

#include "dialect/Heddle/HeddleDialect.h"

using namespace mlir;
using namespace heddle;

static bool isDouble(Type type) { return getElementTypeOrSelf(type).isF64(); }

LogicalResult heddle::verifyPrecision(Operation *layer) {
  auto isLayers = [&](OpOperand &operand) {
    auto known = dyn_cast<ActivationsOpInterface>(layer);
    return !known || known.isActivation(operand);
  };
  if (layer->getNumOperands() == 0)
    return success();
  Type input = layer->getOperand(0).getType();
  for (OpOperand &operand : layer->getOpOperands())
    if (!isDouble(input) && isDouble(operand.get().getType()) &&
        isLayers(operand))
      return layer->emitOpError("expected operands of f64 with an input of "
                                "f64 alone, which is ")
             << input << ", found " << operand.get().getType();
  for (Type result : layer->getResultTypes())
    if (isa<RankedTensorType>(result) && isDouble(result) != isDouble(input))
      return layer->emitOpError(
                 "expected results of f64 of an input of f64 alone, which is ")
             << input << ", found " << result;
  return success();
}

LogicalResult heddle::verifyAllOrNoneOfF64(Operation *op, StringRef what,
                                           TypeRange types) {
  if (llvm::all_of(types, isDouble) || llvm::none_of(types, isDouble))
    return success();
  return op->emitOpError("expected ")
         << what << " of f64, or none of them, found " << types;
}
