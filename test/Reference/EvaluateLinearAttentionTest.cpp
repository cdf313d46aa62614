// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Reference/ReferenceTesting.h"

namespace heddle::reference {
namespace {

class EvaluateLinearAttention : public EvaluatorTest {};

TEST_F(EvaluateLinearAttention, sumsOfProducts) {
  // One head, keys of two channels and values of one:
  // S = (1, 0) * 10, then + (1, 2) * 100 = (110, 200), then + (0, -1) * 1.
  Evaluator::Results results = run(
      R"(
    func.func @f(%q: tensor<1x1x3x2xf32>, %k: tensor<1x1x3x2xf32>, %v: tensor<1x1x3x1xf32>)
        -> (tensor<1x1x3x1xf32>, tensor<1x1x2x1xf32>) {
      %o, %s = heddle.linear_attention %q, %k, %v
         : tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>, tensor<1x1x3x1xf32>
         -> tensor<1x1x3x1xf32>, tensor<1x1x2x1xf32>
      return %o, %s : tensor<1x1x3x1xf32>, tensor<1x1x2x1xf32> })",
      {tensor({1, 1, 3, 2}, {1, 1, 2, -1, 0, 1}),
       tensor({1, 1, 3, 2}, {1, 0, 1, 2, 0, -1}),
       tensor({1, 1, 3, 1}, {10, 100, 1})});
  ASSERT_EQ(results.size(), 2u);
  expectNear(*results[0].tensor(), tensor({1, 1, 3, 1}, {10, 20, 199}));
  expectNear(*results[1].tensor(), tensor({1, 1, 2, 1}, {110, 199}));
}

TEST_F(EvaluateLinearAttention, gatesDecayTheState) {
  // Two heads, whose states begin with 8 and 1 and are halved, and tripled.
  double half = -std::log(2), three = std::log(3);
  expect(
      R"(
    func.func @f(%q: tensor<1x2x2x1xf32>, %v: tensor<1x2x2x1xf32>, %g: tensor<1x2x2xf32>,
                 %s: tensor<1x2x1x1xf32>) -> tensor<1x2x2x1xf32> {
      %o = heddle.linear_attention %q, %q, %v gates(%g : tensor<1x2x2xf32>)
           state(%s : tensor<1x2x1x1xf32>)
         : tensor<1x2x2x1xf32>, tensor<1x2x2x1xf32>, tensor<1x2x2x1xf32>
         -> tensor<1x2x2x1xf32>
      return %o : tensor<1x2x2x1xf32> })",
      {tensor({1, 2, 2, 1}, {1, 1, 1, 2}), tensor({1, 2, 2, 1}, {1, 2, 0, 5}),
       tensor({1, 2, 2}, {half, half, three, 0}), tensor({1, 2, 1, 1}, {8, 1})},
      tensor({1, 2, 2, 1}, {5, 4.5, 3, 2 * (3 + 10)}));
}

TEST_F(EvaluateLinearAttention, theDeltaRuleReplaces) {
  // S = 0 + (1, 0) * 10; the same key again: + (1, 0) * 1/2 (30 - 10) = (20,
  // 0); the other one: + (0, 1) * 2 (3 - 0) = (20, 6).
  expect(R"(
    func.func @f(%q: tensor<1x1x3x2xf32>, %k: tensor<1x1x3x2xf32>, %v: tensor<1x1x3x1xf32>,
                 %b: tensor<1x1x3xf32>) -> tensor<1x1x3x1xf32> {
      %o = heddle.gated_delta_rule %q, %k, %v strengths(%b)
         : tensor<1x1x3x2xf32>, tensor<1x1x3x2xf32>, tensor<1x1x3x1xf32>, tensor<1x1x3xf32>
         -> tensor<1x1x3x1xf32>
      return %o : tensor<1x1x3x1xf32> })",
         {tensor({1, 1, 3, 2}, {1, 1, 1, 1, 1, 10}),
          tensor({1, 1, 3, 2}, {1, 0, 1, 0, 0, 1}),
          tensor({1, 1, 3, 1}, {10, 30, 3}), tensor({1, 1, 3}, {1, 0.5, 2})},
         tensor({1, 1, 3, 1}, {10, 20, 80}));
}

TEST_F(EvaluateLinearAttention, theDeltaRuleDecaysBeforeItReplaces) {
  // S = 8 / 2 = 4, and 4 + 3 (10 - 1 * 4) = 22; then 22 / 2 + 2 * 1/4 * (6 -
  // 2 * 11) = 3.
  double half = -std::log(2);
  Evaluator::Results results = run(
      R"(
    func.func @f(%k: tensor<1x1x2x1xf32>, %v: tensor<1x1x2x1xf32>, %b: tensor<1x1x2xf32>,
                 %g: tensor<1x1x2xf32>, %s: tensor<1x1x1x1xf32>)
        -> (tensor<1x1x2x1xf32>, tensor<1x1x1x1xf32>) {
      %o, %s1 = heddle.gated_delta_rule %k, %k, %v strengths(%b)
           gates(%g : tensor<1x1x2xf32>) state(%s : tensor<1x1x1x1xf32>) chunk(1)
         : tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2x1xf32>, tensor<1x1x2xf32>
         -> tensor<1x1x2x1xf32>, tensor<1x1x1x1xf32>
      return %o, %s1 : tensor<1x1x2x1xf32>, tensor<1x1x1x1xf32> })",
      {tensor({1, 1, 2, 1}, {1, 2}), tensor({1, 1, 2, 1}, {10, 6}),
       tensor({1, 1, 2}, {3, 0.25}), tensor({1, 1, 2}, {half, half}),
       tensor({1, 1, 1, 1}, {8})});
  ASSERT_EQ(results.size(), 2u);
  expectNear(*results[0].tensor(), tensor({1, 1, 2, 1}, {22, 6}));
  expectNear(*results[1].tensor(), tensor({1, 1, 1, 1}, {3}));
}

TEST_F(EvaluateLinearAttention, negative_lengths) {
  expectError(R"(
    func.func @f(%q: tensor<1x1x?x1xf32>, %v: tensor<1x1x?x1xf32>) -> tensor<1x1x?x1xf32> {
      %o = heddle.linear_attention %q, %q, %v
         : tensor<1x1x?x1xf32>, tensor<1x1x?x1xf32>, tensor<1x1x?x1xf32>
         -> tensor<1x1x?x1xf32>
      return %o : tensor<1x1x?x1xf32> })",
              {Tensor::zeros({1, 1, 2, 1}), Tensor::zeros({1, 1, 3, 1})},
              "'heddle.linear_attention': expected dimension 2 of value of "
              "size 2, found 3");
}

} // namespace
} // namespace heddle::reference
