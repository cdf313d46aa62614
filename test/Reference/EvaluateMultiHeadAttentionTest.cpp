// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Reference/ReferenceTesting.h"

namespace heddle::reference {
namespace {

class EvaluateMultiHeadAttention : public EvaluatorTest {};

const double three = std::log(3);

TEST_F(EvaluateMultiHeadAttention, projections) {
  // One head of one channel: q = 2 x - 1, k = 10 m, v = m + 5. Of x = 1, the
  // scores of m = 0 and m = log(3) / 10 are 0 and log(3), so that the weights
  // are 1/4 and 3/4. The output is 4 (5 + 3/4 log(3) / 10) + 100.
  Evaluator::Results results = run(
      R"(
    func.func @f(%x: tensor<1x1x1xf32>, %m: tensor<1x2x1xf32>, %wq: tensor<1x1xf32>,
                 %bq: tensor<1xf32>, %wk: tensor<1x1xf32>, %wv: tensor<1x1xf32>,
                 %bv: tensor<1xf32>, %wo: tensor<1x1xf32>, %bo: tensor<1xf32>)
        -> (tensor<1x1x1xf32>, tensor<1x1x1x2xf32>) {
      %o, %p = heddle.multi_head_attention %x, %m, %m heads(1, kv = 1)
          query(%wq, %bq : tensor<1x1xf32>, tensor<1xf32>) key(%wk : tensor<1x1xf32>)
          value(%wv, %bv : tensor<1x1xf32>, tensor<1xf32>)
          output(%wo, %bo : tensor<1x1xf32>, tensor<1xf32>) scale(1.0)
          results(output, weights) : tensor<1x1x1xf32>, tensor<1x2x1xf32>, tensor<1x2x1xf32>
      return %o, %p : tensor<1x1x1xf32>, tensor<1x1x1x2xf32> })",
      {tensor({1, 1, 1}, {1}), tensor({1, 2, 1}, {0, three / 10}),
       tensor({1, 1}, {2}), tensor({1}, {-1}), tensor({1, 1}, {10}),
       tensor({1, 1}, {1}), tensor({1}, {5}), tensor({1, 1}, {4}),
       tensor({1}, {100})});
  ASSERT_EQ(results.size(), 2u);
  expectNear(*results[0].tensor(), tensor({1, 1, 1}, {120 + 0.3 * three}));
  expectNear(*results[1].tensor(), tensor({1, 1, 1, 2}, {0.25, 0.75}));
}

TEST_F(EvaluateMultiHeadAttention, combinedHeadsThatShareKeysAndCausal) {
  // Two heads of queries and one of keys, of one channel: rows of the weight
  // are those of both queries, of the key and of the value. x is 1 and log(3):
  // queries x and -x, keys 1, values 10 x.
  // The first token sees itself alone, both others' scores are equal, as keys
  // are: weights are 1/2 each.
  double mean = (10 + 10 * three) / 2;
  expect(R"(
    func.func @f(%x: tensor<1x2x1xf32>, %w: tensor<4x1xf32>, %b: tensor<4xf32>,
                 %wo: tensor<2x2xf32>) -> tensor<1x2x2xf32> {
      %causal = heddle.mask.causal align(top_left)
      %o = heddle.multi_head_attention %x, %x, %x mask(%causal) heads(2, kv = 1)
          combined(%w, %b : tensor<4x1xf32>, tensor<4xf32>) output(%wo : tensor<2x2xf32>)
        : tensor<1x2x1xf32>, tensor<1x2x1xf32>, tensor<1x2x1xf32>
      return %o : tensor<1x2x2xf32> })",
         {tensor({1, 2, 1}, {1, three}), tensor({4, 1}, {1, -1, 0, 10}),
          tensor({4}, {0, 0, 1, 0}), tensor({2, 2}, {1, 0, 1, 1})},
         tensor({1, 2, 2}, {10, 20, mean, 2 * mean}));
  // Keys that differ: those of x, too. The second token's scores are
  // log(3) * (1, log(3)) for the first head, and the opposite for the other.
  double first = three, second = three * three;
  double more = 1 / (1 + std::exp(first - second)), less = 1 - more;
  double y = 10 * less + 10 * three * more, z = 10 * more + 10 * three * less;
  expect(R"(
    func.func @f(%x: tensor<1x2x1xf32>, %w: tensor<4x1xf32>, %wo: tensor<2x2xf32>)
        -> tensor<1x2x2xf32> {
      %causal = heddle.mask.causal align(top_left)
      %o = heddle.multi_head_attention %x, %x, %x mask(%causal) heads(2, kv = 1)
          combined(%w : tensor<4x1xf32>) output(%wo : tensor<2x2xf32>)
        : tensor<1x2x1xf32>, tensor<1x2x1xf32>, tensor<1x2x1xf32>
      return %o : tensor<1x2x2xf32> })",
         {tensor({1, 2, 1}, {1, three}), tensor({4, 1}, {1, -1, 1, 10}),
          tensor({2, 2}, {1, 0, 0, 1})},
         tensor({1, 2, 2}, {10, 10, y, z}));
}

