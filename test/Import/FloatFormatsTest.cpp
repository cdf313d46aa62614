// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/ElementFormats.h"

#include "llvm/ADT/APFloat.h"

#include "gtest/gtest.h"

#include <cmath>
#include <limits>
#include <random>

using namespace llvm;
using namespace heddle;

/// A format, as APFloat knows it and as it is here.
struct Format {
  const fltSemantics &semantics;
  unsigned bits;
  float (*widen)(uint32_t bits);
  uint32_t (*narrow)(float value);
};

template <typename Float>
static Format formatOf(const fltSemantics &semantics) {
  return {semantics, 8 * sizeof(Float),
          [](uint32_t bits) {
            Float value;
            value.bits = bits;
            return float(value);
          },
          [](float value) { return uint32_t(Float(value).bits); }};
}

static const Format formats[] = {formatOf<F16>(APFloat::IEEEhalf()),
                                 formatOf<BF16>(APFloat::BFloat()),
                                 formatOf<F8E4M3>(APFloat::Float8E4M3FN()),
                                 formatOf<F8E5M2>(APFloat::Float8E5M2())};

static uint32_t bitsOf(const APFloat &value) {
  return value.bitcastToAPInt().getZExtValue();
}

/// What APFloat makes of a number.
static uint32_t narrowed(APFloat value, const Format &format) {
  bool losesInfo;
  value.convert(format.semantics, APFloat::rmNearestTiesToEven, &losesInfo);
  return bitsOf(value);
}

static uint32_t narrowed(uint32_t bits, const Format &format) {
  return narrowed(APFloat(APFloat::IEEEsingle(), APInt(32, bits)), format);
}

static uint32_t narrowedHere(uint32_t bits, const Format &format) {
  return format.narrow(bit_cast<float>(bits));
}

namespace {

TEST(FloatFormats, widensEveryValue) {
  for (const Format &format : formats)
    for (uint32_t bits = 0; bits < 1U << format.bits; ++bits) {
      float found = format.widen(bits);
      APFloat expected(format.semantics, APInt(format.bits, bits));
      if (expected.isNaN()) {
        EXPECT_TRUE(found != found);
        continue;
      }
      bool losesInfo;
      expected.convert(APFloat::IEEEsingle(), APFloat::rmNearestTiesToEven,
                       &losesInfo);
      ASSERT_EQ(bit_cast<uint32_t>(found), bitsOf(expected)) << bits;
    }
}

TEST(FloatFormats, roundsToNearestEven) {
  for (const Format &format : formats)
    for (uint32_t bits = 0; bits < 1U << format.bits; ++bits) {
      float value = format.widen(bits);
      if (value != value)
        continue;
      // The value itself, the points halfway to its neighbours and what is
      // beside them. Subnormals of f16 have other distances: step through more
      // bits.
      uint32_t middle = bit_cast<uint32_t>(value);
      for (int shift = 11; shift < 23; ++shift)
        for (int offset : {-1, 0, 1}) {
          uint32_t near = middle + (1u << shift) + offset;
          ASSERT_EQ(narrowedHere(near, format), narrowed(near, format)) << near;
        }
      ASSERT_EQ(narrowedHere(middle, format), bits);
    }
}

TEST(FloatFormats, roundsRandomValues) {
  std::mt19937 random; // the same values in every run
  for (int i = 0; i < 1000000; ++i) {
    uint32_t bits = random();
    for (const Format &format : formats)
      ASSERT_EQ(narrowedHere(bits, format), narrowed(bits, format)) << bits;
  }
}

// Beside what is half way between two values, by less than f32 can tell.
TEST(FloatFormats, roundsDoublesOnce) {
  for (const Format &format : formats)
    for (uint32_t bits = 0; bits + 1 < 1U << (format.bits - 1); ++bits) {
      double low = format.widen(bits), high = format.widen(bits + 1);
      if (!std::isfinite(low) || !std::isfinite(high))
        continue;
      double middle = (low + high) / 2;
      for (double value : {middle, std::nextafter(middle, low),
                           std::nextafter(middle, high), -middle})
        ASSERT_EQ(format.narrow(roundToOdd(value)),
                  narrowed(APFloat(value), format))
            << value;
    }
  EXPECT_EQ(roundToOdd(1e300), std::numeric_limits<float>::max());
  EXPECT_EQ(roundToOdd(5e-324), std::numeric_limits<float>::denorm_min());
}

TEST(FloatFormats, roundsSmallAndLargeValuesToF16) {
  EXPECT_EQ(toF16(65519.996f), 0x7bff);
  EXPECT_EQ(toF16(65520.0f), 0x7c00);
  EXPECT_EQ(toF16(-1e30f), 0xfc00);
  EXPECT_EQ(toF16(0x1p-24f), 1);
  EXPECT_EQ(toF16(0x1p-25f), 0);
  EXPECT_EQ(toF16(0x1.000002p-25f), 1);
  EXPECT_EQ(toF16(-0.0f), 0x8000);
}

} // namespace
