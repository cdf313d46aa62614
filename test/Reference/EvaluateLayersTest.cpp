// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Reference/ReferenceTesting.h"

namespace heddle::reference {
namespace {

using EvaluateLayers = EvaluatorTest;

TEST_F(EvaluateLayers, embeddingClampsIds) {
  expect(
      R"(func.func @f(%ids: tensor<?x?xi32>, %t: tensor<3x2xf32>) -> tensor<?x?x2xf32> {
              %x = heddle.embedding %ids, %t : tensor<?x?xi32>, tensor<3x2xf32>
              return %x : tensor<?x?x2xf32> })",
      {tensor({2, 2}, {1, 0, -7, 3}), tensor({3, 2}, {1, 2, 3, 4, 5, 6})},
      tensor({2, 2, 2}, {3, 4, 1, 2, 1, 2, 5, 6}));
}

TEST_F(EvaluateLayers, rmsNorm) {
  // Mean squares 12.5 and 0; epsilon 3.5 makes the first root 4.
  expect(
      R"(func.func @f(%x: tensor<?x2xf32>, %w: tensor<2xf32>) -> tensor<?x2xf32> {
              %y = heddle.rms_norm %x, %w epsilon(3.5) : tensor<?x2xf32>, tensor<2xf32>
              return %y : tensor<?x2xf32> })",
      {tensor({2, 2}, {3, -4, 0, 0}), tensor({2}, {2, 10})},
      tensor({2, 2}, {1.5, -10, 0, 0}));
}

TEST_F(EvaluateLayers, linear) {
  expect(
      R"(func.func @f(%x: tensor<?x3xf32>, %w: tensor<2x3xf32>) -> tensor<?x2xf32> {
              %y = heddle.linear %x, %w : tensor<?x3xf32>, tensor<2x3xf32>
              return %y : tensor<?x2xf32> })",
      {tensor({2, 3}, {1, 2, 3, 0, 0, 1}),
       tensor({2, 3}, {1, 10, 100, -1, 0, 2})},
      tensor({2, 2}, {321, 5, 100, 2}));
}

TEST_F(EvaluateLayers, linearWithBias) {
  expect(
      R"(func.func @f(%x: tensor<?x?x1xf32>, %w: tensor<2x1xf32>, %b: tensor<2xf32>)
                -> tensor<?x?x2xf32> {
              %y = heddle.linear %x, %w bias(%b : tensor<2xf32>)
                 : tensor<?x?x1xf32>, tensor<2x1xf32>
              return %y : tensor<?x?x2xf32> })",
      {tensor({1, 2, 1}, {3, 5}), tensor({2, 1}, {10, 100}),
       tensor({2}, {1, 2})},
      tensor({1, 2, 2}, {31, 302, 51, 502}));
}

// More rows than one task takes, and more columns than are summed side by side.
TEST_F(EvaluateLayers, linearOfManyRows) {
  constexpr int64_t rows = 100, columns = 19;
  Tensor w = Tensor::zeros({rows, columns}),
         expected = Tensor::zeros({1, rows});
  for (int64_t n = 0; n < rows; ++n)
    for (int64_t k = 0; k < columns; ++k) {
      w.row(n)[k] = n * 100 + k;
      expected.data[n] += (k + 1) * (n * 100 + k);
    }
  Tensor x = Tensor::zeros({1, columns});
  for (int64_t k = 0; k < columns; ++k)
    x.data[k] = k + 1;
  expect(
      R"(func.func @f(%x: tensor<?x19xf32>, %w: tensor<100x19xf32>) -> tensor<?x100xf32> {
              %y = heddle.linear %x, %w : tensor<?x19xf32>, tensor<100x19xf32>
              return %y : tensor<?x100xf32> })",
      {x, w}, expected);
}

TEST_F(EvaluateLayers, activations) {
  double e = std::exp(1.0);
  expect(R"(func.func @f(%x: tensor<?x4xf32>) -> tensor<?x4xf32> {
              %y = heddle.activation silu %x : tensor<?x4xf32>
              return %y : tensor<?x4xf32> })",
         {tensor({1, 4}, {0, 1, -1, -1000})},
         tensor({1, 4}, {0, e / (e + 1), -1 / (e + 1), 0}));
  expect(R"(func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {
              %y = heddle.activation relu %x : tensor<3xf32>
              return %y : tensor<3xf32> })",
         {tensor({3}, {2, -1, nan})}, tensor({3}, {2, 0, nan}));
  auto expectAt = [&](const std::string &kind, std::vector<double> x,
                      std::vector<double> y) {
    expect("func.func @f(%x: tensor<3xf32>) -> tensor<3xf32> {\n"
           "%y = heddle.activation " +
               kind + " %x : tensor<3xf32>\nreturn %y : tensor<3xf32> }",
           {tensor({3}, std::move(x))}, tensor({3}, std::move(y)));
  };
  expectAt("sigmoid", {0, std::log(3), -1000}, {0.5, 0.75, 0});
  expectAt("tanh", {0, std::log(3), -1000}, {0, 0.8, -1});
  // 68.26...% of a normal distribution are within 1 of its mean.
  double share = 0.68268949213708585;
  expectAt("gelu", {0, 1, -1}, {0, (1 + share) / 2, -(1 - share) / 2});
  // Of the formula in Python.
  expectAt("gelu_tanh", {0, 1, -1},
           {0, 0.84119199060827681, -0.15880800939172324});
  expectAt("quick_gelu", {0, 1, -1},
           {0, 0.84579576593282124, -0.1542042340671787});
}

