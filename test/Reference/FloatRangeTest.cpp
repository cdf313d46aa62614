// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Overflow, and the signs of zeros: of numbers, and through ops.

#include "compiler/Reference/FloatRange.h"
#include "compiler/Reference/ScalarMath.h"
#include "test/Reference/BoundsTesting.h"

#include "gmock/gmock.h"

#include <random>

namespace heddle::reference {
namespace {

using testing::ElementsAre;
using testing::IsNan;
using testing::Lt;

constexpr double u = 0x1p-24;
constexpr double largest = 0x1.fffffep127;

//===-- Numbers -----------------------------------------------------------===//

static double roundedByApFloat(const llvm::fltSemantics &semantics,
                               double value) {
  llvm::APFloat number(value);
  bool losesInfo;
  number.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  number.convert(llvm::APFloat::IEEEdouble(),
                 llvm::APFloat::rmNearestTiesToEven, &losesInfo);
  return number.convertToDouble();
}

TEST(FloatRange, RoundsAsApFloatDoes) {
  std::mt19937_64 random(std::random_device{}());
  std::uniform_real_distribution<double> number(-2, 2);
  std::uniform_int_distribution<int> near(-30, 30), any(-1074, 1023);
  for (const llvm::fltSemantics *semantics :
       {&llvm::APFloat::IEEEhalf(), &llvm::APFloat::BFloat(),
        &llvm::APFloat::IEEEsingle(), &llvm::APFloat::Float8E5M2(),
        &llvm::APFloat::Float8E4M3FN()})
    for (int i = 0; i < 20000; ++i) {
      double value =
          std::ldexp(number(random), i % 2 ? near(random) : any(random));
      // Numbers between two neighbours, and of the type itself.
      if (i % 3 == 0)
        value = roundedByApFloat(*semantics, value);
      if (i % 6 == 0)
        value += unitInLastPlace(*semantics, value) / 2;
      double expected = roundedByApFloat(*semantics, value);
      double found = roundTo(*semantics, value);
      if (std::isnan(expected))
        EXPECT_THAT(found, IsNan()) << value;
      else
        EXPECT_EQ(llvm::bit_cast<uint64_t>(found),
                  llvm::bit_cast<uint64_t>(expected))
            << value << " is " << found << ", expected " << expected;
    }
}

TEST(FloatRange, OverflowIsHalfAUnitAboveTheLargest) {
  mlir::MLIRContext context;
  EXPECT_EQ(overflowOf(mlir::Float32Type::get(&context)), kOverflow);
  EXPECT_EQ(overflowOf(mlir::Float16Type::get(&context)), 65520);
  EXPECT_EQ(overflowOf(mlir::BFloat16Type::get(&context)), 0x1.ffp127);
  EXPECT_EQ(toRange(largest + 0x1p102), largest + 0x1p102);
  EXPECT_EQ(toRange(-kOverflow), -infinity);
  EXPECT_THAT(toRange(nan), IsNan());
}

TEST(FloatRange, NearTheEndEitherIsRight) {
  EXPECT_EQ(errorInRange(1, 0.5), 0.5);
  EXPECT_EQ(errorInRange(kOverflow, 0x1p90), infinity);
  EXPECT_EQ(errorInRange(-largest, 0x1p104), infinity);
  EXPECT_EQ(errorInRange(2 * kOverflow, 0x1p104), 0);
  EXPECT_EQ(errorInRange(infinity, 1), 0);
  EXPECT_EQ(errorInRange(infinity, infinity), infinity);
}

TEST(FloatRange, SumsOverflowOnTheWay) {
  double most = 0x1p127;
  // most + most - most may be infinite or most.
  EXPECT_EQ(errorOfSum(most, 1, 3 * most), infinity);
  // 4 most - most is infinite in any order.
  EXPECT_EQ(errorOfSum(3 * most, 1, 5 * most), 0);
  // 5 most - 2 most may be inf - inf.
  EXPECT_EQ(errorOfSum(3 * most, 1, 7 * most), infinity);
  EXPECT_EQ(errorOfSum(most, 1, most), 1);
  EXPECT_EQ(errorOfSum(0, 0, 0), kEitherSign);
}

TEST(FloatRange, ZerosOfOtherSignsDiffer) {
  EXPECT_EQ(differenceOf(0.0, 0.0), 0);
  EXPECT_EQ(differenceOf(0.0, -0.0), kEitherSign);
  EXPECT_EQ(differenceOf(infinity, infinity), 0);
  EXPECT_EQ(differenceOf(nan, nan), 0);
  EXPECT_EQ(differenceOf(nan, 1), infinity);
}

//===-- Ops ---------------------------------------------------------------===//

class FloatRangeOfOps : public BoundsTest {
protected:
  /// @f of an op on %x and %y, both of `type`.
  static std::string binary(const std::string &op, const std::string &type) {
    return "func.func @f(%x: " + type + ", %y: " + type + ") -> " + type +
           " {\n  %z = " + op + " %x, %y : " + type +
           "\n  return %z : " + type + "\n}";
  }
  static std::string unary(const std::string &op, const std::string &type) {
    return "func.func @f(%x: " + type + ") -> " + type + " {\n  %z = " + op +
           " %x : " + type + "\n  return %z : " + type + "\n}";
  }
  std::vector<double> values() { return results[0].tensor()->data; }
};

TEST_F(FloatRangeOfOps, ProductsOverflow) {
  auto bounds =
      boundsOf(binary("arith.mulf", "tensor<5xf32>"),
               {tensor({5}, {largest, largest, -0x1p100, largest, infinity}),
                tensor({5}, {1.5, 1, 0x1p100, 1 + 0x1p-26, 0})});
  // The fourth is less than half way to the next number: rounding is that of
  // IEEE 754.
  EXPECT_THAT(values(), ElementsAre(infinity, largest, -infinity,
                                    largest * (1 + 0x1p-26), IsNan()));
  EXPECT_THAT(bounds, ElementsAre(0, Lt(0x1p104 + 1), 0, Lt(0x1p104 + 1), 0));
}

TEST_F(FloatRangeOfOps, WhatIsOffMayOverflowOrNot) {
  auto bounds = boundsOf(
      R"(
    func.func @f(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
      %e = math.exp %x : tensor<3xf32>
      %zero = arith.subf %y, %y : tensor<3xf32>
      %p = arith.mulf %e, %y : tensor<3xf32>
      %z = arith.mulf %p, %zero : tensor<3xf32>
      return %z : tensor<3xf32>
    })",
      {tensor({3}, {0, std::log(kOverflow), 90}), tensor({3}, {1, 1, 1})});
  // 0 * inf is NaN.
  EXPECT_THAT(values(), ElementsAre(0, testing::_, IsNan()));
  EXPECT_THAT(bounds, ElementsAre(0, infinity, 0));
}

TEST_F(FloatRangeOfOps, SumsOfAGeneric) {
  auto bounds = boundsOf(R"(
    func.func @f(%x: tensor<4x3xf32>) -> tensor<4xf32> {
      %y = heddle.generic over [4] reduce [3] initial [0.0 : f32] ins(%x : tensor<4x3xf32>)
          maps [affine_map<(i, k) -> (i, k)>] {
      ^bb0(%a: f32, %sum: f32):
        %1 = arith.addf %sum, %a : f32
        heddle.yield %1 : f32
      } : tensor<4xf32>
      return %y : tensor<4xf32>
    })",
                         {tensor({4, 3}, {largest, largest, 1,        //
                                          largest, largest, -largest, //
                                          infinity, 1, 2,             //
                                          -0.0, 0.0, -0.0})});
  EXPECT_THAT(bounds, ElementsAre(0, infinity, 0, kEitherSign));
  EXPECT_EQ(values()[0], infinity);
  EXPECT_EQ(values()[2], infinity);
}

