// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parts of tensors in memory, and how elements move between them.

#ifndef HEDDLE_COMPILER_WEIGHTS_ELEMENTBLOCK_H
#define HEDDLE_COMPILER_WEIGHTS_ELEMENTBLOCK_H

#include "compiler/Import/ElementFormats.h"

#include "llvm/ADT/SmallVector.h"

#include <vector>

namespace heddle {

/// A part of a tensor: of each dimension, `sizes` elements from `offsets` on.
struct Box {
  llvm::SmallVector<int64_t> offsets, sizes;

  /// All of a tensor.
  static Box whole(llvm::ArrayRef<int64_t> shape) {
    return {llvm::SmallVector<int64_t>(shape.size(), 0),
            llvm::SmallVector<int64_t>(shape)};
  }
  int64_t elements() const { return llvm::product_of(sizes); }
};

/// The elements of a box: little-endian and dense, last dimension fastest.
struct ElementBlock {
  heddle_type type;
  llvm::SmallVector<int64_t> sizes;
  std::vector<uint8_t> data;

  ElementBlock(heddle_type type, llvm::ArrayRef<int64_t> sizes)
      : type(type), sizes(sizes),
        data(llvm::product_of(sizes) * bytesOfElement(type)) {}

  int64_t elements() const { return llvm::product_of(sizes); }
  /// The same numbers, as doubles.
  ElementBlock asDoubles() const;
};

/// How far each element of a dimension is from that dimension's start, in
/// elements of memory.
using Offsets = std::vector<int64_t>;

/// `size` elements, `stride` apart.
Offsets evenOffsets(int64_t size, int64_t stride);

/// The offsets of all dimensions of a dense array of these sizes.
std::vector<Offsets> denseOffsets(llvm::ArrayRef<int64_t> sizes);

/// The same of a box in a dense tensor of this shape, from the tensor's start.
std::vector<Offsets> offsetsIn(llvm::ArrayRef<int64_t> shape, const Box &box);

/// to[toOffsets[0][i] + toOffsets[1][j] + ..] =
/// from[fromOffsets[0][i] + fromOffsets[1][j] + ..] for all i, j, ..
void copyElements(int64_t elementBytes, uint8_t *to,
                  llvm::ArrayRef<Offsets> toOffsets, const uint8_t *from,
                  llvm::ArrayRef<Offsets> fromOffsets);

} // namespace heddle

#endif // HEDDLE_COMPILER_WEIGHTS_ELEMENTBLOCK_H
