// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Attention, masks and the cache.

#include "test/Reference/ReferenceTesting.h"

namespace heddle::reference {
namespace {

using EvaluateAttention = EvaluatorTest;

/// Attention of one head with one channel, under the mask that `maskOps`
/// defines as %m from %n : tensor<?xi32>.
static std::string attentionUnder(const std::string &maskOps) {
  return R"(func.func @f(%q: tensor<?x?x1xf32>, %k: tensor<?x?x1xf32>,
                         %v: tensor<?x?x1xf32>, %n: tensor<?xi32>) -> tensor<?x?x1xf32> {)" +
         maskOps + R"(
      %o = heddle.attention %q, %k, %v mask(%m) heads(1, kv = 1) scale(1.0)
         : tensor<?x?x1xf32>, tensor<?x?x1xf32>, tensor<?x?x1xf32>
      return %o : tensor<?x?x1xf32> })";
}

TEST_F(EvaluateAttention, softmaxOfScaledScores) {
  // Scores 0.5 * [0, 2 ln 3] = ln [1, 3]: weights 1/4, 3/4.
  expect(
      R"(func.func @f(%q: tensor<?x?x2xf32>, %k: tensor<?x?x2xf32>, %v: tensor<?x?x1xf32>)
                -> tensor<?x?x1xf32> {
              %o = heddle.attention %q, %k, %v heads(1, kv = 1) scale(0.5)
                 : tensor<?x?x2xf32>, tensor<?x?x2xf32>, tensor<?x?x1xf32>
              return %o : tensor<?x?x1xf32> })",
      {tensor({1, 1, 2}, {2, 1}), tensor({1, 2, 2}, {0, 0, std::log(3), 0}),
       tensor({1, 2, 1}, {8, 4})},
      tensor({1, 1, 1}, {5}));
}

TEST_F(EvaluateAttention, largeScoresDoNotOverflow) {
  expect(
      R"(func.func @f(%q: tensor<?x?x1xf32>, %k: tensor<?x?x1xf32>, %v: tensor<?x?x1xf32>)
                -> tensor<?x?x1xf32> {
              %o = heddle.attention %q, %k, %v heads(1, kv = 1) scale(1000000.0)
                 : tensor<?x?x1xf32>, tensor<?x?x1xf32>, tensor<?x?x1xf32>
              return %o : tensor<?x?x1xf32> })",
      {tensor({1, 1, 1}, {1}), tensor({1, 3, 1}, {-1, 1, 1}),
       tensor({1, 3, 1}, {7, 1, 3})},
      tensor({1, 1, 1}, {2}));
}

TEST_F(EvaluateAttention, queryHeadsShareKeyHeads) {
  // Heads 0, 1 read key and value head 0, heads 2, 3 head 1. Values have two
  // channels where queries and keys have one. One key: the result is its value.
  expect(
      R"(func.func @f(%q: tensor<?x?x4xf32>, %k: tensor<?x?x2xf32>, %v: tensor<?x?x4xf32>)
                -> tensor<?x?x8xf32> {
              %o = heddle.attention %q, %k, %v heads(4, kv = 2) scale(1.0)
                 : tensor<?x?x4xf32>, tensor<?x?x2xf32>, tensor<?x?x4xf32>
              return %o : tensor<?x?x8xf32> })",
      {tensor({1, 1, 4}, {1, 2, 3, 4}), tensor({1, 1, 2}, {1, 1}),
       tensor({1, 1, 4}, {1, 2, 3, 4})},
      tensor({1, 1, 8}, {1, 2, 1, 2, 3, 4, 3, 4}));
}

TEST_F(EvaluateAttention, queryHeadsScoreTheirKeyHead) {
  // Key head 0 prefers the first key, head 1 the second.
  double weight = 1 / (1 + std::exp(-1.0));
  expect(
      R"(func.func @f(%q: tensor<?x?x4xf32>, %k: tensor<?x?x2xf32>, %v: tensor<?x?x2xf32>)
                -> tensor<?x?x4xf32> {
              %o = heddle.attention %q, %k, %v heads(4, kv = 2) scale(1.0)
                 : tensor<?x?x4xf32>, tensor<?x?x2xf32>, tensor<?x?x2xf32>
              return %o : tensor<?x?x4xf32> })",
      {tensor({1, 1, 4}, {1, 0, 1, 0}), tensor({1, 2, 2}, {1, 0, 0, 1}),
       tensor({1, 2, 2}, {1, 1, 0, 0})},
      tensor({1, 1, 4}, {weight, 0.5, 1 - weight, 0.5}));
}

