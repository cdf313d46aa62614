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

inline float fromF16(uint16_t bits) {
  uint32_t sign = uint32_t(bits & 0x8000) << 16, magnitude = bits & 0x7fff;
  uint32_t result;
  if (magnitude >= 0x7c00) // infinity and NaN
    result = 0x7f800000 | (magnitude & 0x3ff) << 13;
  else if (magnitude >= 0x400) // the exponents' biases are 15 and 127
    result = (magnitude << 13) + ((127 - 15) << 23);
  else // subnormal: a multiple of 2^-24
    result = llvm::bit_cast<uint32_t>(float(magnitude) * 0x1p-24f);
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
  if (magnitude < 0x38800000) {
    // Below 2^-14 the result counts 2^-24, which is the last place of the
    // floats in [0.5, 1): adding 0.5 rounds as needed.
    float sum = llvm::bit_cast<float>(magnitude) + 0.5f;
    return sign | (llvm::bit_cast<uint32_t>(sum) - 0x3f000000);
  }
  magnitude += 0xfff + (magnitude >> 13 & 1);
  return sign | (magnitude - ((127 - 15) << 23)) >> 13;
}

// Floats of eight bits: `exponents` bits of exponent, and what is left of
// mantissa. E4M3 has no infinity: what is too large is NaN (Micikevicius et
// al., arXiv:2209.05433, table 1).
inline constexpr float kF8E4M3Overflow = 464; // halfway from 448 to the next

inline float fromF8E4M3(uint8_t bits) {
  uint32_t sign = uint32_t(bits & 0x80) << 24, magnitude = bits & 0x7f;
  if (magnitude == 0x7f)
    return llvm::bit_cast<float>(sign | 0x7fc00000);
  // The exponents' biases are 7 and 127.
  float value = llvm::bit_cast<float>(magnitude << 20) * 0x1p120f;
  return llvm::bit_cast<float>(sign | llvm::bit_cast<uint32_t>(value));
}

inline uint8_t toF8E4M3(float value) {
  uint32_t bits = llvm::bit_cast<uint32_t>(value);
  uint8_t sign = bits >> 24 & 0x80;
  uint32_t magnitude = bits & 0x7fffffff;
  float absolute = llvm::bit_cast<float>(magnitude);
  if (!(absolute <= kF8E4M3Overflow)) // NaN, too
    return sign | 0x7f;
  if (absolute < 0x1p-6f) {
    // A multiple of 2^-9, which is the last place of the floats in
    // [2^14, 2^15).
    float sum = absolute + 0x1p14f;
    return sign | (llvm::bit_cast<uint32_t>(sum) - 0x46800000);
  }
  magnitude += 0x7ffff + (magnitude >> 20 & 1);
  return sign | (magnitude - ((127 - 7) << 23)) >> 20;
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
  if (magnitude < 0x38800000) {
    // Below 2^-14 a multiple of 2^-16, which is the last place of the floats in
    // [2^7, 2^8).
    float sum = llvm::bit_cast<float>(magnitude) + 0x1p7f;
    return sign | (llvm::bit_cast<uint32_t>(sum) - 0x43000000);
  }
  magnitude += 0xfffff + (magnitude >> 21 & 1);
  return sign | (magnitude - ((127 - 15) << 23)) >> 21;
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