TEST_F(EvaluateLayers, rowsOfWeight) {
  // Rows 1 and 2 of three.
  expect(R"(
    heddle.weight @w = dense<[[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]> : tensor<3x2xf32>
    func.func @f() -> tensor<2x2xf32> {
      %w = heddle.weight_ref @w offsets [1, 0] : tensor<2x2xf32>
      return %w : tensor<2x2xf32> })",
         {}, tensor({2, 2}, {3, 4, 5, 6}));
}

TEST_F(EvaluateLayers, feedForward) {
  // Hidden 2 + 1, -1 - 2 -> relu 3, 0.
  expect(R"(
    func.func @f(%x: tensor<?x1xf32>, %u: tensor<2x1xf32>, %d: tensor<1x2xf32>,
                 %ub: tensor<2xf32>, %db: tensor<1xf32>) -> tensor<?x1xf32> {
      %y = heddle.feed_forward relu %x, %u, %d
           biases(%ub, %db : tensor<2xf32>, tensor<1xf32>)
         : tensor<?x1xf32>, tensor<2x1xf32>, tensor<1x2xf32>
      return %y : tensor<?x1xf32> })",
         {tensor({1, 1}, {1}), tensor({2, 1}, {2, -1}),
          tensor({1, 2}, {10, 100}), tensor({2}, {1, -2}), tensor({1}, {0.5})},
         tensor({1, 1}, {30.5}));
}

TEST_F(EvaluateLayers, gatedFeedForward) {
  // Gates 2, -1 -> relu 2, 0; ups 3, 5; hidden 6, 0.
  const char *text = R"(
    func.func @f(%x: tensor<?x1xf32>, %g: tensor<2x1xf32>, %u: tensor<2x1xf32>,
                 %d: tensor<1x2xf32>) -> tensor<?x1xf32> {
      %y = heddle.gated_feed_forward relu %x, %g, %u, %d
         : tensor<?x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<1x2xf32>
      return %y : tensor<?x1xf32> })";
  Value gate = tensor({2, 1}, {2, -1}), up = tensor({2, 1}, {3, 5}),
        down = tensor({1, 2}, {10, 100});
  expect(text, {tensor({1, 1}, {1}), gate, up, down}, tensor({1, 1}, {60}));
}

TEST_F(EvaluateLayers, gatedFeedForwardWithBiases) {
  // Gates 2 + 1, -1 + 2 -> 3, 1; ups 3 - 1, 5 - 2 -> 2, 3; hidden 6, 3.
  expect(R"(
    func.func @f(%x: tensor<?x1xf32>, %g: tensor<2x1xf32>, %u: tensor<2x1xf32>,
                 %d: tensor<1x2xf32>, %gb: tensor<2xf32>, %ub: tensor<2xf32>,
                 %db: tensor<1xf32>) -> tensor<?x1xf32> {
      %y = heddle.gated_feed_forward relu %x, %g, %u, %d
           biases(%gb, %ub, %db : tensor<2xf32>, tensor<2xf32>, tensor<1xf32>)
         : tensor<?x1xf32>, tensor<2x1xf32>, tensor<2x1xf32>, tensor<1x2xf32>
      return %y : tensor<?x1xf32> })",
         {tensor({1, 1}, {1}), tensor({2, 1}, {2, -1}), tensor({2, 1}, {3, 5}),
          tensor({1, 2}, {10, 100}), tensor({2}, {1, 2}), tensor({2}, {-1, -2}),
          tensor({1}, {0.5})},
         tensor({1, 1}, {360.5}));
}