TEST_F(EvaluateMultiHeadAttention, normsOfHeads) {
  // Heads of two channels: (3, 4) has the mean square 25 / 2, and with the
  // epsilon 0 becomes (3, 4) sqrt(2) / 5. The key (1, 7), whose mean square is
  // 25, becomes (1, 7) / 5. With weights (1, 0) and (1, 1) the score is
  // 3 sqrt(2) / 25, and that of the key (-1, 7) the opposite.
  double score = 3 * std::sqrt(2) / 25;
  expect(R"(
    func.func @f(%x: tensor<1x1x2xf32>, %m: tensor<1x2x2xf32>, %w: tensor<2x2xf32>,
                 %wv: tensor<1x2xf32>, %wo: tensor<1x1xf32>, %nq: tensor<2xf32>,
                 %nk: tensor<2xf32>) -> tensor<1x1x1xf32> {
      %o = heddle.multi_head_attention %x, %m, %m heads(1, kv = 1) query(%w : tensor<2x2xf32>)
          key(%w : tensor<2x2xf32>) value(%wv : tensor<1x2xf32>) output(%wo : tensor<1x1xf32>)
          norms(%nq, %nk : tensor<2xf32>, tensor<2xf32>) epsilon(0.0) scale(1.0)
        : tensor<1x1x2xf32>, tensor<1x2x2xf32>, tensor<1x2x2xf32>
      return %o : tensor<1x1x1xf32> })",
         {tensor({1, 1, 2}, {3, 4}), tensor({1, 2, 2}, {1, 7, -1, 7}),
          tensor({2, 2}, {1, 0, 0, 1}), tensor({1, 2}, {1, 0}),
          tensor({1, 1}, {1}), tensor({2}, {1, 0}), tensor({2}, {1, 1})},
         tensor({1, 1, 1}, {std::tanh(score)}));
}

TEST_F(EvaluateMultiHeadAttention, aQueryThatKeepsNoKey) {
  // Its attention is 0, so that the output is the bias.
  expect(R"(
    func.func @f(%x: tensor<1x1x1xf32>, %m: tensor<1x2x1xf32>, %w: tensor<1x1xf32>,
                 %b: tensor<1xf32>, %n: tensor<1xi32>) -> tensor<1x1x1xf32> {
      %mask = heddle.mask.lengths %n : tensor<1xi32>
      %o = heddle.multi_head_attention %x, %m, %m mask(%mask) heads(1, kv = 1)
          query(%w : tensor<1x1xf32>) key(%w : tensor<1x1xf32>) value(%w : tensor<1x1xf32>)
          output(%w, %b : tensor<1x1xf32>, tensor<1xf32>)
        : tensor<1x1x1xf32>, tensor<1x2x1xf32>, tensor<1x2x1xf32>
      return %o : tensor<1x1x1xf32> })",
         {tensor({1, 1, 1}, {1}), tensor({1, 2, 1}, {3, nan}),
          tensor({1, 1}, {1}), tensor({1}, {7}), tensor({1}, {0})},
         tensor({1, 1, 1}, {7}));
}

} // namespace
} // namespace heddle::reference
