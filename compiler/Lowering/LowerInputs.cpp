// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments of a kernel become input buffers.

#include "compiler/Fusion/Sizes.h"
#include "compiler/Lowering/KernelBuilder.h"

using namespace mlir;
using namespace heddle;

SmallVector<int64_t> heddle::tensorStrides(KernelBuilder &k,
                                           RankedTensorType type,
                                           bool isExternal) {
  SmallVector<int64_t> strides(type.getRank(), 0); // dense
  if (strides.empty())
    return strides;
  strides[0] = 1;
  int64_t channels = type.getShape().back();
  if (type.getRank() > 1 && !ShapedType::isDynamic(channels))
    strides[1] = isExternal || !type.getElementType().isF32()
                     ? channels
                     : k.machine.rowStride(channels);
  return strides;
}

void heddle::lowerInput(KernelBuilder &k, BlockArgument argument) {
  unsigned index = argument.getArgNumber();
  // Caches become buffers where they are read or written.
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  if (!type)
    return;
  bool isWeight = bool(k.kernel.getArgAttr(index, kWeightAttr));
  bool isExternal = bool(k.kernel.getArgAttr(index, kExternalAttr));
  LayoutAttr layout = layoutOf(argument);
  SmallVector<int64_t> extents;
  SmallVector<Value> dynamic;
  DenseI64ArrayAttr strides;
  if (layout) {
    extents = layout.getStoredShape(type.getShape());
    std::reverse(extents.begin(), extents.end());
  } else {
    Sizes sizes = sizesOf(type);
    for (SizeAttr size : llvm::reverse(sizes)) {
      std::optional<int64_t> number = size.asNumber();
      extents.push_back(number.value_or(ShapedType::kDynamic));
      if (!number)
        dynamic.push_back(k.param(size));
    }
    if (!isWeight)
      strides =
          k.builder.getDenseI64ArrayAttr(tensorStrides(k, type, isExternal));
  }
  std::string name = k.unique("arg" + std::to_string(index));
  halide::InputOp::create(k.builder, k.loc(), name, dynamic, extents, strides,
                          type.getElementType(),
                          k.builder.getI64IntegerAttr(index), IntegerAttr());
  k.setField(argument, {name, type.getElementType(), layout, {}});
}
