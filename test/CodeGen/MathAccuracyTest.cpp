// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Compiled functions of `math` against double precision, within the bounds of
// MathErrors.h, on numbers from all over f32.

#include "compiler/Reference/MathErrors.h"
#include "test/CodeGen/KernelTesting.h"

#include <cfloat>
#include <cmath>
#include <cstring>
#include <random>

using namespace heddle;
using reference::findMathError;
using reference::kLeastError;
using reference::MathError;

static float fromBits(uint32_t bits) {
  float number;
  std::memcpy(&number, &bits, sizeof(number));
  return number;
}

static const std::vector<float> kSpecial = {
    0.0f,     -0.0f,       INFINITY,    -INFINITY,    NAN,      FLT_MIN,
    -FLT_MIN, FLT_MAX,     1e-45f,      -1e-45f,      -FLT_MAX, 1.0f,
    -1.0f,    0.5f,        -0.5f,       2.0f,         -2.0f,    88.7f,
    88.73f,   89.4f,       -103.9f,     -104.0f,      128.0f,   -149.5f,
    -150.0f,  0.99999994f, 1.00000012f, -0.99999994f, 1e5f,     16777216.0f};

// Every 4099th number, and special ones.
static std::vector<float> sweep() {
  std::vector<float> numbers = kSpecial;
  for (uint64_t bits = 0; bits < uint64_t(1) << 32; bits += 4099)
    numbers.push_back(fromBits(bits));
  return numbers;
}

// Whether `y` is close enough to `exact`.
static bool isAccurate(const MathError &error, float y, double exact) {
  if (std::isnan(exact) || std::isnan(y))
    return std::isnan(exact) && std::isnan(y);
  if (std::signbit(exact) != std::signbit(y) && (exact == 0 || y == 0))
    return false;
  double allowed = std::abs(exact) * error.units * 0x1p-24;
  if (std::isinf(y))
    return std::abs(exact) + allowed >= FLT_MAX;
  return std::abs(y - exact) <= allowed + kLeastError ||
         (std::abs(exact) >= FLT_MAX && std::abs(y) == FLT_MAX);
}

static void check(const MathError &error, const std::string &cpu, float x,
                  float y, double exact, double second = 0) {
  if (std::abs(x) > error.largestArgument) {
    EXPECT_TRUE(std::isnan(exact) ? std::isnan(y)
                                  : error.op == "math.tan" || std::abs(y) <= 1)
        << error.op.str() << " of " << x << " is " << y;
    return;
  }
  EXPECT_TRUE(isAccurate(error, y, exact))
      << error.op.str() << " of " << x << ", " << second << " is " << y
      << " on " << cpu << ", but " << exact << ", off by "
      << std::abs((y - exact) / exact) * 0x1p24 << " units";
}

static void expectAccurate(const std::string &op, double (*exact)(double)) {
  MathError error = *findMathError(op);
  std::vector<float> all = sweep();
  for (const std::string &cpu : cpusToTest()) {
    Kernel kernel("%r = " + op + " %x : f32", "f32", "f32", cpu);
    for (size_t begin = 0; begin < all.size() && !testing::Test::HasFailure();
         begin += Kernel::kCount) {
      auto end = std::min(all.size(), begin + Kernel::kCount);
      std::vector<float> x(all.begin() + begin, all.begin() + end);
      std::vector<float> y = kernel.operator()<float, float>(x, x);
      for (size_t i = 0; i < x.size(); ++i)
        check(error, cpu, x[i], y[i], exact(double(x[i])));
    }
  }
}

TEST(MathAccuracyTest, Exponentials) {
  expectAccurate("math.exp", std::exp);
  expectAccurate("math.exp2", std::exp2);
  expectAccurate("math.expm1", std::expm1);
  expectAccurate("math.sinh", std::sinh);
  expectAccurate("math.cosh", std::cosh);
  expectAccurate("math.tanh", std::tanh);
}

TEST(MathAccuracyTest, Logarithms) {
  expectAccurate("math.log", std::log);
  expectAccurate("math.log2", std::log2);
  expectAccurate("math.log10", std::log10);
  expectAccurate("math.log1p", std::log1p);
  expectAccurate("math.asinh", std::asinh);
  expectAccurate("math.acosh", std::acosh);
  expectAccurate("math.atanh", std::atanh);
}

TEST(MathAccuracyTest, ErrorFunctions) {
  expectAccurate("math.erf", std::erf);
  expectAccurate("math.erfc", std::erfc);
}

TEST(MathAccuracyTest, Trigonometry) {
  expectAccurate("math.sin", std::sin);
  expectAccurate("math.cos", std::cos);
  expectAccurate("math.tan", std::tan);
  expectAccurate("math.asin", std::asin);
  expectAccurate("math.acos", std::acos);
  expectAccurate("math.atan", std::atan);
}

TEST(MathAccuracyTest, Roots) {
  expectAccurate("math.cbrt", std::cbrt);
  expectAccurate("math.sqrt", std::sqrt);
  expectAccurate("math.rsqrt", [](double x) { return 1 / std::sqrt(x); });
}