// A product that overflows may be finite inside of a fused multiply-add.
TEST_F(FloatRangeOfOps, SumsOfProducts) {
  auto bounds = boundsOf(R"(
    func.func @f(%x: tensor<4x2xf32>, %y: tensor<4x2xf32>) -> tensor<4xf32> {
      %z = heddle.generic over [4] reduce [2] initial [0.0 : f32]
          ins(%x, %y : tensor<4x2xf32>, tensor<4x2xf32>)
          maps [affine_map<(i, k) -> (i, k)>, affine_map<(i, k) -> (i, k)>] {
      ^bb0(%a: f32, %b: f32, %sum: f32):
        %p = arith.mulf %a, %b : f32
        %1 = arith.addf %sum, %p : f32
        heddle.yield %1 : f32
      } : tensor<4xf32>
      return %z : tensor<4xf32>
    })",
                         {tensor({4, 2}, {largest, 1,        //
                                          largest, -largest, //
                                          -largest, largest, //
                                          infinity, largest}),
                          tensor({4, 2}, {2, 1, 1.5, 1, 1.5, 1.5, 1, 1})});
  EXPECT_THAT(values(), ElementsAre(infinity, infinity, IsNan(), infinity));
  EXPECT_THAT(bounds, ElementsAre(0, infinity, infinity, 0));
}

