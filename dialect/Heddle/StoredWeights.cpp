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

std::optional<unsigned> StoredWeight::sharedDimension() const {
  if (!isHalfByte(type.getElementType()) || type.getRank() < 2)
    return std::nullopt;
  return lastOutside(type, layout);
}

int64_t StoredWeight::shares() const {
  if (!sharedDimension())
    return 1;
  return groupedDimension() && layout.getGroup() == 2 ? 4 : 2;
}

std::optional<unsigned> StoredWeight::groupedDimension() const {
  if (!layout || layout.getGroup() == 1 || type.getRank() < 2)
    return std::nullopt;
  return lastOutside(type, layout);
}

Type StoredWeight::elementType() const {
  int64_t count = shares();
  return count == 1 ? type.getElementType()
                    : IntegerType::get(type.getContext(), 4 * count,
                                       IntegerType::Unsigned);
}

SmallVector<int64_t> StoredWeight::shape() const {
  SmallVector<int64_t> stored(type.getShape());
  if (std::optional<unsigned> grouped = groupedDimension())
    stored[*grouped] = llvm::divideCeil(stored[*grouped], layout.getGroup());
  if (std::optional<unsigned> shared = sharedDimension())
    stored[*shared] = llvm::divideCeil(stored[*shared], shares());
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