TEST_F(EvaluateAttention, headsOutsideOfTokens) {
  // Positive queries see the first key alone, negative ones the second.
  Tensor q = Tensor::zeros({2, 4, 2, 1}), k = Tensor::zeros({2, 2, 2, 1});
  Tensor v = Tensor::zeros({2, 2, 2, 2}),
         expected = Tensor::zeros({2, 4, 2, 2});
  for (size_t i = 0; i < k.data.size(); ++i)
    k.data[i] = i % 2 ? -1 : 1;
  for (size_t i = 0; i < v.data.size(); ++i)
    v.data[i] = i + 1;
  for (size_t i = 0; i < q.data.size(); ++i) {
    q.data[i] = i % 3 ? 1000 : -1000;
    // Rows of the query are [b][h][l]; two of its heads read one of the keys.
    size_t row = i / 4 * 2 + (i % 3 ? 0 : 1);
    for (size_t channel : {0, 1})
      expected.data[2 * i + channel] = v.data[2 * row + channel];
  }
  expect(
      R"(func.func @f(%q: tensor<?x4x?x1xf32>, %k: tensor<?x2x?x1xf32>, %v: tensor<?x2x?x2xf32>)
                -> tensor<?x4x?x2xf32> {
              %o = heddle.attention %q, %k, %v heads(4, kv = 2) scale(1.0)
                 : tensor<?x4x?x1xf32>, tensor<?x2x?x1xf32>, tensor<?x2x?x2xf32>
              return %o : tensor<?x4x?x2xf32> })",
      {q, k, v}, expected);
}

//===-- masks -------------------------------------------------------------===//

// With all scores 0 the result is the mean of the values that the mask keeps.
struct MaskCase {
  const char *ops;
  std::vector<double> expected;
};

TEST_F(EvaluateAttention, masks) {
  // Two sequences of two queries; keys 0..3 have the values 1, 10, 100, 1000.
  // %n is [2, -1].
  Value q = Tensor::zeros({2, 2, 1}), k = Tensor::zeros({2, 4, 1});
  Value v = tensor({2, 4, 1}, {1, 10, 100, 1000, 1, 10, 100, 1000});
  Value n = tensor({2}, {2, -1});
  const double all = 1111 / 4.0, three = 111 / 3.0, two = 11 / 2.0;
  const MaskCase cases[] = {
      // Queries 0, 1 of the first sequence see keys up to 2, 3; of the second,
      // up
      // to -1 and 0.
      {"%m = heddle.mask.causal offset(%n : tensor<?xi32>)",
       {three, all, 0, 1}},
      {"%m = heddle.mask.causal align(top_left)", {1, two, 1, two}},
      // The last of two queries sees the last of four keys.
      {"%m = heddle.mask.causal align(bottom_right)", {three, all, three, all}},
      {"%m = heddle.mask.lengths %n : tensor<?xi32>", {two, two, 0, 0}},
      {R"(%a = heddle.mask.causal align(top_left)
          %b = heddle.mask.lengths %n : tensor<?xi32>
          %m = heddle.mask.and %a, %b)",
       {1, two, 0, 0}},
      {R"(%a = heddle.mask.causal align(top_left)
          %b = heddle.mask.lengths %n : tensor<?xi32>
          %m = heddle.mask.or %a, %b)",
       {two, two, 1, two}},
      {R"(%a = heddle.mask.lengths %n : tensor<?xi32>
          %m = heddle.mask.not %a)",
       {550, 550, all, all}},
  };
  for (const MaskCase &test : cases) {
    SCOPED_TRACE(test.ops);
    expect(attentionUnder(test.ops), {q, k, v, n},
           tensor({2, 2, 1}, test.expected));
  }
}

