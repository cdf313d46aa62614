// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Reference/BoundsTesting.h"

namespace heddle::reference {
namespace {

using EvaluateGeneric = EvaluatorTest;

std::vector<double> data(const Evaluator::Results &results, unsigned index) {
  return results[index].tensor()->data;
}

TEST_F(EvaluateGeneric, readsInputsWhereMapsSay) {
  auto results =
      run(R"(
    func.func @f(%x: tensor<2x3xf32>, %w: tensor<3xf32>) -> tensor<3x2xf32> {
      %y = heddle.generic over [3, 2] ins(%x, %w : tensor<2x3xf32>, tensor<3xf32>)
          maps [affine_map<(i, j) -> (j, i)>, affine_map<(i, j) -> (i)>] {
      ^bb0(%a: f32, %b: f32):
        %0 = arith.mulf %a, %b : f32
        heddle.yield %0 : f32
      } : tensor<3x2xf32>
      return %y : tensor<3x2xf32>
    })",
          {tensor({2, 3}, {1, 2, 3, 4, 5, 6}), tensor({3}, {1, 10, 100})});
  EXPECT_EQ(data(results, 0), (std::vector<double>{1, 4, 20, 50, 300, 600}));
}

TEST_F(EvaluateGeneric, reducesSeveralResultsAtOnce) {
  auto results = run(R"(
    func.func @f(%x: tensor<2x3xf32>) -> (tensor<2xf32>, tensor<2xf32>) {
      %y:2 = heddle.generic over [2] reduce [3] initial [1.0 : f32, 0xFF800000 : f32]
          ins(%x : tensor<2x3xf32>) maps [affine_map<(i, j) -> (i, j)>] {
      ^bb0(%a: f32, %sum: f32, %most: f32):
        %0 = arith.addf %sum, %a : f32
        %1 = arith.maximumf %most, %a : f32
        heddle.yield %0, %1 : f32, f32
      } : tensor<2xf32>, tensor<2xf32>
      return %y#0, %y#1 : tensor<2xf32>, tensor<2xf32>
    })",
                     {tensor({2, 3}, {1, 3, 2, -4, -6, -5})});
  EXPECT_EQ(data(results, 0), (std::vector<double>{7, -14}));
  EXPECT_EQ(data(results, 1), (std::vector<double>{3, -4}));
}

// 2 x[j] + the value so far, which no other order gives.
TEST_F(EvaluateGeneric, goesThroughReductionsInOrder) {
  auto results = run(R"(
    func.func @f(%x: tensor<2x2xf32>) -> tensor<f32> {
      %y = heddle.generic over [] reduce [2, 2] initial [0.0 : f32]
          ins(%x : tensor<2x2xf32>) maps [affine_map<(i, j) -> (i, j)>] {
      ^bb0(%a: f32, %old: f32):
        %0 = arith.addf %old, %old : f32
        %1 = arith.addf %0, %a : f32
        heddle.yield %1 : f32
      } : tensor<f32>
      return %y : tensor<f32>
    })",
                     {tensor({2, 2}, {1, 2, 3, 4})});
  EXPECT_EQ(data(results, 0), (std::vector<double>{8 + 8 + 6 + 4}));
}

TEST_F(EvaluateGeneric, sizesAreThoseOfTheCall) {
  auto results = run(R"(
    func.func @f(%x: tensor<?x?xf32> {heddle.sizes = ["batch", "length"]}) -> tensor<?xf32> {
      %y = heddle.generic over ["batch * length"] ins(%x : tensor<?x?xf32>)
          maps [affine_map<(m)[n] -> (m floordiv n, m mod n)>] symbols ["length"] {
      ^bb0(%a: f32):
        %n = heddle.size "batch + length" : i32
        %0 = arith.sitofp %n : i32 to f32
        %1 = arith.addf %a, %0 : f32
        heddle.yield %1 : f32
      } : tensor<?xf32>
      return %y : tensor<?xf32>
    })",
                     {tensor({2, 3}, {1, 2, 3, 4, 5, 6})});
  EXPECT_EQ(data(results, 0), (std::vector<double>{6, 7, 8, 9, 10, 11}));
}

