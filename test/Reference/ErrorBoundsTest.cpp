// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "compiler/Reference/Deviation.h"
#include "test/Reference/BoundsTesting.h"

#include "gmock/gmock.h"

#include <random>

namespace heddle::reference {
namespace {

constexpr double u = 0x1p-24;

class ErrorBoundsTest : public BoundsTest {
protected:
  Tensor random(std::initializer_list<int64_t> shape) {
    Tensor tensor = Tensor::zeros(shape);
    std::normal_distribution<float> normal;
    for (double &element : tensor.data)
      element = normal(generator);
    return tensor;
  }

  /// That the first result differs from what arguments `wrong` give by more
  /// than its tolerance.
  void expectFound(const std::string &text, llvm::ArrayRef<Value> arguments,
                   llvm::ArrayRef<Value> wrong) {
    std::vector<double> tolerances = boundsOf(text, arguments);
    auto want = results[0].tensor();
    auto got = run(text, wrong)[0].tensor();
    auto worst = findWorst(got->data, want->data, tolerances,
                           [](size_t) { return true; });
    ASSERT_TRUE(worst);
    EXPECT_GT(worst->ratio(), 10);
  }

  std::mt19937 generator{1};
};

TEST_F(ErrorBoundsTest, TermsOfASumCountAndNotTheSum) {
  const char *text = R"(
    func.func @f(%x: tensor<1x4xf32>, %w: tensor<1x4xf32>) -> tensor<1x1xf32> {
      %y = heddle.linear %x, %w : tensor<1x4xf32>, tensor<1x4xf32>
      return %y : tensor<1x1xf32>
    })";
  // 1 - 2 + 3 - 2 = 0, whose terms add up to 8; gamma(5) = 5u.
  EXPECT_THAT(boundsOf(text, {tensor({1, 4}, {1, 2, 3, 4}),
                              tensor({1, 4}, {1, -1, 1, -0.5})}),
              testing::ElementsAre(testing::DoubleEq(8 * 5 * u)));
}

TEST_F(ErrorBoundsTest, ABiasIsATermOfTheSum) {
  const char *text = R"(
    func.func @f(%x: tensor<1x4xf32>, %w: tensor<1x4xf32>, %b: tensor<1xf32>) -> tensor<1x1xf32> {
      %y = heddle.linear %x, %w bias(%b : tensor<1xf32>) : tensor<1x4xf32>, tensor<1x4xf32>
      return %y : tensor<1x1xf32>
    })";
  // 100 + 1 - 2 + 3 - 2, in any order.
  EXPECT_THAT(
      boundsOf(text, {tensor({1, 4}, {1, 2, 3, 4}),
                      tensor({1, 4}, {1, -1, 1, -0.5}), tensor({1}, {100})}),
      testing::ElementsAre(testing::DoubleEq(108 * 5 * u)));
}

TEST_F(ErrorBoundsTest, BoundsGoFromOpToOp) {
  const char *text = R"(
    func.func @f(%x: tensor<1xf32>, %y: tensor<1xf32>) -> tensor<1xf32> {
      %a = arith.addf %x, %y : tensor<1xf32>
      %b = arith.mulf %a, %y : tensor<1xf32>
      return %b : tensor<1xf32>
    })";
  // (2 + 3) * 3: the sum is off by 5u, which 3 multiplies, and the product by
  // 15u.
  EXPECT_THAT(boundsOf(text, {tensor({1}, {2}), tensor({1}, {3})}),
              testing::ElementsAre(testing::DoubleEq(30 * u)));
}

