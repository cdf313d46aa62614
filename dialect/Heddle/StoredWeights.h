// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How weights lie in memory: dense, or in the panels of a #heddle.layout, with
// several integers of 4 bits in a place.

#ifndef HEDDLE_DIALECT_HEDDLE_STOREDWEIGHTS_H
#define HEDDLE_DIALECT_HEDDLE_STOREDWEIGHTS_H

#include "dialect/Heddle/HeddleDialect.h"

namespace heddle {

/// The elements of a weight in memory.
class StoredWeight {
public:
  /// `layout` is null where the weight is dense.
  StoredWeight(mlir::RankedTensorType type, LayoutAttr layout)
      : type(type), layout(layout) {}

  /// The dimension along which neighbours, or groups of them, share a place,
  /// the first of them in its lowest bits: the last one that is in no panels.
  /// None where each element has bytes of its own, as those have that are no
  /// half bytes, and those of dense vectors.
  std::optional<unsigned> sharedDimension() const;
  /// How many elements are in a place: 2 in a byte, 4 of those in groups of 2
  /// in 16 bits, and else 1.
  int64_t shares() const;
  /// The dimension of which neighbours are in groups, where the layout has
  /// such.
  std::optional<unsigned> groupedDimension() const;
  /// The type of a place in memory: ui8 or ui16 where elements share it.
  mlir::Type elementType() const;
  /// The dimensions in memory, outermost first.
  llvm::SmallVector<int64_t> shape() const;
  int64_t bytes() const {
    return llvm::product_of(shape()) * bytesOfElement(elementType());
  }

private:
  mlir::RankedTensorType type;
  LayoutAttr layout;
};

} // namespace heddle

#endif // HEDDLE_DIALECT_HEDDLE_STOREDWEIGHTS_H
