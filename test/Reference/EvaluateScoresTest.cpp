// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Reference/ReferenceTesting.h"

#include "llvm/Support/FormatVariadic.h"

namespace heddle::reference {
namespace {

class EvaluateScores : public EvaluatorTest {};

TEST_F(EvaluateScores, softcap) {
  // cap * tanh(s / cap); tanh(log(2)) = (2 - 1/2) / (2 + 1/2) = 0.6.
  double s = 10 * std::log(2);
  expect(R"(func.func @f(%s: tensor<4xf32>) -> tensor<4xf32> {
              %y = heddle.softcap %s cap(10.0) : tensor<4xf32>
              return %y : tensor<4xf32> })",
         {tensor({4}, {s, -s, 0, infinity})}, tensor({4}, {6, -6, 0, 10}));
}

TEST_F(EvaluateScores, alibi) {
  // Two queries, three keys: the last query stands at the last key.
  std::string text = R"(
    func.func @f(%s: tensor<1x2x2x3xf32>, %m: tensor<2xf32>) -> tensor<1x2x2x3xf32> {
      %y = heddle.alibi %s, %m align(bottom_right) : tensor<1x2x2x3xf32>, tensor<2xf32>
      return %y : tensor<1x2x2x3xf32> })";
  Value s = tensor({1, 2, 2, 3}, {1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0});
  Value slopes = tensor({2}, {0.5, -2});
  expect(text, {s, slopes},
         tensor({1, 2, 2, 3}, {0.5, 1, 1.5, 0, 0.5, 1, 2, 0, -2, 4, 2, 0}));
  // And the first query at the first key.
  text.replace(text.find("bottom_right"), 12, "top_left");
  expect(text, {s, slopes},
         tensor({1, 2, 2, 3}, {1, 1.5, 2, 0.5, 1, 1.5, 0, -2, -4, 2, 0, -2}));
}

TEST_F(EvaluateScores, alibiWithOffset) {
  // The query of sequence 0 stands at key 2, that of sequence 1 at key -1.
  const char *text = R"(
    func.func @f(%s: tensor<?x1x1x3xf32>, %m: tensor<1xf32>, %p: tensor<?xi32>)
        -> tensor<?x1x1x3xf32> {
      %y = heddle.alibi %s, %m offset(%p : tensor<?xi32>)
         : tensor<?x1x1x3xf32>, tensor<1xf32>
      return %y : tensor<?x1x1x3xf32> })";
  Value s = Tensor::zeros({2, 1, 1, 3}), slope = tensor({1}, {10});
  expect(text, {s, slope, tensor({2}, {2, -1})},
         tensor({2, 1, 1, 3}, {-20, -10, 0, 10, 20, 30}));
  expectError(text, {s, slope, tensor({1}, {0})},
              "'heddle.alibi': expected offset of size 2, found 1");
}

TEST_F(EvaluateScores, relativeBias) {
  // Distances are at most 1 either way.
  expect(R"(
    func.func @f(%s: tensor<1x2x2x3xf32>, %t: tensor<3x2xf32>) -> tensor<1x2x2x3xf32> {
      %y = heddle.relative_bias %s, %t align(top_left)
         : tensor<1x2x2x3xf32>, tensor<3x2xf32>
      return %y : tensor<1x2x2x3xf32> })",
         {Tensor::zeros({1, 2, 2, 3}), tensor({3, 2}, {1, 10, 2, 20, 3, 30})},
         tensor({1, 2, 2, 3}, {2, 3, 3, 1, 2, 3, 20, 30, 30, 10, 20, 30}));
}

// Distances of a query that stands behind all keys but the last ones, and the
// rows of the table.
static std::string bucketText(const char *kind, int m, int rows, int keys) {
  return llvm::formatv(R"(
    func.func @f(%s: tensor<1x1x1x{3}xf32>, %t: tensor<{2}x1xf32>, %p: tensor<1xi32>)
        -> tensor<1x1x1x{3}xf32> {{
      %y = heddle.relative_bias %s, %t buckets({0}, {1}) offset(%p : tensor<1xi32>)
         : tensor<1x1x1x{3}xf32>, tensor<{2}x1xf32>
      return %y : tensor<1x1x1x{3}xf32> })",
                       kind, m, rows, keys);
}

