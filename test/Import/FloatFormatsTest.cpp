// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Import/FloatFormats.h"

#include "llvm/ADT/APFloat.h"

#include "gtest/gtest.h"

#include <random>

using namespace llvm;
using namespace heddle;

static const fltSemantics &semanticsOf(StorageType type) {
  return type == StorageType::F16 ? APFloat::IEEEhalf() : APFloat::BFloat();
}

static uint32_t bitsOf(const APFloat &value) {
  return value.bitcastToAPInt().getZExtValue();
}

/// What APFloat makes of f32 `bits`.
static uint32_t narrowed(uint32_t bits, StorageType type) {
  APFloat value(APFloat::IEEEsingle(), APInt(32, bits));
  bool losesInfo;
  value.convert(semanticsOf(type), APFloat::rmNearestTiesToEven, &losesInfo);
  return bitsOf(value);
}

static uint32_t narrowedHere(uint32_t bits, StorageType type) {
  float value = bit_cast<float>(bits);
  return type == StorageType::F16 ? toF16(value) : toBF16(value);
}

namespace {

TEST(FloatFormats, widensEveryValue) {
  for (StorageType type : {StorageType::F16, StorageType::BF16})
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
      float found = type == StorageType::F16 ? fromF16(bits) : fromBF16(bits);
      APFloat expected(semanticsOf(type), APInt(16, bits));
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
  for (StorageType type : {StorageType::F16, StorageType::BF16})
    for (uint32_t bits = 0; bits < 0x10000; ++bits) {
      float value = type == StorageType::F16 ? fromF16(bits) : fromBF16(bits);
      if (value != value)
        continue;
      // The value itself, the points halfway to its neighbours and what is
      // beside them. Subnormals of f16 have other distances: step through more
      // bits.
      uint32_t middle = bit_cast<uint32_t>(value);
      for (int shift = 11; shift < 23; ++shift)
        for (int offset : {-1, 0, 1}) {
          uint32_t near = middle + (1u << shift) + offset;
          ASSERT_EQ(narrowedHere(near, type), narrowed(near, type)) << near;
        }
      ASSERT_EQ(narrowedHere(middle, type), bits);
    }
}

TEST(FloatFormats, roundsRandomValues) {
  std::mt19937 random; // the same values in every run
  for (int i = 0; i < 1000000; ++i) {
    uint32_t bits = random();
    for (StorageType type : {StorageType::F16, StorageType::BF16})
      ASSERT_EQ(narrowedHere(bits, type), narrowed(bits, type)) << bits;
  }
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