TEST_F(FloatRangeOfOps, ProductsThatAreAdded) {
  auto bounds = boundsOf(R"(
    func.func @f(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
      %z = heddle.generic over [2] ins(%x, %y : tensor<2xf32>, tensor<2xf32>)
          maps [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>] {
      ^bb0(%a: f32, %b: f32):
        %p = arith.mulf %a, %a : f32
        %n = arith.negf %p : f32
        %1 = arith.addf %b, %n : f32
        heddle.yield %1 : f32
      } : tensor<2xf32>
      return %z : tensor<2xf32>
    })",
                         {tensor({2}, {0x1p64, 2}), tensor({2}, {largest, 1})});
  EXPECT_THAT(values(), ElementsAre(-infinity, -3));
  EXPECT_THAT(bounds, ElementsAre(infinity, Lt(1e-6)));
}

// Code may begin with -inf, to which the sum is added.
TEST_F(FloatRangeOfOps, SumsThatAreAdded) {
  auto bounds = boundsOf(R"(
    func.func @f(%x: tensor<3x2xf32>, %y: tensor<3xf32>) -> tensor<3xf32> {
      %s = heddle.generic over [3] reduce [2] initial [0.0 : f32] ins(%x : tensor<3x2xf32>)
          maps [affine_map<(i, k) -> (i, k)>] {
      ^bb0(%a: f32, %sum: f32):
        %1 = arith.addf %sum, %a : f32
        heddle.yield %1 : f32
      } : tensor<3xf32>
      %z = heddle.generic over [3] ins(%s, %y : tensor<3xf32>, tensor<3xf32>)
          maps [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>] {
      ^bb0(%a: f32, %b: f32):
        %1 = arith.addf %a, %b : f32
        heddle.yield %1 : f32
      } : tensor<3xf32>
      return %z : tensor<3xf32>
    })",
                         {tensor({3, 2}, {largest, largest, 1, 2, infinity, 1}),
                          tensor({3}, {-infinity, -infinity, -infinity})});
  EXPECT_THAT(values(), ElementsAre(IsNan(), -infinity, IsNan()));
  EXPECT_THAT(bounds, ElementsAre(infinity, 0, 0));
}

