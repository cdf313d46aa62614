// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/HeddleDialect.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

LogicalResult LayoutAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 int64_t width, int64_t dimension) {
  // C1
  if (width <= 0 || dimension < 0)
    return emitError() << "expected panels of at least one element along a "
                          "dimension, found "
                       << width << " along " << dimension;
  return success();
}

SmallVector<int64_t> LayoutAttr::getStoredShape(ArrayRef<int64_t> shape) const {
  SmallVector<int64_t> stored{
      int64_t(llvm::divideCeil(shape[getDimension()], getWidth()))};
  for (auto [dimension, extent] : llvm::enumerate(shape))
    if (int64_t(dimension) != getDimension())
      stored.push_back(extent);
  stored.push_back(getWidth());
  return stored;
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
