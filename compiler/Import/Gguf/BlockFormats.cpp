// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/Gguf/BlockFormats.h"

#include "compiler/Import/FloatFormats.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Endian.h"

#include <cmath>
#include <cstring>

using namespace llvm;
using namespace heddle;
using support::endian::read16le;
using support::endian::read32le;

//===-- parts of blocks ---------------------------------------------------===//

using Block = const uint8_t *;
using Bytes = uint8_t *;

static float half(Block at) { return fromF16(read16le(at)); }
static uint8_t low(uint8_t byte) { return byte & 15; }
static uint8_t high(uint8_t byte) { return byte >> 4; }

// Memory for elements is not aligned.
static void storeFloat(Bytes floats, int64_t index, float value) {
  std::memcpy(floats + 4 * index, &value, sizeof(value));
}

// The scale of most blocks of 32, as it is stored.
template <int offset> static void copyHalf(Block block, Bytes scale) {
  std::memcpy(scale, block + offset, 2);
}

// The summand of blocks of 32 that are not symmetric.
static void addedHalf(Block block, Bytes minimum) {
  storeFloat(minimum, 0, -half(block + 2));
}

// The lower halves of 16 bytes, then the upper ones.
template <typename Store> static void forEachHalf(Block bytes, Store store) {
  for (int j = 0; j < 16; ++j) {
    store(j, low(bytes[j]));
    store(j + 16, high(bytes[j]));
  }
}

//===-- blocks of 32 ------------------------------------------------------===//

static void codesQ4_0(Block block, Bytes codes) {
  forEachHalf(block + 2, [&](int i, int q) { codes[i] = uint8_t(q - 8); });
}

static void codesQ4_1(Block block, Bytes codes) {
  forEachHalf(block + 4, [&](int i, int q) { codes[i] = uint8_t(q); });
}

// The fifth bits of all are in a word.
template <int word, int excess> static void codesQ5(Block block, Bytes codes) {
  uint32_t fifth = read32le(block + word);
  forEachHalf(block + word + 4, [&](int i, int q) {
    codes[i] = uint8_t((q | int((fifth >> i) & 1) << 4) - excess);
  });
}

static void codesQ8_0(Block block, Bytes codes) {
  std::memcpy(codes, block + 2, 32);
}

// Of IQ4_NL and IQ4_XS.
static constexpr int8_t kUneven[] = {-127, -104, -83, -65, -49, -35, -22, -10,
                                     1,    13,   25,  38,  53,  69,  89,  113};

static void codesIQ4_NL(Block block, Bytes codes) {
  forEachHalf(block + 2, [&](int i, int q) { codes[i] = uint8_t(kUneven[q]); });
}

// Twice the numbers of F4E2M1 (OCP Microscaling Formats 1.0, table 1).
static void codesMXFP4(Block block, Bytes codes) {
  constexpr int8_t numbers[] = {0, 1,  2,  3,  4,  6,  8,  12,
                                0, -1, -2, -3, -4, -6, -8, -12};
  forEachHalf(block + 1, [&](int i, int q) { codes[i] = uint8_t(numbers[q]); });
}

static void scaleMXFP4(Block block, Bytes scale) {
  storeFloat(scale, 0, float(std::ldexp(1.0, int(block[0]) - 128)));
}

//===-- blocks of 256 -----------------------------------------------------===//

// Scale and minimum of a group of Q4_K and Q5_K, of 6 bits each.
static std::pair<int, int> pairOf(Block s, int group) {
  if (group < 4)
    return {s[group] & 63, s[group + 4] & 63};
  return {low(s[group + 4]) | (s[group - 4] >> 6) << 4,
          high(s[group + 4]) | (s[group] >> 6) << 4};
}

static void scalesQ45_K(Block block, Bytes scales) {
  for (int group = 0; group < 8; ++group)
    storeFloat(scales, group, half(block) * pairOf(block + 4, group).first);
}

static void minimumsQ45_K(Block block, Bytes minimums) {
  for (int group = 0; group < 8; ++group)
    storeFloat(minimums, group,
               half(block + 2) * pairOf(block + 4, group).second);
}

