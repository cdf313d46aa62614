// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Reference/ReferenceTesting.h"

namespace heddle::reference {
namespace {

class EvaluateNorms : public EvaluatorTest {};

TEST_F(EvaluateNorms, layerNorm) {
  // Means 3 and 10, variances 4 and 0; with epsilon 12 the roots are 4 and
  // sqrt(12).
  const char *text = R"(
    func.func @f(%x: tensor<2x2xf32>, %w: tensor<2xf32>, %b: tensor<2xf32>) -> tensor<2x2xf32> {
      %y = heddle.layer_norm %x, %w, %b epsilon(12.0)
         : tensor<2x2xf32>, tensor<2xf32>, tensor<2xf32>
      return %y : tensor<2x2xf32> })";
  expect(text,
         {tensor({2, 2}, {1, 5, 10, 10}), tensor({2}, {2, 4}),
          tensor({2}, {100, 1000})},
         tensor({2, 2}, {99, 1002, 100, 1000}));
  // Of bf16, 1 + 2^-8 is 1, and 1 + 3 * 2^-8 is 1 + 2^-6.
  expect(R"(
    func.func @f(%x: tensor<1x2xbf16>, %w: tensor<2xbf16>) -> tensor<1x2xbf16> {
      %y = heddle.layer_norm %x, %w epsilon(0.0) : tensor<1x2xbf16>, tensor<2xbf16>
      return %y : tensor<1x2xbf16> })",
         {tensor({1, 2}, {-1, 1}), tensor({2}, {1.00390625, 1.01171875})},
         tensor({1, 2}, {-1, 1.015625}));
}

TEST_F(EvaluateNorms, groupNorm) {
  // Four channels of two places, in two groups: 1 3 1 3 with mean 2 and
  // variance 1, 0 0 0 8 with mean 2 and variance 12.
  expect(R"(
    func.func @f(%x: tensor<?x4x2xf32>, %w: tensor<4xf32>, %b: tensor<4xf32>)
        -> tensor<?x4x2xf32> {
      %y = heddle.group_norm %x, %w, %b groups(2) epsilon(4.0)
         : tensor<?x4x2xf32>, tensor<4xf32>, tensor<4xf32>
      return %y : tensor<?x4x2xf32> })",
         {tensor({1, 4, 2}, {1, 3, 1, 3, 0, 0, 0, 8}),
          tensor({4}, {1, 10, 2, 4}), tensor({4}, {0, 5, 0, 1})},
         tensor({1, 4, 2},
                {-1 / std::sqrt(5), 1 / std::sqrt(5), 5 - 10 / std::sqrt(5),
                 5 + 10 / std::sqrt(5), -1, -1, -1, 7}));
}

} // namespace
} // namespace heddle::reference