TEST_F(FloatRangeOfOps, LinearLayers) {
  const char *text = R"(
    func.func @f(%x: tensor<4x2xf32>, %w: tensor<1x2xf32>) -> tensor<4x1xf32> {
      %y = heddle.linear %x, %w : tensor<4x2xf32>, tensor<1x2xf32>
      return %y : tensor<4x1xf32>
    })";
  auto bounds = boundsOf(
      text, {tensor({4, 2}, {largest, largest, largest, -largest, 1, 1, 0, 0}),
             tensor({1, 2}, {1, 1})});
  EXPECT_THAT(values(), ElementsAre(infinity, 0, 2, 0));
  EXPECT_THAT(
      bounds,
      ElementsAre(0, infinity, testing::DoubleNear(6 * u, 1e-15), kEitherSign));
}

// Squares overflow, so that code divides by infinity.
TEST_F(FloatRangeOfOps, Norms) {
  const char *text = R"(
    func.func @f(%x: tensor<3x2xf32>, %w: tensor<2xf32>) -> tensor<3x2xf32> {
      %y = heddle.rms_norm %x, %w epsilon(1.0e-5) : tensor<3x2xf32>, tensor<2xf32>
      return %y : tensor<3x2xf32>
    })";
  double root = std::sqrt(kOverflow / 2);
  auto bounds = boundsOf(text, {tensor({3, 2}, {1e20, 1e20, root, root, 1, 1}),
                                tensor({2}, {1, 1})});
  EXPECT_THAT(values()[0], 0);
  EXPECT_THAT(bounds,
              ElementsAre(0, 0, infinity, infinity, Lt(11 * u), Lt(11 * u)));
}

TEST_F(FloatRangeOfOps, AttentionToWhatOverflows) {
  const char *text = R"(
    func.func @f(%q: tensor<1x2x1xf32>, %k: tensor<1x2x1xf32>,
                 %v: tensor<1x2x1xf32>) -> tensor<1x2x1xf32> {
      %o = heddle.attention %q, %k, %v heads(1, kv = 1) scale(1.0)
         : tensor<1x2x1xf32>, tensor<1x2x1xf32>, tensor<1x2x1xf32>
      return %o : tensor<1x2x1xf32>
    })";
  auto scores =
      boundsOf(text, {tensor({1, 2, 1}, {1, 1e20}),
                      tensor({1, 2, 1}, {1, 1e20}), tensor({1, 2, 1}, {3, 4})});
  EXPECT_THAT(scores, ElementsAre(Lt(1), infinity));
  auto ofValues =
      boundsOf(text, {tensor({1, 2, 1}, {1, 1}), tensor({1, 2, 1}, {1, 1}),
                      tensor({1, 2, 1}, {largest, largest})});
  EXPECT_THAT(ofValues, ElementsAre(infinity, infinity));
}

// One key takes all weight.
TEST_F(FloatRangeOfOps, AttentionToWhatIsRounded) {
  const char *text = R"(
    func.func @f(%q: tensor<1x1x1xf32>, %k: tensor<1x1x1xf32>,
                 %x: tensor<1x1x1xf32>, %s: tensor<1x1x1xf32>) -> tensor<1x1x1xf32> {
      %v = arith.mulf %x, %s : tensor<1x1x1xf32>
      %o = heddle.attention %q, %k, %v heads(1, kv = 1) scale(1.0)
         : tensor<1x1x1xf32>, tensor<1x1x1xf32>, tensor<1x1x1xf32>
      return %o : tensor<1x1x1xf32>
    })";
  auto one = tensor({1, 1, 1}, {1});
  auto bounds = boundsOf(text, {one, one, tensor({1, 1, 1}, {3}), one});
  EXPECT_GE(bounds[0], 3 * u);
}

