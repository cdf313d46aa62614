// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Reference/ReferenceTesting.h"

namespace heddle::reference {
namespace {

class EvaluateRecurrent : public EvaluatorTest {};

// sigmoid(log(3)) = 3 / 4, tanh(log(2)) = 3 / 5
const double three = std::log(3), two = std::log(2);

TEST_F(EvaluateRecurrent, gruCell) {
  // x = 1, h = 2: r = sigmoid(log(3) + 0) = 3/4, z = sigmoid(0) = 1/2 and
  // n = tanh(log(2) - 3 + 3/4 * (2 * 1 + 2)) = 3/5.
  expect(R"(
    func.func @f(%x: tensor<?x1xf32>, %h: tensor<?x1xf32>, %w: tensor<3x1xf32>,
                 %u: tensor<3x1xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>)
        -> tensor<?x1xf32> {
      %y = heddle.gru_cell %x, %h, %w, %u biases(%b, %c : tensor<3xf32>, tensor<3xf32>)
         : tensor<?x1xf32>, tensor<?x1xf32>, tensor<3x1xf32>, tensor<3x1xf32>
      return %y : tensor<?x1xf32> })",
         {tensor({1, 1}, {1}), tensor({1, 1}, {2}),
          tensor({3, 1}, {three, 1, two}), tensor({3, 1}, {1, -1, 1}),
          tensor({3}, {-1, 0.5, -3}), tensor({3}, {-1, 0.5, 2})},
         tensor({1, 1}, {0.5 * 0.6 + 0.5 * 2}));
}

TEST_F(EvaluateRecurrent, gruCellThatResetsBefore) {
  // As above, but n = tanh(log(2) - 3 + 1 * 3/4 * 2 + 3/2) = 3/5.
  expect(R"(
    func.func @f(%x: tensor<?x1xf32>, %h: tensor<?x1xf32>, %w: tensor<3x1xf32>,
                 %u: tensor<3x1xf32>, %b: tensor<3xf32>, %c: tensor<3xf32>)
        -> tensor<?x1xf32> {
      %y = heddle.gru_cell %x, %h, %w, %u biases(%b, %c : tensor<3xf32>, tensor<3xf32>) reset_before
         : tensor<?x1xf32>, tensor<?x1xf32>, tensor<3x1xf32>, tensor<3x1xf32>
      return %y : tensor<?x1xf32> })",
         {tensor({1, 1}, {1}), tensor({1, 1}, {2}),
          tensor({3, 1}, {three, 1, two}), tensor({3, 1}, {1, -1, 1}),
          tensor({3}, {-1, 0.5, -3}), tensor({3}, {-1, 0.5, 1.5})},
         tensor({1, 1}, {0.5 * 0.6 + 0.5 * 2}));
}

TEST_F(EvaluateRecurrent, gruCellOfSeveralChannels) {
  // Two channels and two tokens, whose gates are apart: all rows of W are 0 but
  // those of z, which is 3/4 for the first channel and 1/4 for the second.
  expect(R"(
    func.func @f(%x: tensor<?x1xf32>, %h: tensor<?x2xf32>, %w: tensor<6x1xf32>,
                 %u: tensor<6x2xf32>) -> tensor<?x2xf32> {
      %y = heddle.gru_cell %x, %h, %w, %u
         : tensor<?x1xf32>, tensor<?x2xf32>, tensor<6x1xf32>, tensor<6x2xf32>
      return %y : tensor<?x2xf32> })",
         {tensor({2, 1}, {1, 0}), tensor({2, 2}, {4, 8, 4, 8}),
          tensor({6, 1}, {0, 0, three, -three, 0, 0}), Tensor::zeros({6, 2})},
         tensor({2, 2}, {3, 2, 2, 4}));
}

TEST_F(EvaluateRecurrent, lstmCell) {
  // i = 3/4, f = 1/2, g = 3/5, o = 1/4 and c = 4: c' = 2 + 9/20.
  Evaluator::Results results = run(
      R"(
    func.func @f(%x: tensor<?x1xf32>, %h: tensor<?x1xf32>, %c: tensor<?x1xf32>,
                 %w: tensor<4x1xf32>, %u: tensor<4x1xf32>, %b: tensor<4xf32>,
                 %d: tensor<4xf32>) -> (tensor<?x1xf32>, tensor<?x1xf32>) {
      %h1, %c1 = heddle.lstm_cell %x, %h, %c, %w, %u
                 biases(%b, %d : tensor<4xf32>, tensor<4xf32>)
         : tensor<?x1xf32>, tensor<?x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>
      return %h1, %c1 : tensor<?x1xf32>, tensor<?x1xf32> })",
      {tensor({1, 1}, {1}), tensor({1, 1}, {2}), tensor({1, 1}, {4}),
       tensor({4, 1}, {three, 1, two, 0}), tensor({4, 1}, {1, -1, 0, 1}),
       tensor({4}, {-1, 0, 1, -2}), tensor({4}, {-1, 1, -1, -three})});
  ASSERT_EQ(results.size(), 2u);
  expectNear(*results[0].tensor(), tensor({1, 1}, {std::tanh(2.45) / 4}));
  expectNear(*results[1].tensor(), tensor({1, 1}, {2.45}));
}

TEST_F(EvaluateRecurrent, lstmCellWithPeepholes) {
  // Both gates see c = 4, and o sees c' = 2 + 9/20: i = sigmoid(log(3) - 4 +
  // 4), f = sigmoid(2 - 4 / 2), o = sigmoid(-log(3) - 2.45 + 2.45).
  Evaluator::Results results = run(
      R"(
    func.func @f(%x: tensor<?x1xf32>, %h: tensor<?x1xf32>, %c: tensor<?x1xf32>,
                 %w: tensor<4x1xf32>, %u: tensor<4x1xf32>, %p: tensor<3xf32>)
        -> (tensor<?x1xf32>, tensor<?x1xf32>) {
      %h1, %c1 = heddle.lstm_cell %x, %h, %c, %w, %u peepholes(%p : tensor<3xf32>)
         : tensor<?x1xf32>, tensor<?x1xf32>, tensor<4x1xf32>, tensor<4x1xf32>
      return %h1, %c1 : tensor<?x1xf32>, tensor<?x1xf32> })",
      {tensor({1, 1}, {1}), tensor({1, 1}, {2}), tensor({1, 1}, {4}),
       tensor({4, 1}, {three, 0, two, -three - 2.45}),
       tensor({4, 1}, {-2, 1, 0, 0}), tensor({3}, {1, -0.5, 1})});
  ASSERT_EQ(results.size(), 2u);
  expectNear(*results[0].tensor(), tensor({1, 1}, {std::tanh(2.45) / 4}));
  expectNear(*results[1].tensor(), tensor({1, 1}, {2.45}));
}

TEST_F(EvaluateRecurrent, negative_rows) {
  expectError(
      R"(
    func.func @f(%x: tensor<?x1xf32>, %h: tensor<?x1xf32>, %w: tensor<3x1xf32>)
        -> tensor<?x1xf32> {
      %y = heddle.gru_cell %x, %h, %w, %w
         : tensor<?x1xf32>, tensor<?x1xf32>, tensor<3x1xf32>, tensor<3x1xf32>
      return %y : tensor<?x1xf32> })",
      {tensor({2, 1}, {1, 1}), tensor({1, 1}, {1}), tensor({3, 1}, {0, 0, 0})},
      "'heddle.gru_cell': expected rows of the hidden state of size 2, "
      "found 1");
}

} // namespace
} // namespace heddle::reference