// Magnitudes are compared as integers: of those that are off the largest has
// its own error, and neither the others' nor an unknown one.
TEST_F(ErrorBoundsTest, TheLargestOfBitsIsOffAsTheLargestIs) {
  const char *text = R"(
    func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<1xf32> {
      %once = arith.mulf %x, %y : tensor<4xf32>
      %twice = arith.mulf %once, %y : tensor<4xf32>
      %a = arith.mulf %twice, %y : tensor<4xf32>
      %m = heddle.generic over [1] reduce [4] initial [0 : i32] ins(%a : tensor<4xf32>) maps [affine_map<(d0, d1) -> (d1)>] {
      ^bb0(%i: f32, %o: i32):
        %p = math.absf %i : f32
        %q = arith.bitcast %p : f32 to i32
        %r = arith.maxsi %o, %q : i32
        heddle.yield %r : i32
      } : tensor<1xi32>
      %z = arith.bitcast %m : tensor<1xi32> to tensor<1xf32>
      return %z : tensor<1xf32>
    })";
  // 3 is off by 9u, which is two or three units of its last bit, 4u.
  EXPECT_THAT(boundsOf(text, {tensor({4}, {1.5, -3, 2.5, 3}),
                              tensor({4}, {1, 1, 1, 1})}),
              testing::ElementsAre(
                  testing::AllOf(testing::Ge(8 * u), testing::Le(12 * u))));
}

// As scores are that a mask drops: their difference from the largest is not
// rounded.
TEST_F(ErrorBoundsTest, InfinitiesAreExact) {
  const char *text = R"(
    func.func @f(%x: tensor<2xf32>, %y: tensor<2xf32>) -> tensor<2xf32> {
      %a = arith.subf %x, %y : tensor<2xf32>
      %b = math.absf %a : tensor<2xf32>
      return %b : tensor<2xf32>
    })";
  double infinity = std::numeric_limits<double>::infinity();
  EXPECT_THAT(
      boundsOf(text, {tensor({2}, {-infinity, 5}), tensor({2}, {2, 2})}),
      testing::ElementsAre(0, testing::DoubleEq(3 * u)));
}

TEST_F(ErrorBoundsTest, NaNIsExact) {
  const char *text = R"(
    func.func @f(%x: tensor<1xf32>) -> tensor<1xf32> {
      %y = math.log %x : tensor<1xf32>
      return %y : tensor<1xf32>
    })";
  EXPECT_THAT(boundsOf(text, {tensor({1}, {-1})}), testing::ElementsAre(0));
}

TEST_F(ErrorBoundsTest, ErrorsOfTwoFactorsAreMultiplied) {
  // 0, of which both factors are off by the roundings of two exponentials.
  const char *text = R"(
    func.func @f(%x: tensor<1xf32>) -> tensor<1xf32> {
      %a = math.exp %x : tensor<1xf32>
      %b = math.exp %x : tensor<1xf32>
      %d = arith.subf %a, %b : tensor<1xf32>
      %y = arith.mulf %d, %d : tensor<1xf32>
      return %y : tensor<1xf32>
    })";
  double error = 2 * 1.49 * u * std::exp(3.0);
  EXPECT_THAT(boundsOf(text, {tensor({1}, {3})}),
              testing::ElementsAre(testing::Ge(error * error)));
}

TEST_F(ErrorBoundsTest, AChoiceThatIsNotSureHasTheErrorsOfBoth) {
  // 0, or the same with the error of the other one.
  const char *text = R"(
    func.func @f(%x: tensor<1xf32>, %zero: tensor<1xf32>) -> tensor<1xf32> {
      %a = math.exp %x : tensor<1xf32>
      %b = math.exp %x : tensor<1xf32>
      %d = arith.subf %a, %b : tensor<1xf32>
      %c = arith.cmpf ogt, %d, %zero : tensor<1xf32>
      %y = arith.select %c, %d, %zero : tensor<1xi1>, tensor<1xf32>
      return %y : tensor<1xf32>
    })";
  EXPECT_THAT(boundsOf(text, {tensor({1}, {3}), tensor({1}, {0})}),
              testing::ElementsAre(testing::Ge(2 * 1.49 * u * std::exp(3.0))));
}

TEST_F(ErrorBoundsTest, IntegersOf24BitsAreExact) {
  const char *text = R"(
    func.func @f(%x: tensor<3xi32>) -> tensor<3xf32> {
      %y = arith.sitofp %x : tensor<3xi32> to tensor<3xf32>
      return %y : tensor<3xf32>
    })";
  EXPECT_THAT(boundsOf(text, {tensor({3}, {3, 0x1p24, 0x1p24 + 1})}),
              testing::ElementsAre(0, 0, testing::DoubleEq((0x1p24 + 1) * u)));
}