TEST_F(FloatRangeOfOps, SignsOfZeros) {
  struct {
    const char *op;
    double x, y, expected;
  } cases[] = {
      {"arith.addf", -0.0, -0.0, -0.0},   {"arith.addf", -0.0, 0.0, 0.0},
      {"arith.addf", 3, -3, 0.0},         {"arith.subf", -0.0, 0.0, -0.0},
      {"arith.mulf", -0.0, 3, -0.0},      {"arith.mulf", -2, 0.0, -0.0},
      {"arith.divf", 0.0, -3, -0.0},      {"arith.divf", -3, infinity, -0.0},
      {"arith.remf", -6, 3, -0.0},        {"arith.maximumf", -0.0, 0.0, 0.0},
      {"arith.maximumf", 0.0, -0.0, 0.0}, {"arith.minimumf", 0.0, -0.0, -0.0},
      {"math.copysign", 0.0, -1, -0.0},   {"math.copysign", -0.0, 1, 0.0},
      {"math.atan2", -0.0, 1, -0.0},
  };
  for (const char *type : {"f32", "f16", "bf16"})
    for (auto &[op, x, y, expected] : cases) {
      auto bounds = boundsOf(binary(op, "tensor<1x" + std::string(type) + ">"),
                             {tensor({1}, {x}), tensor({1}, {y})});
      EXPECT_EQ(values()[0], 0) << op;
      EXPECT_EQ(std::signbit(values()[0]), std::signbit(expected))
          << op << " " << x << " " << y << " in " << type;
      EXPECT_EQ(bounds[0], 0) << op;
    }
}

TEST_F(FloatRangeOfOps, SignsOfZerosOfFunctions) {
  struct {
    const char *op;
    double x, expected;
  } cases[] = {
      {"arith.negf", 0.0, -0.0},  {"arith.negf", -0.0, 0.0},
      {"math.absf", -0.0, 0.0},   {"math.ceil", -0.5, -0.0},
      {"math.floor", -0.0, -0.0}, {"math.trunc", -0.7, -0.0},
      {"math.round", -0.3, -0.0}, {"math.roundeven", -0.5, -0.0},
      {"math.sqrt", -0.0, -0.0},  {"math.cbrt", -0.0, -0.0},
      {"math.sin", -0.0, -0.0},   {"math.tan", -0.0, -0.0},
      {"math.sinh", -0.0, -0.0},  {"math.tanh", -0.0, -0.0},
      {"math.asin", -0.0, -0.0},  {"math.atan", -0.0, -0.0},
      {"math.asinh", -0.0, -0.0}, {"math.atanh", -0.0, -0.0},
      {"math.erf", -0.0, -0.0},   {"math.expm1", -0.0, -0.0},
      {"math.log1p", -0.0, -0.0},
  };
  for (const char *type : {"f32", "f16", "bf16"})
    for (auto &[op, x, expected] : cases) {
      auto bounds = boundsOf(unary(op, "tensor<1x" + std::string(type) + ">"),
                             {tensor({1}, {x})});
      EXPECT_EQ(values()[0], 0) << op;
      EXPECT_EQ(std::signbit(values()[0]), std::signbit(expected))
          << op << " " << x << " in " << type;
      EXPECT_EQ(bounds[0], 0) << op;
    }
}

// 1 - 3 / 3 may be -2^-24 in code; times 0 that is -0.
TEST_F(FloatRangeOfOps, ASignThatARoundingDecidesIsEither) {
  EXPECT_THAT(boundsOf(R"(
    func.func @f(%x: tensor<1xf32>, %zero: tensor<1xf32>) -> tensor<1xf32> {
      %q = arith.divf %x, %x : tensor<1xf32>
      %d = arith.subf %q, %q : tensor<1xf32>
      %z = arith.mulf %d, %zero : tensor<1xf32>
      return %z : tensor<1xf32>
    })",
                       {tensor({1}, {3}), tensor({1}, {0})}),
              ElementsAre(Lt(1e-40)));
  EXPECT_GT(bounds.of(module->lookupSymbol<mlir::func::FuncOp>("f")
                          .front()
                          .getTerminator()
                          ->getOperand(0))[0],
            0);
}

} // namespace
} // namespace heddle::reference