TEST_F(EvaluateLayers, lastToken) {
  const char *text = R"(
    func.func @f(%x: tensor<?x?x2xf32>, %l: tensor<?xi32>) -> tensor<?x2xf32> {
      %y = heddle.last_token %x, %l : tensor<?x?x2xf32>, tensor<?xi32>
      return %y : tensor<?x2xf32> })";
  Value x = tensor({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  expect(text, {x, tensor({2}, {2, 1})}, tensor({2, 2}, {3, 4, 5, 6}));
  expectError(text, {x, tensor({2}, {2, 0})},
              "'heddle.last_token': expected a length from 1 to 2, found 0");
  expectError(text, {x, tensor({2}, {3, 1})},
              "expected a length from 1 to 2, found 3");
  expectError(text, {x, tensor({3}, {1, 1, 1})},
              "expected lengths of size 2, found 3");
}

//===-- rotary ------------------------------------------------------------===//

TEST_F(EvaluateLayers, rotary) {
  // Two heads of 4 channels, frequencies 1 and 100^(-2/4) = 0.1; one sequence
  // at position 3, one at 0. Pairs are (0, 2) and (1, 3).
  double p = 3;
  auto c = [](double angle) { return std::cos(angle); };
  auto s = [](double angle) { return std::sin(angle); };
  expect(
      R"(func.func @f(%x: tensor<?x?x8xf32>, %at: tensor<?xi32>) -> tensor<?x?x8xf32> {
              %y = heddle.rotary %x at(%at : tensor<?xi32>) heads(2) positions(512) base(100.0)
                 : tensor<?x?x8xf32>
              return %y : tensor<?x?x8xf32> })",
      {tensor({2, 2, 8}, {1, 0, 0, 0, 0, 1, 0, 0,   // heads at position 3
                          0, 0, 1, 0, 1, 2, 3, 4,   // position 4
                          1, 2, 3, 4, 5, 6, 7, 8,   // position 0
                          1, 0, 0, 0, 0, 0, 0, 1}), // position 1
       tensor({2}, {p, 0})},
      tensor({2, 2, 8}, {c(3),
                         0,
                         s(3),
                         0,
                         0,
                         c(.3),
                         0,
                         s(.3), //
                         -s(4),
                         0,
                         c(4),
                         0, //
                         c(4) - 3 * s(4),
                         2 * c(.4) - 4 * s(.4), //
                         3 * c(4) + s(4),
                         4 * c(.4) + 2 * s(.4), //
                         1,
                         2,
                         3,
                         4,
                         5,
                         6,
                         7,
                         8, //
                         c(1),
                         0,
                         s(1),
                         0,
                         0,
                         -s(.1),
                         0,
                         c(.1)}));
}

TEST_F(EvaluateLayers, rotaryWithLinearScaling) {
  expect(
      R"(func.func @f(%x: tensor<?x?x2xf32>, %at: tensor<?xi32>) -> tensor<?x?x2xf32> {
              %y = heddle.rotary %x at(%at : tensor<?xi32>) heads(1) positions(8) base(10000.0)
                   scaling(<linear, factor = 4.0>) : tensor<?x?x2xf32>
              return %y : tensor<?x?x2xf32> })",
      {tensor({1, 1, 2}, {1, 0}), tensor({1}, {2})},
      tensor({1, 1, 2}, {std::cos(0.5), std::sin(0.5)}));
}

TEST_F(EvaluateLayers, rotaryWithLlama3Scaling) {
  // d = 6 and base 1000: frequencies 1, 0.1, 0.01, wavelengths 6.28, 62.8, 628.
  // With 200 original positions, those below 200 / 8 = 25 are kept, those above
  // 200 / 1 are slowed 4 times, and the middle one is blended:
  double smooth = (200 * 0.1 / (2 * M_PI) - 1) / (8 - 1);
  double middle = (1 - smooth) * 0.1 / 4 + smooth * 0.1;
  double slow = 0.01 / 4;
  expect(
      R"(func.func @f(%x: tensor<?x?x6xf32>, %at: tensor<?xi32>) -> tensor<?x?x6xf32> {
              %y = heddle.rotary %x at(%at : tensor<?xi32>) heads(1) positions(800) base(1000.0)
                   scaling(<llama3, factor = 4.0, low = 1.0, high = 8.0, original = 200>)
                 : tensor<?x?x6xf32>
              return %y : tensor<?x?x6xf32> })",
      {tensor({1, 1, 6}, {1, 1, 1, 0, 0, 0}), tensor({1}, {1})},
      tensor({1, 1, 6}, {std::cos(1.0), std::cos(middle), std::cos(slow),
                         std::sin(1.0), std::sin(middle), std::sin(slow)}));
}

TEST_F(EvaluateLayers, rotaryTable) {
  // 300 positions: 256 fine rows and ceil(300 / 256) = 2 coarse ones.
  Evaluator::Results results = run(R"(func.func @f() -> tensor<258x2x2xf32> {
               %t = heddle.rotary_table dimension(4) positions(300) base(100.0)
                  : tensor<258x2x2xf32>
               return %t : tensor<258x2x2xf32> })",
                                   {});
  ASSERT_EQ(results.size(), 1u);
  const std::vector<double> &table = results[0].tensor()->data;
  auto expectRow = [&](int64_t row, double position) {
    EXPECT_NEAR(table[4 * row + 0], std::cos(position), 1e-12);
    EXPECT_NEAR(table[4 * row + 1], std::cos(position * 0.1), 1e-12);
    EXPECT_NEAR(table[4 * row + 2], std::sin(position), 1e-12);
    EXPECT_NEAR(table[4 * row + 3], std::sin(position * 0.1), 1e-12);
  };
  expectRow(0, 0);
  expectRow(255, 255);
  expectRow(256, 0);
  expectRow(257, 256);
}

} // namespace
} // namespace heddle::reference
