// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/HeddleDialect.h"

using namespace mlir;
using namespace heddle;

LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t width, int64_t dimension,
                                 int64_t group) {
  // C1
  if (width <= 0 || dimension < 0)
    return emitError() << "expected panels of at least one element along a "
                          "dimension, found "
                       << width << " along " << dimension;
  if (group <= 0)
    return emitError() << "expected groups of at least one element, found "
                       << group;
  return success();
}

LayoutAttr heddle::layoutOf(Value value) {
  if (auto reference = value.getDefiningOp<WeightRefOp>())
    return reference.getLayoutAttr();
  auto argument = dyn_cast<BlockArgument>(value);
  auto kernel = argument
                    ? dyn_cast<KernelOp>(argument.getOwner()->getParentOp())
                    : KernelOp();
  return kernel ? kernel.getArgAttrOfType<LayoutAttr>(argument.getArgNumber(),
                                                      kLayoutAttr)
                : LayoutAttr();
}