// Runs of 32 bytes: the lower halves are a group, the upper ones the next.
static void codesQ4_K(Block block, Bytes codes) {
  for (int i = 0; i < 256; ++i) {
    uint8_t byte = block[16 + i / 64 * 32 + i % 32];
    codes[i] = i / 32 % 2 ? high(byte) : low(byte);
  }
}

static void codesQ5_K(Block block, Bytes codes) {
  for (int i = 0; i < 256; ++i) {
    uint8_t byte = block[48 + i / 64 * 32 + i % 32];
    int fifth = (block[16 + i % 32] >> (i / 32)) & 1;
    codes[i] = uint8_t((i / 32 % 2 ? high(byte) : low(byte)) | fifth << 4);
  }
}

static void codesQ6_K(Block block, Bytes codes) {
  for (int i = 0; i < 256; ++i) {
    int inHalf = i % 128, quarter = inHalf / 32;
    Block lows = block + i / 128 * 64, highs = block + 128 + i / 128 * 32;
    uint8_t byte = lows[inHalf % 64];
    int upper = (highs[i % 32] >> (2 * quarter)) & 3;
    codes[i] =
        uint8_t(((quarter < 2 ? low(byte) : high(byte)) | upper << 4) - 32);
  }
}

static void scalesQ6_K(Block block, Bytes scales) {
  for (int group = 0; group < 16; ++group)
    storeFloat(scales, group,
               half(block + 208) * float(int8_t(block[192 + group])));
}

// Two bits each: of 32 bytes, the lowest two of all are a run, and so on.
static int twoBits(Block bytes, int i) {
  return (bytes[i / 128 * 32 + i % 32] >> (i % 128 / 32 * 2)) & 3;
}

static void codesQ2_K(Block block, Bytes codes) {
  for (int i = 0; i < 256; ++i)
    codes[i] = uint8_t(twoBits(block + 16, i));
}

static void scalesQ2_K(Block block, Bytes scales) {
  for (int group = 0; group < 16; ++group)
    storeFloat(scales, group, half(block + 80) * low(block[group]));
}

static void minimumsQ2_K(Block block, Bytes minimums) {
  for (int group = 0; group < 16; ++group)
    storeFloat(minimums, group, half(block + 82) * high(block[group]));
}

static void codesQ3_K(Block block, Bytes codes) {
  for (int i = 0; i < 256; ++i) {
    bool isHigh = (block[i % 32] >> (i / 32)) & 1;
    codes[i] = uint8_t(twoBits(block + 32, i) - (isHigh ? 0 : 4));
  }
}

// 12 bytes hold 16 scales of 6 bits: the lower four of all, then the upper two.
static void scalesQ3_K(Block block, Bytes scales) {
  Block s = block + 96;
  for (int group = 0; group < 16; ++group) {
    int lower = group < 8 ? low(s[group]) : high(s[group - 8]);
    int upper = (s[8 + group % 4] >> (group / 4 * 2)) & 3;
    storeFloat(scales, group,
               half(block + 108) * float((lower | upper << 4) - 32));
  }
}

static void codesIQ4_XS(Block block, Bytes codes) {
  for (int group = 0; group < 8; ++group)
    forEachHalf(block + 8 + group * 16, [&](int i, int q) {
      codes[group * 32 + i] = uint8_t(kUneven[q]);
    });
}

static void scalesIQ4_XS(Block block, Bytes scales) {
  int uppers = read16le(block + 2);
  for (int group = 0; group < 8; ++group) {
    uint8_t byte = block[4 + group / 2];
    int lower = group % 2 ? high(byte) : low(byte);
    int scale = (lower | ((uppers >> (2 * group)) & 3) << 4) - 32;
    storeFloat(scales, group, half(block) * float(scale));
  }
}

//===-- the table ---------------------------------------------------------===//

static constexpr heddle_type kSigned = HEDDLE_TYPE_I8, kFloat = HEDDLE_TYPE_F32,
                             kUnsigned = HEDDLE_TYPE_U8,
                             kHalf = HEDDLE_TYPE_F16;

