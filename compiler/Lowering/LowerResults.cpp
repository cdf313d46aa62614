// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results of a kernel become output buffers.

#include "compiler/Lowering/KernelBuilder.h"

using namespace mlir;
using namespace heddle;

static void createOutput(KernelBuilder &k, StringRef func,
                         ArrayRef<int64_t> extents, ValueRange dynamic,
                         TypeAttr type, unsigned result, int64_t part = -1) {
  halide::OutputOp::create(k.builder, k.loc(), func, dynamic, extents, type,
                           k.builder.getI64IntegerAttr(result),
                           part < 0 ? IntegerAttr()
                                    : k.builder.getI64IntegerAttr(part));
}

void heddle::lowerResult(KernelBuilder &k, Value value, unsigned index) {
  if (isa<CacheType>(value.getType())) {
    auto parts = cast<CacheType>(value.getType()).getParts();
    for (auto [number, part] : llvm::enumerate(parts)) {
      CacheBuffer buffer(k, value, part);
      createOutput(k, k.cache(value).at(part), buffer.extents, buffer.dynamic,
                   TypeAttr(), index, number);
    }
    return;
  }
  auto type = cast<RankedTensorType>(value.getType());
  SmallVector<int64_t> extents;
  SmallVector<Value> dynamic;
  Sizes sizes = sizesOf(type);
  for (SizeAttr size : llvm::reverse(sizes)) {
    std::optional<int64_t> number = size.asNumber();
    extents.push_back(number.value_or(ShapedType::kDynamic));
    if (!number)
      dynamic.push_back(k.param(size));
  }
  const Field &field = k.field(value);
  if (!field.split.empty()) {
    auto *place = extents.erase(extents.begin() + field.splitDim);
    extents.insert(place, field.split.begin(), field.split.end());
  }
  Type element = type.getElementType();
  createOutput(k, field.symbol, extents, dynamic,
               element == scalarTypeOf(element) ? TypeAttr()
                                                : TypeAttr::get(element),
               index);
}
