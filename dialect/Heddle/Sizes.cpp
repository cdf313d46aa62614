// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/HeddleDialect.h"
#include "dialect/Heddle/Verification.h"

using namespace mlir;
using namespace heddle;

LogicalResult
SizesAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                          function_ref<InFlightDiagnostic()> emitError) const {
  size_t expected = llvm::count_if(shape, ShapedType::isDynamic);
  if (getSizes().size() == expected)
    return success();
  return emitError() << "expected " << expected
                     << " sizes, one for each dynamic dimension, found "
                     << getSizes().size();
}

Sizes heddle::sizesOf(Type type) {
  Sizes result;
  if (auto cache = dyn_cast<CacheType>(type)) {
    if (cache.getSizes())
      llvm::append_range(result, cache.getSizes().getSizes());
    else
      result.resize(2);
    return result;
  }
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor)
    return result;
  auto known = dyn_cast_or_null<SizesAttr>(tensor.getEncoding());
  unsigned next = 0;
  for (int64_t extent : tensor.getShape()) {
    if (!ShapedType::isDynamic(extent))
      result.push_back(SizeAttr::number(type.getContext(), extent));
    else
      result.push_back(known ? known.getSizes()[next++] : SizeAttr());
  }
  return result;
}

Sizes heddle::sizesOf(Value value) { return sizesOf(value.getType()); }

RankedTensorType heddle::tensorOf(ArrayRef<SizeAttr> sizes, Type elementType) {
  SmallVector<int64_t> shape;
  SmallVector<SizeAttr> dynamic;
  for (SizeAttr size : sizes) {
    std::optional<int64_t> number = size ? size.asNumber() : std::nullopt;
    shape.push_back(number.value_or(ShapedType::kDynamic));
    if (!number)
      dynamic.push_back(size);
  }
  Attribute encoding;
  if (!dynamic.empty() && !llvm::is_contained(dynamic, SizeAttr()))
    encoding = SizesAttr::get(elementType.getContext(), dynamic);
  return RankedTensorType::get(shape, elementType, encoding);
}

Type heddle::withSizes(Type type, ArrayRef<SizeAttr> sizes) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return tensorOf(sizes, tensor.getElementType());
  if (auto cache = dyn_cast<CacheType>(type))
    return CacheType::get(type.getContext(), cache.getLayers(),
                          cache.getKvHeads(), cache.getHeadDim(),
                          cache.getElementType(),
                          SizesAttr::get(type.getContext(), sizes));
  return type;
}

LogicalResult heddle::expectSize(Operation *op, StringRef what,
                                 SizeAttr expected, SizeAttr found) {
  if (expected == found)
    return success();
  return op->emitOpError("expected ") << what << " to be \"" << expected.str()
                                      << "\", found \"" << found.str() << "\"";
}
