// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Weights/ElementBlock.h"

#include "llvm/ADT/STLExtras.h"

using namespace llvm;
using namespace heddle;

ElementBlock ElementBlock::asDoubles() const {
  ElementBlock result(HEDDLE_TYPE_F64, sizes);
  for (int64_t i = 0, end = elements(); i < end; ++i) {
    double number = loadNumber(data.data(), type, i);
    std::memcpy(result.data.data() + i * int64_t(sizeof(number)), &number,
                sizeof(number));
  }
  return result;
}

Offsets heddle::evenOffsets(int64_t size, int64_t stride) {
  Offsets offsets(size);
  for (int64_t i = 0; i < size; ++i)
    offsets[i] = i * stride;
  return offsets;
}

std::vector<Offsets> heddle::denseOffsets(ArrayRef<int64_t> sizes) {
  return offsetsIn(sizes, Box::whole(sizes));
}

std::vector<Offsets> heddle::offsetsIn(ArrayRef<int64_t> shape,
                                       const Box &box) {
  std::vector<Offsets> result(shape.size());
  int64_t stride = 1;
  for (size_t dim = shape.size(); dim-- > 0; stride *= shape[dim]) {
    result[dim] = evenOffsets(box.sizes[dim], stride);
    for (int64_t &offset : result[dim])
      offset += box.offsets[dim] * stride;
  }
  return result;
}

static bool areNeighbours(const Offsets &offsets) {
  for (size_t i = 1; i < offsets.size(); ++i)
    if (offsets[i] != offsets[0] + int64_t(i))
      return false;
  return true;
}

namespace {
/// The copy of elements of one size, dimension after dimension.
template <typename Bits> struct Copy {
  ArrayRef<Offsets> toOffsets, fromOffsets;
  bool isContiguous; ///< the last dimension, on both sides

  void run(Bits *to, const Bits *from, size_t dim) const {
    const Offsets &t = toOffsets[dim], &f = fromOffsets[dim];
    if (dim + 1 < toOffsets.size()) {
      for (size_t i = 0; i < t.size(); ++i)
        run(to + t[i], from + f[i], dim + 1);
    } else if (isContiguous) {
      std::memcpy(to + t[0], from + f[0], t.size() * sizeof(Bits));
    } else {
      // Bytes of files need not be aligned.
      for (size_t i = 0; i < t.size(); ++i)
        std::memcpy(to + t[i], from + f[i], sizeof(Bits));
    }
  }
};
} // namespace

template <typename Bits>
static void copyBits(uint8_t *to, ArrayRef<Offsets> toOffsets,
                     const uint8_t *from, ArrayRef<Offsets> fromOffsets) {
  bool isContiguous =
      areNeighbours(toOffsets.back()) && areNeighbours(fromOffsets.back());
  Copy<Bits>{toOffsets, fromOffsets, isContiguous}.run(
      reinterpret_cast<Bits *>(to), reinterpret_cast<const Bits *>(from), 0);
}

void heddle::copyElements(int64_t elementBytes, uint8_t *to,
                          ArrayRef<Offsets> toOffsets, const uint8_t *from,
                          ArrayRef<Offsets> fromOffsets) {
  if (any_of(toOffsets, [](const Offsets &o) { return o.empty(); }))
    return;
  if (toOffsets.empty()) {
    std::memcpy(to, from, elementBytes);
    return;
  }
  switch (elementBytes) {
  case 1:
    return copyBits<uint8_t>(to, toOffsets, from, fromOffsets);
  case 2:
    return copyBits<uint16_t>(to, toOffsets, from, fromOffsets);
  case 4:
    return copyBits<uint32_t>(to, toOffsets, from, fromOffsets);
  case 8:
    return copyBits<uint64_t>(to, toOffsets, from, fromOffsets);
  }
  llvm_unreachable("elements have a power of two of bytes, at most 8");
}
