// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "dialect/Heddle/StoredWeights.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace heddle;

// The last dimension that is in no panels, of two or more.
static unsigned lastOutside(RankedTensorType type, LayoutAttr layout) {
  unsigned last = type.getRank() - 1;
  return layout && layout.getDimension() == last ? last - 1 : last;
}

std::optional<unsigned> StoredWeight::halvedDimension() const {
  if (!isHalfByte(type.getElementType()) || type.getRank() < 2)
    return std::nullopt;
  return lastOutside(type, layout);
}

std::optional<unsigned> StoredWeight::groupedDimension() const {
  if (!layout || layout.getGroup() == 1 || type.getRank() < 2)
    return std::nullopt;
  return lastOutside(type, layout);
}

Type StoredWeight::elementType() const {
  return halvedDimension()
             ? IntegerType::get(type.getContext(), 8, IntegerType::Unsigned)
             : type.getElementType();
}

SmallVector<int64_t> StoredWeight::shape() const {
  SmallVector<int64_t> stored(type.getShape());
  if (std::optional<unsigned> grouped = groupedDimension())
    stored[*grouped] = llvm::divideCeil(stored[*grouped], layout.getGroup());
  if (std::optional<unsigned> halved = halvedDimension())
    stored[*halved] = llvm::divideCeil(stored[*halved], 2);
  if (!layout)
    return stored;
  // Panels are outermost, and their elements innermost.
  int64_t extent = stored[layout.getDimension()], width = layout.getWidth();
  stored.erase(stored.begin() + layout.getDimension());
  stored.insert(stored.begin(), llvm::divideCeil(extent, width));
  stored.push_back(width);
  if (groupedDimension())
    stored.push_back(layout.getGroup());
  return stored;
}