TEST_F(ErrorBoundsTest, CopiesAreExact) {
  const char *text = R"(
    func.func @f(%i: tensor<2xi32>, %t: tensor<3x1xf32>) -> tensor<2x1xf32> {
      %x = heddle.embedding %i, %t : tensor<2xi32>, tensor<3x1xf32>
      return %x : tensor<2x1xf32>
    })";
  EXPECT_THAT(boundsOf(text, {tensor({2}, {1, 2}), tensor({3, 1}, {1, 2, 3})}),
              testing::IsEmpty());
}

TEST_F(ErrorBoundsTest, OneMissingTermOfManyIsFound) {
  const char *text = R"(
    func.func @f(%x: tensor<1x2048xf32>, %w: tensor<1x2048xf32>)
        -> tensor<1x1xf32> {
      %y = heddle.linear %x, %w : tensor<1x2048xf32>, tensor<1x2048xf32>
      return %y : tensor<1x1xf32>
    })";
  Tensor ones({1, 2048}, std::vector<double>(2048, 1)), wrong = ones;
  wrong.data[2047] = 0;
  expectFound(text, {ones, ones}, {wrong, ones});
}

TEST_F(ErrorBoundsTest, PositionsOffByOneAreFound) {
  const char *text = R"(
    func.func @f(%x: tensor<1x1x64xf32>, %s: tensor<1xi32>) -> tensor<1x1x64xf32> {
      %y = heddle.rotary %x at(%s : tensor<1xi32>) heads(1) positions(4096) base(1.0e6)
         : tensor<1x1x64xf32>
      return %y : tensor<1x1x64xf32>
    })";
  Tensor x = random({1, 1, 64});
  expectFound(text, {x, tensor({1}, {1000})}, {x, tensor({1}, {1001})});
}

TEST_F(ErrorBoundsTest, MasksOffByOneKeyAreFound) {
  const char *text = R"(
    func.func @f(%q: tensor<1x1x16xf32>, %k: tensor<1x512x16xf32>,
                 %v: tensor<1x512x16xf32>, %n: tensor<1xi32>) -> tensor<1x1x16xf32> {
      %m = heddle.mask.lengths %n : tensor<1xi32>
      %o = heddle.attention %q, %k, %v mask(%m) heads(1, kv = 1) scale(0.25)
         : tensor<1x1x16xf32>, tensor<1x512x16xf32>, tensor<1x512x16xf32>
      return %o : tensor<1x1x16xf32>
    })";
  Tensor q = random({1, 1, 16}), k = random({1, 512, 16}),
         v = random({1, 512, 16});
  expectFound(text, {q, k, v, tensor({1}, {511})},
              {q, k, v, tensor({1}, {512})});
}

TEST_F(ErrorBoundsTest, LargeErrorsOfScoresMoveWeightsFrom0To1AtMost) {
  const char *text = R"(
    func.func @f(%q: tensor<1x1x1xf32>, %k: tensor<1x3x1xf32>,
                 %v: tensor<1x3x1xf32>) -> tensor<1x1x1xf32> {
      %o = heddle.attention %q, %k, %v heads(1, kv = 1) scale(1.0e30)
         : tensor<1x1x1xf32>, tensor<1x3x1xf32>, tensor<1x3x1xf32>
      return %o : tensor<1x1x1xf32>
    })";
  // Two keys of equal scores can have any weights; the third has none, by far.
  EXPECT_THAT(
      boundsOf(text, {tensor({1, 1, 1}, {1}), tensor({1, 3, 1}, {2, 2, 1}),
                      tensor({1, 3, 1}, {3, 5, 7000})}),
      testing::ElementsAre(testing::DoubleNear((3 + 5) / 2.0, 1e-9)));
}

} // namespace
} // namespace heddle::reference
