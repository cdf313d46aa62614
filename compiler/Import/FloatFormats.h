// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// The bits of bf16 and f16 values, and the rounding of f32 to them: to nearest,
// ties to even, with infinities where the value is too large, subnormals kept,
// and a NaN's sign and upper bits kept. Bit operations rather than APFloat,
// because whole checkpoints pass through here.

#ifndef HEDDLE_COMPILER_IMPORT_FLOATFORMATS_H
#define HEDDLE_COMPILER_IMPORT_FLOATFORMATS_H

#include "compiler/Import/SafeTensors.h"

#include "mlir/IR/BuiltinTypes.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/Endian.h"

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

/// How elements of a heddle.weight of this type are stored.
inline StorageType storageTypeOf(mlir::Type type) {
  if (mlir::isa<mlir::FloatType>(type))
    return type.isF32()    ? StorageType::F32
           : type.isBF16() ? StorageType::BF16
                           : StorageType::F16;
  return type.isInteger(1)    ? StorageType::Bool
         : type.isInteger(8)  ? StorageType::I8
         : type.isInteger(64) ? StorageType::I64
                              : StorageType::I32;
}

/// Element `index` of `data`, which holds elements of a float type.
inline float loadElement(const uint8_t *data, StorageType type, int64_t index) {
  using namespace llvm::support::endian;
  switch (type) {
  case StorageType::F32:
    return llvm::bit_cast<float>(read32le(data + 4 * index));
  case StorageType::BF16:
    return fromBF16(read16le(data + 2 * index));
  case StorageType::F16:
    return fromF16(read16le(data + 2 * index));
  default:
    break;
  }
  llvm_unreachable("expected a float type");
}

/// Element `index` of `data`, which holds elements of an integer type.
inline int64_t loadInteger(const uint8_t *data, StorageType type,
                           int64_t index) {
  using namespace llvm::support::endian;
  switch (type) {
  case StorageType::I8:
    return int8_t(data[index]);
  case StorageType::Bool:
    return data[index] != 0;
  case StorageType::I32:
    return int32_t(read32le(data + 4 * index));
  case StorageType::I64:
    return int64_t(read64le(data + 8 * index));
  default:
    break;
  }
  llvm_unreachable("expected an integer type");
}

/// The nearest value that the float `type` holds.
inline float roundTo(StorageType type, float value) {
  switch (type) {
  case StorageType::F32:
    return value;
  case StorageType::BF16:
    return fromBF16(toBF16(value));
  case StorageType::F16:
    return fromF16(toF16(value));
  default:
    break;
  }
  llvm_unreachable("expected a float type");
}

} // namespace heddle

#endif // HEDDLE_COMPILER_IMPORT_FLOATFORMATS_H