TEST_F(EvaluateAttention, droppedKeysDoNotMatter) {
  // Key 1 is dropped for query 0 and holds NaN, key 2 for both and holds
  // infinity.
  std::string text = attentionUnder("%m = heddle.mask.causal align(top_left)");
  Value n = tensor({1}, {0});
  expect(text,
         {tensor({1, 2, 1}, {1, 1}), tensor({1, 3, 1}, {0, nan, infinity}),
          tensor({1, 3, 1}, {5, nan, -infinity}), n},
         tensor({1, 2, 1}, {5, nan}));
  expect(text,
         {tensor({1, 2, 1}, {nan, 1}), tensor({1, 3, 1}, {0, 0, nan}),
          tensor({1, 3, 1}, {5, 7, nan}), n},
         tensor({1, 2, 1}, {nan, 6}));
}

TEST_F(EvaluateAttention, fullyMaskedRowsAreZero) {
  expect(attentionUnder("%m = heddle.mask.lengths %n : tensor<?xi32>"),
         {tensor({2, 1, 1}, {nan, 1}), tensor({2, 1, 1}, {nan, 1}),
          tensor({2, 1, 1}, {nan, 4}), tensor({2}, {0, 1})},
         tensor({2, 1, 1}, {0, 4}));
  // No keys at all.
  expect(attentionUnder("%m = heddle.mask.causal align(top_left)"),
         {tensor({1, 1, 1}, {1}), Tensor::zeros({1, 0, 1}),
          Tensor::zeros({1, 0, 1}), tensor({1}, {0})},
         tensor({1, 1, 1}, {0}));
}

TEST_F(EvaluateAttention, negative_sizes) {
  std::string text =
      attentionUnder("%m = heddle.mask.lengths %n : tensor<?xi32>");
  Value q = Tensor::zeros({2, 1, 1}), k = Tensor::zeros({2, 3, 1}),
        n = Tensor::zeros({2});
  expectError(text, {q, Tensor::zeros({1, 3, 1}), k, n},
              "expected batch of the key of size 2, found 1");
  expectError(text, {q, k, Tensor::zeros({2, 4, 1}), n},
              "expected length of the value of size 3, found 4");
  expectError(text, {q, k, k, Tensor::zeros({3})},
              "expected batch of the mask of size 2, found 3");
}

//===-- the cache ---------------------------------------------------------===//

const char *const appendAndRead = R"(
  func.func @f(%c: !heddle.cache<2 x 1 x 2 x f32>, %k: tensor<?x?x2xf32>,
               %v: tensor<?x?x2xf32>, %starts: tensor<?xi32>, %lengths: tensor<?xi32>)
      -> (tensor<?x?x2xf32>, tensor<?x?x2xf32>, !heddle.cache<2 x 1 x 2 x f32>) {
    %c1 = heddle.cache.append %c, %k, %v layer(1) at(%starts) lengths(%lengths)
        : !heddle.cache<2 x 1 x 2 x f32>, tensor<?x?x2xf32>, tensor<?x?x2xf32>,
          tensor<?xi32>, tensor<?xi32>
    %rk, %rv = heddle.cache.read %c1 layer(1) : !heddle.cache<2 x 1 x 2 x f32>
    return %rk, %rv, %c1
        : tensor<?x?x2xf32>, tensor<?x?x2xf32>, !heddle.cache<2 x 1 x 2 x f32> })";

