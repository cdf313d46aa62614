// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The bits of floats of 16 and 8 bits, and the rounding of f32 to them: to
// nearest, ties to even, with infinities where the value is too large,
// subnormals kept, and a NaN's sign and upper bits kept. Bit operations rather
// than APFloat, because whole checkpoints pass through here.

#ifndef HEDDLE_COMPILER_IMPORT_FLOATFORMATS_H
#define HEDDLE_COMPILER_IMPORT_FLOATFORMATS_H

#include "llvm/ADT/bit.h"

#include <cmath>
#include <cstdint>

namespace heddle {

inline float fromBF16(uint16_t bits) {
  return llvm::bit_cast<float>(uint32_t(bits) << 16);
}

inline uint16_t toBF16(float value) {
  uint32_t bits = llvm::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffff) > 0x7f800000) // NaN, made quiet
    return bits >> 16 | 0x40;
  // Carries into the kept half exactly where that half is the farther one, or
  // equally far and odd.
  return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}

/// A finite magnitude of so many bits of mantissa, with the exponent's `bias`.
template <int mantissa, int bias> float widenMagnitude(uint32_t magnitude) {
  constexpr uint32_t least = (127 + 1 - bias - mantissa) << 23;
  if (magnitude < 1U << mantissa) // subnormal: a multiple of the least number
    return float(magnitude) * llvm::bit_cast<float>(least);
  return llvm::bit_cast<float>((magnitude << (23 - mantissa)) +
                               ((127 - bias) << 23));
}

/// The bits of an f32 magnitude that is not too large, rounded to such a float.
template <int mantissa, int bias> uint32_t narrowMagnitude(uint32_t magnitude) {
  constexpr int dropped = 23 - mantissa;
  if (magnitude < uint32_t(127 + 1 - bias) << 23) {
    // A subnormal result counts the least number, which is the last place of
    // the floats from `base` on: adding that rounds as needed.
    constexpr uint32_t base = (127 + 24 - bias - mantissa) << 23;
    float sum = llvm::bit_cast<float>(magnitude) + llvm::bit_cast<float>(base);
    return llvm::bit_cast<uint32_t>(sum) - base;
  }
  magnitude += (1U << (dropped - 1)) - 1 + (magnitude >> dropped & 1);
  return (magnitude - (uint32_t(127 - bias) << 23)) >> dropped;
}

inline float fromF16(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16, magnitude = bits & 0x7fff;
  uint32_t result =
      magnitude >= 0x7c00 // infinity and NaN
          ? 0x7f800000 | (magnitude & 0x3ff) << 13
          : llvm::bit_cast<uint32_t>(widenMagnitude<10, 15>(magnitude));
  return llvm::bit_cast<float>(sign | result);
}

inline uint16_t toF16(float value) {
  uint32_t bits = llvm::bit_cast<uint32_t>(value);
  uint16_t sign = bits >> 16 & 0x8000;
  uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) // NaN, made quiet
    return sign | 0x7e00 | (magnitude >> 13 & 0x3ff);
  if (magnitude >= 0x477ff000) // 65520 and more round to 2^16
    return sign | 0x7c00;
  return sign | narrowMagnitude<10, 15>(magnitude);
}

// E4M3 and E5M2 have so many bits of exponent and mantissa. E4M3 has no
// infinity: what is too large is NaN (Micikevicius et al., arXiv:2209.05433,
// table 1).

inline float fromF8E4M3(uint8_t bits) {
  uint32_t sign = uint32_t(bits & 0x80) << 24, magnitude = bits & 0x7f;
  uint32_t result =
      magnitude == 0x7f
          ? 0x7fc00000
          : llvm::bit_cast<uint32_t>(widenMagnitude<3, 7>(magnitude));
  return llvm::bit_cast<float>(sign | result);
}

inline uint8_t toF8E4M3(float value) {
  uint32_t bits = llvm::bit_cast<uint32_t>(value);
  uint8_t sign = bits >> 24 & 0x80;
  uint32_t magnitude = bits & 0x7fffffff;
  // Above 464, halfway from 448 to a next number that would be odd; NaN, too.
  if (magnitude > 0x43e80000)
    return sign | 0x7f;
  return sign | narrowMagnitude<3, 7>(magnitude);
}

/// The upper half of an f16.
inline float fromF8E5M2(uint8_t bits) { return fromF16(uint16_t(bits) << 8); }

inline uint8_t toF8E5M2(float value) {
  uint32_t bits = llvm::bit_cast<uint32_t>(value);
  uint8_t sign = bits >> 24 & 0x80;
  uint32_t magnitude = bits & 0x7fffffff;
  if (magnitude > 0x7f800000) // NaN, made quiet
    return sign | 0x7e | (magnitude >> 21 & 3);
  if (magnitude >= 0x47700000) // 61440 and more round to 2^16
    return sign | 0x7c;
  return sign | narrowMagnitude<2, 15>(magnitude);
}

/// `value` as an f32 that rounds to the same float of at most 22 significant
/// bits: of the two f32 that it is between, the odd one (Boldo and Melquiond,
/// Emulation of a FMA and correctly rounded sums, 2008).
inline float roundToOdd(double value) {
  auto nearest = float(value);
  if (double(nearest) == value || std::isnan(value))
    return nearest;
  uint32_t bits = llvm::bit_cast<uint32_t>(nearest);
  if (std::abs(double(nearest)) > std::abs(value))
    --bits;
  return llvm::bit_cast<float>(bits | 1);
}

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_FLOATFORMATS_H
