// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What compiled ops on floats, and casts, give where Halide's or the CPU's
// rules differ from the dialect's.

#include "test/CodeGen/KernelTesting.h"

#include <cmath>
#include <limits>

using namespace heddle;

static constexpr int32_t kMin = INT32_MIN, kMax = INT32_MAX;
static constexpr float kInf = std::numeric_limits<float>::infinity();
static constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

static const std::vector<float> kFloats = {0.0f,  -0.0f,  1.0f,    -1.5f, 2.5f,
                                           3e38f, 1e-40f, -3e38f,  kInf,  -kInf,
                                           kNaN,  0.75f,  0x1p24f, -0.5f};

TEST(FloatOpsTest, ComparisonsOfFloatsSeeNaN) {
  using Test = bool (*)(float, float);
  std::vector<std::pair<std::string, Test>> tests = {
      {"eq", [](float a, float b) { return a == b; }},
      {"lt", [](float a, float b) { return a < b; }},
      {"le", [](float a, float b) { return a <= b; }},
      {"gt", [](float a, float b) { return a > b; }},
      {"ge", [](float a, float b) { return a >= b; }},
      {"ne", [](float a, float b) { return a < b || a > b; }}};
  for (auto &[name, test] : tests)
    for (bool ofNaN : {false, true})
      expectPairs<float, int8_t>(
          "%c = arith.cmpf " + std::string(ofNaN ? "u" : "o") + name +
              ", %x, %y {halide.strict} : f32\n"
              "%r = arith.extui %c : i1 to i8",
          "f32", "i8", kFloats, [&, &test = test](float a, float b) -> int8_t {
            return a != a || b != b ? ofNaN : test(a, b);
          });
}

TEST(FloatOpsTest, MaximaKeepNaNsAndMaxNumDropsThem) {
  auto expect = [](const std::string &op, auto f) {
    expectPairs<float, float>("%r = arith." + op +
                                  " %x, %y {halide.strict} : f32",
                              "f32", "f32", kFloats, f);
  };
  auto max = [](float a, float b) {
    return a == b ? (std::signbit(a) ? b : a) : std::fmax(a, b);
  };
  auto min = [](float a, float b) {
    return a == b ? (std::signbit(a) ? a : b) : std::fmin(a, b);
  };
  auto orNaN = [](auto f) {
    return [f](float a, float b) { return a != a || b != b ? kNaN : f(a, b); };
  };
  expect("maximumf", orNaN(max));
  expect("minimumf", orNaN(min));
  // Of two zeros, maxnumf and minnumf give the second.
  expect("maxnumf",
         [](float a, float b) { return a == b ? b : std::fmax(a, b); });
  expect("minnumf",
         [](float a, float b) { return a == b ? b : std::fmin(a, b); });
  expect("remf", [](float a, float b) { return std::fmod(a, b); });
  expect("divf", [](float a, float b) { return a / b; });
}

TEST(FloatOpsTest, ExtremaWithConstants) {
  for (std::string zero : {"0.0", "-0.0"})
    for (bool isMaximum : {true, false})
      expectPairs<float, float>(
          "%z = arith.constant " + zero + " : f32\n%r = arith." +
              (isMaximum ? "maximumf" : "minimumf") +
              " %x, %z {halide.strict} : f32",
          "f32", "f32", kFloats, [&](float a, float) {
            float z = zero == "0.0" ? 0.0f : -0.0f;
            if (a == 0)
              return std::signbit(a) == isMaximum   ? z
                     : std::signbit(z) == isMaximum ? a
                                                    : z;
            return a != a ? a : isMaximum ? std::max(a, z) : std::min(a, z);
          });
}