TEST_F(EvaluateAttention, cacheAppend) {
  // Capacity 3. The first sequence gets one token at 1, the second two at 0;
  // then the first gets one at 2, the second none.
  CacheView cache = CacheView::create(
      CacheType::get(&context, 2, 1, 2, mlir::Float32Type::get(&context)), 2,
      3);
  Evaluator::Results first =
      run(appendAndRead, {cache, tensor({2, 2, 2}, {1, 2, 3, 4, 5, 6, 7, 8}),
                          tensor({2, 2, 2}, {-1, -2, -3, -4, -5, -6, -7, -8}),
                          tensor({2}, {1, 0}), tensor({2}, {1, 2})});
  ASSERT_EQ(first.size(), 3u);
  expectNear(*first[0].tensor(), tensor({2, 3, 2}, {nan, nan, 1, 2, nan, nan, 5,
                                                    6, 7, 8, nan, nan}));
  expectNear(*first[1].tensor(), tensor({2, 3, 2}, {nan, nan, -1, -2, nan, nan,
                                                    -5, -6, -7, -8, nan, nan}));
  Evaluator::Results second =
      run(appendAndRead,
          {first[2], tensor({2, 1, 2}, {10, 20, 30, 40}),
           Tensor::zeros({2, 1, 2}), tensor({2}, {2, 3}), tensor({2}, {1, 0})});
  ASSERT_EQ(second.size(), 3u);
  expectNear(*second[0].tensor(),
             tensor({2, 3, 2}, {nan, nan, 1, 2, 10, 20, 5, 6, 7, 8, nan, nan}));
  // The other layer has not been touched.
  const CacheStorage &storage = *second[2].cache().storage;
  for (int64_t i = 0; i < storage.index(CachePart::Keys, 1, 0, 0); ++i)
    EXPECT_TRUE(std::isnan(storage.keys[i]));
}

TEST_F(EvaluateAttention, negative_cacheAppend) {
  auto type =
      CacheType::get(&context, 2, 1, 2, mlir::Float32Type::get(&context));
  Value k = Tensor::zeros({1, 2, 2});
  auto cache = [&] { return CacheView::create(type, 1, 3); };
  expectError(appendAndRead,
              {cache(), k, k, tensor({1}, {2}), tensor({1}, {2})},
              "expected positions from 0 to the capacity of 3, found 2 to 4");
  expectError(appendAndRead,
              {cache(), k, k, tensor({1}, {0}), tensor({1}, {3})},
              "expected a length from 0 to 2, found 3");
  expectError(appendAndRead,
              {cache(), k, k, tensor({1}, {0}), Tensor::zeros({2})},
              "expected lengths of size 1, found 2");
  // The layer of a cache that something was appended to since.
  CacheView old = cache();
  run(appendAndRead, {old, k, k, Tensor::zeros({1}), Tensor::zeros({1})});
  expectError(
      appendAndRead, {old, k, k, Tensor::zeros({1}), Tensor::zeros({1})},
      "'heddle.cache.append': expected a cache that nothing was appended "
      "to since, found an older one (layer 1)");
}

TEST_F(EvaluateAttention, negative_readsAnOldCache) {
  auto type =
      CacheType::get(&context, 2, 1, 2, mlir::Float32Type::get(&context));
  const char *append = R"(
    func.func @f(%c: !heddle.cache<2 x 1 x 2 x f32>, %k: tensor<?x?x2xf32>,
                 %n: tensor<?xi32>) -> !heddle.cache<2 x 1 x 2 x f32> {
      %c1 = heddle.cache.append %c, %k, %k layer(LAYER) at(%n) lengths(%n)
          : !heddle.cache<2 x 1 x 2 x f32>, tensor<?x?x2xf32>, tensor<?x?x2xf32>,
            tensor<?xi32>, tensor<?xi32>
      return %c1 : !heddle.cache<2 x 1 x 2 x f32> })";
  const char *read = R"(
    func.func @f(%c: !heddle.cache<2 x 1 x 2 x f32>) -> tensor<?x?x2xf32> {
      %rk, %rv = heddle.cache.read %c layer(1) : !heddle.cache<2 x 1 x 2 x f32>
      return %rk : tensor<?x?x2xf32> })";
  auto appendTo = [&](const char *layer, const CacheView &cache) {
    std::string text = append;
    text.replace(text.find("LAYER"), 5, layer);
    run(text, {cache, Tensor::zeros({1, 1, 2}), Tensor::zeros({1})});
  };
  CacheView old = CacheView::create(type, 1, 1);
  appendTo("1", old);
  expectError(
      read, {old},
      "'heddle.cache.read': expected a cache that nothing was appended to");
  // Another layer of it is as it was.
  old = CacheView::create(type, 1, 1);
  appendTo("0", old);
  expect(read, {old}, tensor({1, 1, 2}, {nan, nan}));
}

} // namespace
} // namespace heddle::reference