// Pairs of special numbers, and random ones of any size or near 1.
template <typename Y>
static void expectAccuratePairs(const std::string &op, const std::string &body,
                                double (*exact)(double, double),
                                const std::vector<Y> &special) {
  MathError error = *findMathError(op);
  std::vector<float> x;
  std::vector<Y> y;
  for (float a : kSpecial)
    for (Y b : special) {
      x.push_back(a);
      y.push_back(b);
    }
  std::mt19937 random(1);
  std::normal_distribution<float> normal(0, 4);
  while (x.size() < 1 << 18) {
    bool isAnySize = random() % 2;
    x.push_back(isAnySize ? fromBits(random()) : normal(random));
    y.push_back(Y(isAnySize && std::is_same_v<Y, float> ? fromBits(random())
                                                        : 3 * normal(random)));
  }
  for (const std::string &cpu : cpusToTest()) {
    Kernel kernel(body, "f32", "f32", cpu);
    for (size_t begin = 0; begin < x.size() && !testing::Test::HasFailure();
         begin += Kernel::kCount) {
      auto end = std::min(x.size(), begin + Kernel::kCount);
      std::vector<float> a(x.begin() + begin, x.begin() + end);
      std::vector<float> b(y.begin() + begin, y.begin() + end);
      std::vector<float> r = kernel.operator()<float, float>(a, b);
      for (size_t i = 0; i < a.size(); ++i)
        check(error, cpu, a[i], r[i], exact(double(a[i]), double(b[i])), b[i]);
    }
  }
}

TEST(MathAccuracyTest, PowersAndAngles) {
  std::vector<float> special = kSpecial;
  special.insert(special.end(), {3.0f, -3.0f, 1.5f, 1e30f});
  expectAccuratePairs<float>("math.powf", "%r = math.powf %x, %y : f32",
                             std::pow, special);
  expectAccuratePairs<float>("math.atan2", "%r = math.atan2 %x, %y : f32",
                             std::atan2, special);
  expectAccuratePairs<int>("math.fpowi",
                           "%n = arith.fptosi %y : f32 to i32\n"
                           "%r = math.fpowi %x, %n : f32, i32",
                           std::pow, {0, 1, -1, 2, -2, 3, -3, 101, -101});
}

TEST(MathAccuracyTest, PowersWithConstants) {
  for (const char *n : {"2.0", "3.0", "4.0"}) {
    Kernel kernel("%n = arith.constant " + std::string(n) +
                      " : f32\n%r = math.powf %x, %n : f32",
                  "f32", "f32", "x86-64-v3");
    std::vector<float> x = {-3, -0.0f, 0, 1.5f, 7, INFINITY};
    std::vector<float> y = kernel.operator()<float, float>(x, x);
    for (size_t i = 0; i < x.size(); ++i)
      EXPECT_EQ(y[i], std::pow(x[i], std::strtod(n, nullptr)));
  }
}

//===-- Exact ones --------------------------------------------------------===//

static void expectExact(const std::string &body, float (*exact)(float)) {
  std::vector<float> x = kSpecial;
  for (float number :
       {0.49999997f, 1.5f, 2.5f, -1.5f, 8388609.0f, 8388607.5f, -0.3f, 3.7f})
    x.push_back(number);
  for (const std::string &cpu : cpusToTest()) {
    std::vector<float> y =
        Kernel(body, "f32", "f32", cpu).operator()<float, float>(x, x);
    for (size_t i = 0; i < x.size(); ++i) {
      float e = exact(x[i]);
      EXPECT_TRUE(e != e ? y[i] != y[i]
                         : y[i] == e && std::signbit(y[i]) == std::signbit(e))
          << body << " of " << x[i] << " is " << y[i] << ", not " << e;
    }
  }
}

TEST(MathAccuracyTest, ExactFunctions) {
  expectExact("%r = math.round %x : f32", std::round);
  expectExact("%r = math.roundeven %x : f32", std::nearbyint);
  expectExact("%r = math.trunc %x : f32", std::trunc);
  expectExact("%r = math.ceil %x : f32", std::ceil);
  expectExact("%r = math.floor %x : f32", std::floor);
  expectExact("%r = math.absf %x : f32", std::fabs);
  expectExact("%r = math.copysign %y, %x : f32", [](float x) { return x; });
  expectExact(
      "%a = arith.constant -1.0 : f32\n%b = arith.constant 2.0 : f32\n"
      "%r = math.clampf %x to [%a, %b] : f32",
      [](float x) { return x != x ? x : std::min(std::max(x, -1.0f), 2.0f); });
}

TEST(MathAccuracyTest, Classes) {
  auto body = [](const std::string &op) {
    return "%c = math." + op +
           " %x : f32\n"
           "%r = arith.uitofp %c : i1 to f32";
  };
  expectExact(body("isnan"), [](float x) { return float(std::isnan(x)); });
  expectExact(body("isinf"), [](float x) { return float(std::isinf(x)); });
  expectExact(body("isfinite"),
              [](float x) { return float(std::isfinite(x)); });
  expectExact(body("isnormal"),
              [](float x) { return float(std::isnormal(x)); });
}

// Computed in f32, then rounded to 8 bits.
TEST(MathAccuracyTest, BF16IsRoundedOnce) {
  Kernel kernel("%a = arith.truncf %x : f32 to bf16\n"
                "%b = math.exp %a : bf16\n"
                "%r = arith.extf %b : bf16 to f32",
                "f32", "f32", "x86-64-v3");
  std::vector<float> x = {0, 1, -1, 2.5f, -40, 30, -INFINITY, INFINITY};
  std::vector<float> y = kernel.operator()<float, float>(x, x);
  for (size_t i = 0; i < x.size(); ++i)
    EXPECT_TRUE(y[i] == std::exp(x[i]) ||
                std::abs(y[i] / std::exp(double(x[i])) - 1) <= 0x1.001p-8)
        << x[i] << ": " << y[i];
}
