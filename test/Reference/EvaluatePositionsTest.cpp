// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Reference/ReferenceTesting.h"

namespace heddle::reference {
namespace {

using EvaluatePositions = EvaluatorTest;

TEST_F(EvaluatePositions, rotaryInterleavedAndPartial) {
  // One head of 5 channels, of which 4 turn: pairs (0, 1) by 2 and (2, 3) by
  // 2 * 100^(-2/4) = 0.2 at position 2.
  expect(
      R"(func.func @f(%x: tensor<?x?x5xf32>, %at: tensor<?xi32>) -> tensor<?x?x5xf32> {
              %y = heddle.rotary %x at(%at : tensor<?xi32>) heads(1) rotated(4) interleaved positions(512)
                   base(100.0) : tensor<?x?x5xf32>
              return %y : tensor<?x?x5xf32> })",
      {tensor({1, 1, 5}, {1, 0, 0, 1, 7}), tensor({1}, {2})},
      tensor({1, 1, 5},
             {std::cos(2.0), std::sin(2.0), -std::sin(0.2), std::cos(0.2), 7}));
}

TEST_F(EvaluatePositions, rotaryWithDynamicScaling) {
  // The base grows to 100 * (2 * 256 / 128 - 1)^(4/2) = 900, so that the second
  // pair turns by 900^(-2/4) = 1/30 a position.
  expect(
      R"(func.func @f(%x: tensor<?x?x4xf32>, %at: tensor<?xi32>) -> tensor<?x?x4xf32> {
              %y = heddle.rotary %x at(%at : tensor<?xi32>) heads(1) positions(256) base(100.0)
                   scaling(<dynamic, factor = 2.0, original = 128, length = 256>)
                 : tensor<?x?x4xf32>
              return %y : tensor<?x?x4xf32> })",
      {tensor({1, 1, 4}, {0, 1, 0, 0}), tensor({1}, {30})},
      tensor({1, 1, 4}, {0, std::cos(1.0), 0, std::sin(1.0)}));
}

TEST_F(EvaluatePositions, rotaryWithLongScaling) {
  // The long list, and sqrt(1 + ln 16 / ln 4) = sqrt(3) for the length.
  double a = std::sqrt(3.0);
  expect(
      R"(func.func @f(%x: tensor<?x?x4xf32>, %at: tensor<?xi32>) -> tensor<?x?x4xf32> {
              %y = heddle.rotary %x at(%at : tensor<?xi32>) heads(1) positions(64) base(100.0)
                   scaling(<longrope, factor = 16.0, original = 4, length = 64,
                            short_factor = [1.0, 1.0], long_factor = [2.0, 5.0]>)
                 : tensor<?x?x4xf32>
              return %y : tensor<?x?x4xf32> })",
      {tensor({1, 1, 4}, {1, 1, 0, 0}), tensor({1}, {10})},
      tensor({1, 1, 4}, {a * std::cos(5.0), a * std::cos(0.2),
                         a * std::sin(5.0), a * std::sin(0.2)}));
}

TEST_F(EvaluatePositions, rotaryWithYarnScaling) {
  // With base e^2 and 8 channels the place of n rotations is
  // 2 ln(original / (2 pi n)): 0 of 2 rotations and 2 ln 2 -> 2 of 1, so that
  // pair 1 is half way from all to a quarter, 5/8. attention is 1.5.
  expect(
      R"(func.func @f(%x: tensor<?x?x8xf32>, %at: tensor<?xi32>) -> tensor<?x?x8xf32> {
              %y = heddle.rotary %x at(%at : tensor<?xi32>) heads(1) positions(64) base(7.38905609893065)
                   scaling(<yarn, factor = 4.0, original = 13, fast = 2.0, slow = 1.0,
                            attention = 1.5>)
                 : tensor<?x?x8xf32>
              return %y : tensor<?x?x8xf32> })",
      {tensor({1, 1, 8}, {1, 1, 1, 0, 0, 0, 0, 0}), tensor({1}, {1})},
      tensor({1, 1, 8},
             {1.5 * std::cos(1.0), 1.5 * std::cos(0.625 * std::exp(-0.5)),
              1.5 * std::cos(0.25 * std::exp(-1.0)), 0, 1.5 * std::sin(1.0),
              1.5 * std::sin(0.625 * std::exp(-0.5)),
              1.5 * std::sin(0.25 * std::exp(-1.0)), 0}));
}

TEST_F(EvaluatePositions, sinusoidal) {
  expect(R"(func.func @f() -> tensor<2x4xf32> {
              %t = heddle.sinusoidal_positions base(100.0) : tensor<2x4xf32>
              return %t : tensor<2x4xf32> })",
         {},
         tensor({2, 4}, {0, 1, 0, 1, std::sin(1.0), std::cos(1.0),
                         std::sin(0.1), std::cos(0.1)}));
  expect(R"(func.func @f() -> tensor<2x4xf32> {
              %t = heddle.sinusoidal_positions halves base(100.0) : tensor<2x4xf32>
              return %t : tensor<2x4xf32> })",
         {},
         tensor({2, 4}, {0, 0, 1, 1, std::sin(1.0), std::sin(0.01),
                         std::cos(1.0), std::cos(0.01)}));
}

TEST_F(EvaluatePositions, addPositions) {
  const char *text = R"(
    func.func @f(%x: tensor<?x?x1xf32>, %t: tensor<3x1xf32>, %at: tensor<?xi32>)
        -> tensor<?x?x1xf32> {
      %y = heddle.add_positions %x, %t at(%at : tensor<?xi32>)
         : tensor<?x?x1xf32>, tensor<3x1xf32>
      return %y : tensor<?x?x1xf32> })";
  Value table = tensor({3, 1}, {10, 20, 30});
  // Past the last row it is that.
  expect(text, {tensor({2, 2, 1}, {1, 2, 3, 4}), table, tensor({2}, {0, 2})},
         tensor({2, 2, 1}, {11, 22, 33, 34}));
  expectError(text, {tensor({2, 1, 1}, {1, 2}), table, tensor({1}, {0})},
              "expected starts of size 2, found 1");
  expect(R"(
    func.func @f(%x: tensor<1x2x1xf32>, %t: tensor<3x1xf32>) -> tensor<1x2x1xf32> {
      %y = heddle.add_positions %x, %t : tensor<1x2x1xf32>, tensor<3x1xf32>
      return %y : tensor<1x2x1xf32> })",
         {tensor({1, 2, 1}, {1, 2}), table}, tensor({1, 2, 1}, {11, 22}));
}

} // namespace
} // namespace heddle::reference
