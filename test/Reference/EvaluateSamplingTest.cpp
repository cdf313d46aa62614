// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Reference/ReferenceTesting.h"

namespace heddle::reference {
namespace {

/// Of one row of three logits.
class EvaluateSampling : public EvaluatorTest {
protected:
  static constexpr const char *text =
      "func.func @f(%x: tensor<3xf32>, %t: tensor<f32>, %p: tensor<f32>, "
      "%u: tensor<f32>) -> tensor<i32> { %y = heddle.sample %x temperature(%t) "
      "min_p(%p) uniform(%u) : tensor<3xf32>, tensor<f32> -> tensor<i32>\n"
      "return %y : tensor<i32> }";

  void expectId(std::vector<double> logits, double temperature, double minP,
                double uniform, double id) {
    expect(text,
           {tensor({3}, std::move(logits)), tensor({}, {temperature}),
            tensor({}, {minP}), tensor({}, {uniform})},
           tensor({}, {id}));
  }
};

// Weights 1/4, 1 and 1/2 of 1.75.
TEST_F(EvaluateSampling, byWeights) {
  std::vector<double> x = {-2 * std::log(2), 0, -std::log(2)};
  expectId(x, 1, 0, 0, 0);
  expectId(x, 1, 0, 0.142, 0); // 1/7 is 0.1428...
  expectId(x, 1, 0, 0.143, 1);
  expectId(x, 1, 0, 0.714, 1); // 5/7 is 0.7142...
  expectId(x, 1, 0, 0.715, 2);
  expectId(x, 1, 0, 1, 2);
  expectId(x, 1, 0, -1, 0);
  expectId(x, 1, 0, nan, 0);
}

// Weights 1/2, 1 and 0.7071 of 2.2071.
TEST_F(EvaluateSampling, temperature) {
  std::vector<double> x = {-2 * std::log(2), 0, -std::log(2)};
  expectId(x, 2, 0, 0.226, 0); // 0.2265...
  expectId(x, 2, 0, 0.227, 1);
  for (double none : {0.0, -1.0, nan})
    for (double uniform : {0.0, 0.5, 1.0})
      expectId(x, none, 0, uniform, 1);
}

TEST_F(EvaluateSampling, minP) {
  std::vector<double> x = {-2 * std::log(2), 0, -std::log(2)};
  expectId(x, 1, 0.3, 0, 1);
  expectId(x, 1, 0.3, 1, 2);
  expectId(x, 1, 0.6, 1, 1);
  expectId(x, 1, 7, 1, 1);
  expectId(x, 1, nan, 0, 0);
}

TEST_F(EvaluateSampling, equalOnes) {
  expectId({3, 5, 5}, 0, 0, 0, 1);
  expectId({3, 5, 5}, 0, 0, 0.6, 2);
}

TEST_F(EvaluateSampling, noNumbers) {
  expectId({-infinity, -infinity, 4}, 1, 0, 0, 2);
  expectId({-infinity, -infinity, -infinity}, 1, 0, 0, -1);
  expectId({1, infinity, 2}, 1, 0, 0, -1);
  expectId({1, nan, 2}, 1, 0, 0, -1);
}

/// Of one row of four logits.
class EvaluateKeepLikely : public EvaluatorTest {
protected:
  static constexpr const char *text =
      "func.func @f(%x: tensor<4xf32>, %t: tensor<f32>, %k: tensor<i32>, "
      "%p: tensor<f32>) -> tensor<4xf32> { %y = heddle.keep_likely %x "
      "temperature(%t) top_k(%k) top_p(%p) : tensor<4xf32>, tensor<f32>, "
      "tensor<i32>\n"
      "return %y : tensor<4xf32> }";

  void expectKept(std::vector<double> logits, double temperature, double topK,
                  double topP, std::vector<double> kept) {
    expect(text,
           {tensor({4}, std::move(logits)), tensor({}, {temperature}),
            tensor({}, {topK}), tensor({}, {topP})},
           tensor({4}, std::move(kept)));
  }
};

TEST_F(EvaluateKeepLikely, topK) {
  std::vector<double> x = {1, 4, 2, 3};
  expectKept(x, 1, 1, 1, {-infinity, 4, -infinity, -infinity});
  expectKept(x, 1, 3, 1, {-infinity, 4, 2, 3});
  for (double all : {0.0, -3.0, 4.0, 9.0})
    expectKept(x, 1, all, 1, x);
  expectKept({1, 3, 2, 3}, 1, 1, 1, {-infinity, 3, -infinity, 3});
}

// Weights 1/8, 1, 1/4 and 1/2 of 1.875: 8/15 and 12/15 are the shares of the
// first and of the two first.
TEST_F(EvaluateKeepLikely, topP) {
  const double log2 = std::log(2);
  std::vector<double> x = {-3 * log2, 0, -2 * log2, -log2};
  expectKept(x, 1, 0, 0.53, {-infinity, 0, -infinity, -infinity});
  expectKept(x, 1, 0, 0.54, {-infinity, 0, -infinity, -log2});
  expectKept(x, 1, 0, 0.79, {-infinity, 0, -infinity, -log2});
  expectKept(x, 1, 0, 0.81, {-infinity, 0, -2 * log2, -log2});
  expectKept(x, 1, 0, 1, x);
  expectKept(x, 1, 0, nan, x);
  for (double none : {0.0, -1.0})
    expectKept(x, 1, 0, none, {-infinity, 0, -infinity, -infinity});
  // Of 1 and 1/2 alone two thirds are the first.
  expectKept(x, 1, 2, 0.66, {-infinity, 0, -infinity, -infinity});
  expectKept(x, 1, 2, 0.67, {-infinity, 0, -infinity, -log2});
  // At a temperature of 1/2 the shares are 64, 80 and 84 of 85.
  expectKept(x, 0.5, 0, 0.75, {-infinity, 0, -infinity, -infinity});
  expectKept(x, 0, 0, 0.99, {-infinity, 0, -infinity, -infinity});
  expectKept({1, 3, 3, 3}, 1, 0, 0.1, {-infinity, 3, 3, 3});
}

TEST_F(EvaluateKeepLikely, noNumbers) {
  expectKept({1, nan, 2, 3}, 1, 1, 0.1, {1, nan, 2, 3});
  expectKept({1, infinity, 2, 3}, 1, 1, 0.1, {1, infinity, 2, 3});
  expectKept({-infinity, 1, -infinity, 0}, 1, 3, 1,
             {-infinity, 1, -infinity, 0});
}

} // namespace
} // namespace heddle::reference