TEST_F(EvaluateScores, relativeBiasOfCausalBuckets) {
  // 8 rows, so that distances 0 to 3 have buckets of their own. Then
  // 4 + floor(log2(d / 4) / 4 * 4): 4 from 4, 5 from 8, 6 from 16 and 7 from
  // 32, also past 64. Keys after the query count as its own.
  std::vector<double> rows = {0, 1, 2, 3, 4, 5, 6, 7};
  Tensor y = Tensor::zeros({1, 1, 1, 72});
  for (int k = 0; k < 72; ++k) {
    int d = 70 - k;
    y.data[k] = d < 0 ? 0 : d < 4 ? d : d < 8 ? 4 : d < 16 ? 5 : d < 32 ? 6 : 7;
  }
  expect(
      bucketText("causal", 64, 8, 72),
      {Tensor::zeros({1, 1, 1, 72}), Tensor({8, 1}, rows), tensor({1}, {70})},
      y);
}

TEST_F(EvaluateScores, relativeBiasOfBothBuckets) {
  // 8 rows are 4 each way: 0 and 1, then 2 + floor(log2(d / 2) / 2 * 2), which
  // is 2 from 2 and 3 from 4, also past 8.
  Tensor y({1, 1, 1, 13}, {3, 3, 3, 2, 2, 1, 0, 5, 6, 6, 7, 7, 7});
  expect(bucketText("both", 8, 8, 13),
         {Tensor::zeros({1, 1, 1, 13}),
          tensor({8, 1}, {0, 1, 2, 3, 4, 5, 6, 7}), tensor({1}, {6})},
         y);
}

TEST_F(EvaluateScores, mergeAttention) {
  // One sequence of two queries, of one head and two channels. Maxima log(2)
  // and log(4): the first part counts for a half. The second query keeps no key
  // of the first part.
  double two = std::log(2), four = std::log(4), e = std::exp(1.0);
  Evaluator::Results results = run(
      R"(
    func.func @f(%u0: tensor<1x2x2xf32>, %u1: tensor<1x2x2xf32>, %m0: tensor<1x1x2xf32>,
                 %m1: tensor<1x1x2xf32>, %s0: tensor<1x1x2xf32>, %s1: tensor<1x1x2xf32>)
        -> (tensor<1x2x2xf32>, tensor<1x2x2xf32>, tensor<1x1x2xf32>, tensor<1x1x2xf32>,
            tensor<1x1x2xf32>) {
      %o, %u, %m, %s, %l = heddle.merge_attention (%u0, %u1) maxima(%m0, %m1)
          sums(%s0, %s1) results(output, unnormalized, maximum, sum, log_sum_exp)
        : tensor<1x2x2xf32>, tensor<1x1x2xf32>
      return %o, %u, %m, %s, %l : tensor<1x2x2xf32>, tensor<1x2x2xf32>,
        tensor<1x1x2xf32>, tensor<1x1x2xf32>, tensor<1x1x2xf32> })",
      {tensor({1, 2, 2}, {2, 4, 0, 0}), tensor({1, 2, 2}, {3, 5, 6, 8}),
       tensor({1, 1, 2}, {two, -infinity}), tensor({1, 1, 2}, {four, 1}),
       tensor({1, 1, 2}, {2, 0}), tensor({1, 1, 2}, {3, e})});
  ASSERT_EQ(results.size(), 5u);
  expectNear(*results[0].tensor(),
             tensor({1, 2, 2}, {4.0 / 4, 7.0 / 4, 6 / e, 8 / e}));
  expectNear(*results[1].tensor(), tensor({1, 2, 2}, {4, 7, 6, 8}));
  EXPECT_EQ(results[2].tensor()->data, (std::vector<double>{four, 1}));
  expectNear(*results[3].tensor(), tensor({1, 1, 2}, {4, e}));
  expectNear(*results[4].tensor(), tensor({1, 1, 2}, {2 * four, 2}));
}

TEST_F(EvaluateScores, mergeAttentionOfTwoHeadsThatKeepNothing) {
  // [batch, length, heads * channels]: the second head keeps nothing.
  const char *text = R"(
    func.func @f(%u: tensor<1x1x4xf32>, %m: tensor<1x2x1xf32>, %s: tensor<1x2x1xf32>)
        -> tensor<1x1x4xf32> {
      %o = heddle.merge_attention (%u) maxima(%m) sums(%s)
        : tensor<1x1x4xf32>, tensor<1x2x1xf32>
      return %o : tensor<1x1x4xf32> })";
  expect(text,
         {tensor({1, 1, 4}, {6, 8, 0, 0}), tensor({1, 2, 1}, {5, -infinity}),
          tensor({1, 2, 1}, {2, 0})},
         tensor({1, 1, 4}, {3, 4, 0, 0}));
}

} // namespace
} // namespace heddle::reference
