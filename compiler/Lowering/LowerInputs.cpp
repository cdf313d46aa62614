// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Arguments of a kernel become input buffers.

#include "compiler/Lowering/KernelBuilder.h"
#include "compiler/Lowering/Names.h"
#include "dialect/Heddle/StoredWeights.h"
#include "runtime/heddle_abi.h"

using namespace mlir;
using namespace heddle;

void heddle::lowerInput(KernelBuilder &k, BlockArgument argument) {
  unsigned index = argument.getArgNumber();
  // Caches become buffers where they are read or written.
  auto type = dyn_cast<RankedTensorType>(argument.getType());
  if (!type)
    return;
  LayoutAttr layout = layoutOf(argument);
  StoredWeight stored(type, layout);
  std::optional<unsigned> shared = stored.sharedDimension();
  SmallVector<int64_t> extents;
  SmallVector<Value> dynamic;
  if (layout || shared) {
    extents = stored.shape();
    std::reverse(extents.begin(), extents.end());
  } else {
    Sizes sizes = sizesOf(type);
    for (SizeAttr size : llvm::reverse(sizes)) {
      std::optional<int64_t> number = size.asNumber();
      extents.push_back(number.value_or(ShapedType::kDynamic));
      if (!number)
        dynamic.push_back(k.param(size));
    }
  }
  std::string name = k.unique("arg" + std::to_string(index));
  auto input = halide::InputOp::create(
      k.builder, k.loc(), name, dynamic, extents, stored.elementType(),
      k.builder.getI64IntegerAttr(index), IntegerAttr());
  // Only weights have one.
  if (layout)
    input->setAttr(kAlignmentAttr,
                   k.builder.getI64IntegerAttr(HEDDLE_ALIGNMENT));
  Field field{name, scalarTypeOf(stored.elementType()), layout, {}};
  field.shared = shared;
  field.shares = stored.shares();
  field.hasSign = !type.getElementType().isUnsignedInteger();
  field.grouped = stored.groupedDimension();
  k.setField(argument, field);
}