static constexpr BlockFormat element(uint32_t number, StringLiteral name,
                                     int64_t bytes,
                                     std::optional<heddle_type> type) {
  return {number, name, 1, bytes, type, {}, {}, {}};
}

using Decode = void (*)(Block, Bytes);

// A format of blocks of 32 elements with one scale.
static constexpr BlockFormat small(uint32_t number, StringLiteral name,
                                   int64_t bytes, heddle_type code,
                                   Decode codes, heddle_type scale,
                                   Decode scales, Decode minimums,
                                   bool isHalfByte) {
  return {number,
          name,
          32,
          bytes,
          std::nullopt,
          {code, 32, bytes, codes},
          {scale, 1, bytes, scales},
          {kFloat, 1, bytes, minimums},
          isHalfByte};
}

// A format of blocks of 256 elements in so many groups.
static constexpr BlockFormat large(uint32_t number, StringLiteral name,
                                   int64_t bytes, int64_t groups,
                                   heddle_type code, Decode codes,
                                   Decode scales, Decode minimums,
                                   bool isHalfByte) {
  return {number,
          name,
          256,
          bytes,
          std::nullopt,
          {code, 256, bytes, codes},
          {kFloat, groups, bytes, scales},
          {kFloat, groups, bytes, minimums},
          isHalfByte};
}

static constexpr BlockFormat formats[] = {
    element(0, "F32", 4, HEDDLE_TYPE_F32),
    element(1, "F16", 2, HEDDLE_TYPE_F16),
    element(30, "BF16", 2, HEDDLE_TYPE_BF16),
    element(28, "F64", 8, HEDDLE_TYPE_F64),
    element(24, "I8", 1, HEDDLE_TYPE_I8),
    element(25, "I16", 2, HEDDLE_TYPE_I16),
    element(26, "I32", 4, HEDDLE_TYPE_I32),
    element(27, "I64", 8, HEDDLE_TYPE_I64),
    small(2, "Q4_0", 18, kSigned, codesQ4_0, kHalf, copyHalf<0>, nullptr, true),
    small(3, "Q4_1", 20, kUnsigned, codesQ4_1, kHalf, copyHalf<0>, addedHalf,
          true),
    small(6, "Q5_0", 22, kSigned, codesQ5<2, 16>, kHalf, copyHalf<0>, nullptr,
          false),
    small(7, "Q5_1", 24, kSigned, codesQ5<4, 0>, kHalf, copyHalf<0>, addedHalf,
          false),
    small(8, "Q8_0", 34, kSigned, codesQ8_0, kHalf, copyHalf<0>, nullptr,
          false),
    small(20, "IQ4_NL", 18, kSigned, codesIQ4_NL, kHalf, copyHalf<0>, nullptr,
          false),
    small(39, "MXFP4", 17, kSigned, codesMXFP4, kFloat, scaleMXFP4, nullptr,
          false),
    large(10, "Q2_K", 84, 16, kUnsigned, codesQ2_K, scalesQ2_K, minimumsQ2_K,
          true),
    large(11, "Q3_K", 110, 16, kSigned, codesQ3_K, scalesQ3_K, nullptr, true),
    large(12, "Q4_K", 144, 8, kUnsigned, codesQ4_K, scalesQ45_K, minimumsQ45_K,
          true),
    large(13, "Q5_K", 176, 8, kSigned, codesQ5_K, scalesQ45_K, minimumsQ45_K,
          false),
    large(14, "Q6_K", 210, 16, kSigned, codesQ6_K, scalesQ6_K, nullptr, false),
    large(23, "IQ4_XS", 136, 8, kSigned, codesIQ4_XS, scalesIQ4_XS, nullptr,
          false),
};

const BlockFormat *heddle::findBlockFormat(uint32_t number) {
  const BlockFormat *found = find_if(
      formats, [&](const BlockFormat &f) { return f.number == number; });
  return found == std::end(formats) ? nullptr : found;
}

const BlockFormat *heddle::findBlockFormat(StringRef name) {
  const BlockFormat *found =
      find_if(formats, [&](const BlockFormat &f) { return f.name == name; });
  return found == std::end(formats) ? nullptr : found;
}