TEST_F(EvaluateGeneric, readsOutsideOfTablesAreDefined) {
  auto results = run(R"(
    func.func @f(%i: tensor<4xi32>, %t: tensor<3xf32>) -> (tensor<4xf32>, tensor<4xf32>) {
      %y:2 = heddle.generic over [4] ins(%i : tensor<4xi32>) maps [affine_map<(i) -> (i)>]
          tables(%t : tensor<3xf32>) {
      ^bb0(%c: i32, %table: tensor<3xf32>):
        %f = arith.constant 7.0 : f32
        %0 = heddle.read %table[%c] : tensor<3xf32>
        %1 = heddle.read %table[%c] fill(%f) : tensor<3xf32>
        heddle.yield %0, %1 : f32, f32
      } : tensor<4xf32>, tensor<4xf32>
      return %y#0, %y#1 : tensor<4xf32>, tensor<4xf32>
    })",
                     {tensor({4}, {-1, 0, 2, 3}), tensor({3}, {1, 2, 3})});
  EXPECT_EQ(data(results, 0), (std::vector<double>{1, 1, 3, 3}));
  EXPECT_EQ(data(results, 1), (std::vector<double>{7, 1, 3, 7}));
}

TEST_F(EvaluateGeneric, negative_sizeOfNoArgument) {
  auto results = tryRun(R"(
    func.func @f() -> tensor<?xi32> {
      %y = heddle.generic over ["n"] {
        %i = heddle.index 0
        heddle.yield %i : i32
      } : tensor<?xi32>
      return %y : tensor<?xi32>
    })",
                        {});
  ASSERT_FALSE(bool(results));
  EXPECT_NE(llvm::toString(results.takeError())
                .find("size 'n' is that of no argument"),
            std::string::npos);
}

using GenericErrors = BoundsTest;

// Four products and three sums: each product is rounded once, and the sum of
// five terms (the initial value is one) by 5 u of their magnitudes.
TEST_F(GenericErrors, sumsCountTheirTerms) {
  constexpr double u = 0x1p-24;
  auto found =
      boundsOf(R"(
    func.func @f(%x: tensor<4xf32>, %y: tensor<4xf32>) -> tensor<f32> {
      %s = heddle.generic over [] reduce [4] initial [0.0 : f32]
          ins(%x, %y : tensor<4xf32>, tensor<4xf32>)
          maps [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>] {
      ^bb0(%a: f32, %b: f32, %sum: f32):
        %0 = arith.mulf %a, %b : f32
        %1 = arith.addf %sum, %0 : f32
        heddle.yield %1 : f32
      } : tensor<f32>
      return %s : tensor<f32>
    })",
               {tensor({4}, {1, -2, 3, -4}), tensor({4}, {1, 1, 1, 1})});
  ASSERT_EQ(found.size(), 1u);
  EXPECT_DOUBLE_EQ(found[0], 10 * u + 5 * u * 10);
}

// Where a comparison may fall either way, so may the value that it selects.
TEST_F(GenericErrors, comparisonsMayFallEitherWay) {
  auto found = boundsOf(R"(
    func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
      %y = heddle.generic over [2] ins(%x : tensor<2xf32>) maps [affine_map<(i) -> (i)>] {
      ^bb0(%a: f32):
        %third = arith.constant 3.0 : f32
        %one = arith.constant 1.0 : f32
        %hundred = arith.constant 100.0 : f32
        %0 = arith.divf %a, %third : f32
        %1 = arith.cmpf olt, %0, %one : f32
        %2 = arith.select %1, %hundred, %one : f32
        heddle.yield %2 : f32
      } : tensor<2xf32>
      return %y : tensor<2xf32>
    })",
                        {tensor({2}, {3, 6})});
  EXPECT_EQ(found, (std::vector<double>{99, 0}));
}

} // namespace
} // namespace heddle::reference