TEST(FloatOpsTest, FloatsBecomeTheNearestIntegerThereIs) {
  auto saturate = [](double x, double low, double high) {
    return x != x ? 0 : std::trunc(std::min(std::max(x, low), high));
  };
  std::vector<float> values = kFloats;
  values.insert(values.end(), {2147483520.0f, 2147483648.0f, -2147483648.0f,
                               4294967040.0f, 4294967296.0f, 127.9f, 128.0f,
                               -128.9f, -129.0f, 255.9f, 256.0f, -0.9f, -1.0f});
  expectPairs<float, int32_t>(
      "%r = arith.fptosi %x {halide.strict} : f32 to i32", "f32", "i32", values,
      [&](float x, float) { return int32_t(saturate(x, kMin, kMax)); });
  expectPairs<float, uint32_t>(
      "%r = arith.fptoui %x {halide.strict} : f32 to i32", "f32", "i32", values,
      [&](float x, float) { return uint32_t(saturate(x, 0, UINT32_MAX)); });
  expectPairs<float, int8_t>(
      "%r = arith.fptosi %x {halide.strict} : f32 to i8", "f32", "i8", values,
      [&](float x, float) { return int8_t(saturate(x, -128, 127)); });
  expectPairs<float, uint8_t>(
      "%r = arith.fptoui %x {halide.strict} : f32 to i8", "f32", "i8", values,
      [&](float x, float) { return uint8_t(saturate(x, 0, 255)); });
}

TEST(FloatOpsTest, IntegersBecomeTheNearestFloat) {
  std::vector<int32_t> values = {0, 1, -1, 16777217, kMin, kMax, -16777219};
  expectPairs<int32_t, float>("%r = arith.sitofp %x : i32 to f32", "i32", "f32",
                              values, [](int32_t x, int32_t) { return x; });
  expectPairs<int32_t, float>(
      "%r = arith.uitofp %x : i32 to f32", "i32", "f32", values,
      [](int32_t x, int32_t) { return float(uint32_t(x)); });
  expectPairs<int64_t, float>("%r = arith.sitofp %x : i64 to f32", "i64", "f32",
                              {0, -1, INT64_MIN, INT64_MAX, (1ll << 40) + 1},
                              [](int64_t x, int64_t) { return float(x); });
}

// bf16 is the upper half of f32.
TEST(FloatOpsTest, BF16IsRoundedToEvenAndKeepsNaN) {
  std::vector<uint32_t> values = {
      0,          0x80000000, 0x3f808000, 0x3f818000, 0x3f808001, 0x7f7fffff,
      0x7f800000, 0xff800000, 0x7f800001, 0x7fffffff, 0xffffffff, 0x00008000};
  expectPairs<uint32_t, uint32_t>(
      "%a = arith.bitcast %x : i32 to f32\n"
      "%b = arith.truncf %a {halide.strict} : f32 to bf16\n"
      "%c = arith.extf %b : bf16 to f32\n"
      "%r = arith.bitcast %c : f32 to i32",
      "i32", "i32", values, [](uint32_t x, uint32_t) -> uint32_t {
        if ((x & 0x7fffffff) > 0x7f800000)
          return (x | 0x400000) & 0xffff0000;
        return (x + 0x7fff + (x >> 16 & 1)) & 0xffff0000;
      });
}

// Sums of bf16 are rounded to it: 256 + 1 is 256, and 1 + 2^-9 is 1.
TEST(FloatOpsTest, BF16ArithmeticRoundsEachResult) {
  expectPairs<float, float>("%a = arith.truncf %x : f32 to bf16\n"
                            "%b = arith.truncf %y : f32 to bf16\n"
                            "%c = arith.addf %a, %b {halide.strict} : bf16\n"
                            "%r = arith.extf %c : bf16 to f32",
                            "f32", "f32", {256, 1, 0x1p-9f, 3},
                            [](float a, float b) {
                              int exponent;
                              std::frexp(a + b, &exponent);
                              float unit = std::ldexp(1.0f, exponent - 8);
                              return std::nearbyint((a + b) / unit) * unit;
                            });
}
