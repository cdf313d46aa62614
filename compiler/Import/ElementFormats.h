// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Elements of any type, as C++ has them.

#ifndef HEDDLE_COMPILER_IMPORT_ELEMENTFORMATS_H
#define HEDDLE_COMPILER_IMPORT_ELEMENTFORMATS_H

#include "compiler/Import/FloatFormats.h"
#include "runtime/heddle_abi.h"

#include <cstring>
#include <optional>
#include <type_traits>

namespace heddle {

/// A float of fewer bits than f32: its bits, and the rounding of f32 to them.
template <typename Bits, float (*decode)(Bits), Bits (*encode)(float)>
struct NarrowFloat {
  Bits bits = 0;

  NarrowFloat() = default;
  explicit NarrowFloat(float value) : bits(encode(value)) {}
  explicit NarrowFloat(double value) : bits(encode(roundToOdd(value))) {}
  template <typename T, std::enable_if_t<std::is_integral_v<T>> * = nullptr>
  explicit NarrowFloat(T value) : NarrowFloat(double(value)) {}
  operator float() const { return decode(bits); }
};

using BF16 = NarrowFloat<uint16_t, fromBF16, toBF16>;
using F16 = NarrowFloat<uint16_t, fromF16, toF16>;
using F8E4M3 = NarrowFloat<uint8_t, fromF8E4M3, toF8E4M3>;
using F8E5M2 = NarrowFloat<uint8_t, fromF8E5M2, toF8E5M2>;

/// An i1, which is 0 or 1.
struct Truth {
  uint8_t byte = 0;

  Truth() = default;
  template <typename T> explicit Truth(T value) : byte(value != 0) {}
  operator uint8_t() const { return byte; }
};

/// Calls `visit` with a zero of the type that has an element's bytes.
template <typename Visit> auto visitElement(heddle_type type, Visit visit) {
  switch (type) {
  case HEDDLE_TYPE_F32:
    return visit(float());
  case HEDDLE_TYPE_F64:
    return visit(double());
  case HEDDLE_TYPE_BF16:
    return visit(BF16());
  case HEDDLE_TYPE_F16:
    return visit(F16());
  case HEDDLE_TYPE_F8E4M3:
    return visit(F8E4M3());
  case HEDDLE_TYPE_F8E5M2:
    return visit(F8E5M2());
  case HEDDLE_TYPE_I8:
    return visit(int8_t());
  case HEDDLE_TYPE_I16:
    return visit(int16_t());
  case HEDDLE_TYPE_I32:
    return visit(int32_t());
  case HEDDLE_TYPE_I64:
    return visit(int64_t());
  case HEDDLE_TYPE_U8:
    return visit(uint8_t());
  case HEDDLE_TYPE_U16:
    return visit(uint16_t());
  case HEDDLE_TYPE_U32:
    return visit(uint32_t());
  case HEDDLE_TYPE_U64:
    return visit(uint64_t());
  case HEDDLE_TYPE_I1:
    return visit(Truth());
  }
  llvm_unreachable("all types are covered");
}

/// The bytes of an element.
inline int64_t bytesOfElement(heddle_type type) {
  return visitElement(type, [](auto zero) { return int64_t(sizeof(zero)); });
}

/// Whether elements of `type` are floats.
inline bool isFloat(heddle_type type) {
  return visitElement(type, [](auto zero) {
    using T = decltype(zero);
    return !std::is_integral_v<T> && !std::is_same_v<T, Truth>;
  });
}

/// Whether doubles do not hold all integers of `type`.
inline bool isWideInteger(heddle_type type) {
  return type == HEDDLE_TYPE_I64 || type == HEDDLE_TYPE_U64;
}

/// Whether a weight of type `to` may be read from a tensor of type `from`, or
/// of none that is known: any float, or the same integers.
inline bool canConvert(std::optional<heddle_type> from, heddle_type to) {
  return from && (isFloat(to) ? isFloat(*from) : from == to);
}

/// Element `index` of `data`, little-endian and not necessarily aligned.
template <typename T> T elementAt(const uint8_t *data, int64_t index) {
  static_assert(llvm::endianness::native == llvm::endianness::little);
  T element;
  std::memcpy(&element, data + index * int64_t(sizeof(T)), sizeof(T));
  return element;
}

/// The same as a number; an integer of 64 bits is rounded.
inline double loadNumber(const uint8_t *data, heddle_type type, int64_t index) {
  return visitElement(type, [&](auto zero) {
    return double(elementAt<decltype(zero)>(data, index));
  });
}

/// Elements that are `stride` apart, from `first` on, as numbers.
inline void loadNumbers(const uint8_t *data, heddle_type type, int64_t first,
                        int64_t stride, llvm::MutableArrayRef<double> numbers) {
  visitElement(type, [&](auto zero) {
    for (int64_t i = 0, end = numbers.size(); i < end; ++i)
      numbers[i] = double(elementAt<decltype(zero)>(data, first + i * stride));
    return 0;
  });
}

/// An element of an integer type; those of u64 wrap around.
inline int64_t loadInteger(const uint8_t *data, heddle_type type,
                           int64_t index) {
  return visitElement(type, [&](auto zero) {
    return int64_t(elementAt<decltype(zero)>(data, index));
  });
}

/// The nearest value that the float `type` holds.
inline double roundTo(heddle_type type, double value) {
  return visitElement(type,
                      [&](auto zero) { return double(decltype(zero)(value)); });
}

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_ELEMENTFORMATS_H
