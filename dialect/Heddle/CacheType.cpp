// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/ElementTypes.h"
#include "dialect/Heddle/HeddleDialect.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

CacheType CacheType::withSizes(SizesAttr sizes) const {
  return get(getContext(), getLayers(), getKvHeads(), getHeadDim(),
             getElementType(), getValueDim(), getValueType(), sizes);
}

CacheType CacheType::withLayers(int64_t layers) const {
  return get(getContext(), layers, getKvHeads(), getHeadDim(), getElementType(),
             getValueDim(), getValueType(), getSizes());
}

//===-- Memory ------------------------------------------------------------===//

SmallVector<CachePart> CacheType::getParts() const {
  SmallVector<CachePart> parts{CachePart::Keys, CachePart::Values};
  if (getElementType().isInteger())
    parts.push_back(CachePart::KeyScales);
  if (getValueType().isInteger())
    parts.push_back(CachePart::ValueScales);
  return parts;
}

int64_t CacheType::getDimOf(CachePart part) const {
  return part == CachePart::Keys     ? getHeadDim()
         : part == CachePart::Values ? getValueDim()
                                     : 1;
}

Type CacheType::getTypeOf(CachePart part) const {
  return part == CachePart::Keys     ? getElementType()
         : part == CachePart::Values ? getValueType()
                                     : Float32Type::get(getContext());
}

int64_t CacheType::getBytesPerPosition(CachePart part) const {
  return getKvHeads() * getDimOf(part) * bytesOfElement(getTypeOf(part));
}

int64_t CacheType::getBytesPerPosition() const {
  int64_t bytes = 0;
  for (CachePart part : getParts())
    bytes += getBytesPerPosition(part);
  return getLayers() * bytes;
}

//===-- Text --------------------------------------------------------------===//

Type CacheType::parse(AsmParser &parser) {
  int64_t layers = 0, kvHeads = 0, headDim = 0, valueDim = 0;
  Type elementType, valueType;
  SizesAttr sizes;
  SMLoc loc = parser.getCurrentLocation();
  auto parseBy = [&] { return parser.parseKeyword("x"); };
  if (parser.parseLess() || parser.parseInteger(layers) || parseBy() ||
      parser.parseInteger(kvHeads) || parseBy() ||
      parser.parseInteger(headDim) || parseBy() ||
      parser.parseType(elementType))
    return Type();
  valueDim = headDim;
  valueType = elementType;
  bool hasMore = succeeded(parser.parseOptionalComma());
  if (hasMore && succeeded(parser.parseOptionalKeyword("values"))) {
    if (parser.parseInteger(valueDim) || parseBy() ||
        parser.parseType(valueType))
      return Type();
    hasMore = succeeded(parser.parseOptionalComma());
  }
  if (hasMore && parser.parseCustomAttributeWithFallback(sizes))
    return Type();
  if (parser.parseGreater())
    return Type();
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(),
                    layers, kvHeads, headDim, elementType, valueDim, valueType,
                    sizes);
}

void CacheType::print(AsmPrinter &printer) const {
  printer << '<' << getLayers() << " x " << getKvHeads() << " x "
          << getHeadDim() << " x " << getElementType();
  if (getValueDim() != getHeadDim() || getValueType() != getElementType())
    printer << ", values " << getValueDim() << " x " << getValueType();
  if (getSizes()) {
    printer << ", ";
    printer.printStrippedAttrOrType(getSizes());
  }
  printer << '>';
}

LogicalResult CacheType::verify(function_ref<InFlightDiagnostic()> emitError,
                                int64_t layers, int64_t kvHeads,
                                int64_t headDim, Type elementType,
                                int64_t valueDim, Type valueType,
                                SizesAttr sizes) {
  if (layers <= 0 || kvHeads <= 0 || headDim <= 0 || valueDim <= 0)
    return emitError() << "expected positive sizes, found " << layers << " x "
                       << kvHeads << " x " << headDim << ", values "
                       << valueDim;
  for (Type type : {elementType, valueType})
    if (!type.isF32() && !type.isBF16() && !type.isF16() &&
        !type.isSignlessInteger(8))
      return emitError() << "expected elements of f32, bf16, f16 or i8, found "
                         << type;
  // Those of getBytesPerPosition, at most.
  int64_t bytes = 0;
  bool isTooLarge = llvm::AddOverflow(headDim, valueDim, bytes) ||
                    llvm::AddOverflow(bytes, int64_t(2), bytes);
  for (int64_t size : {int64_t(sizeof(float)), layers, kvHeads})
    isTooLarge |= bool(llvm::MulOverflow(bytes, size, bytes));
  if (isTooLarge)
    return emitError() << "expected the bytes of a position to fit 64 bits, "
                          "found sizes "
                       << layers << " x " << kvHeads << " x " << headDim;
  if (sizes && sizes.getSizes().size() != 2)
    return emitError() << "expected 2 sizes, batch and capacity, found "
                       << sizes.getSizes().size();
  return success();
}
