// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pages, rings, elements of i8 and chosen positions; EvaluateAttentionTest has
// caches as they are.

#include "test/Reference/ReferenceTesting.h"

#include "mlir/AsmParser/AsmParser.h"

namespace heddle::reference {
namespace {

class EvaluateCaches : public EvaluatorTest {
protected:
  CacheType typeOf(const std::string &text) {
    return llvm::cast<CacheType>(
        mlir::parseType("!heddle.cache<" + text + ">", &context));
  }
};

const double nothing = nan; ///< a position that was never appended

//===-- Pages -------------------------------------------------------------===//

TEST_F(EvaluateCaches, positionsLieInPages) {
  // Three pages of two positions. Sequence 0 has pages 2 and 0, sequence 1 page
  // 1 and, not used yet, page 0. Tokens 1, 2, 3 of sequence 0 go to positions
  // 1, 2 and 3, token 4 of sequence 1 to position 0; 5 and 6 are past its
  // length.
  const char *text = R"(
    func.func @f(%c: !heddle.cache<1 x 1 x 1 x f32>, %k: tensor<?x?x1xf32>,
                 %v: tensor<?x?x1xf32>, %starts: tensor<?xi32>, %lengths: tensor<?xi32>,
                 %table: tensor<?x?xi32>)
        -> (tensor<?x?x1xf32>, tensor<?x?x1xf32>, tensor<?x?x1xf32>) {
      %c1 = heddle.cache.append %c, %k, %v layer(0) at(%starts) lengths(%lengths)
            pages(%table : tensor<?x?xi32>)
          : !heddle.cache<1 x 1 x 1 x f32>, tensor<?x?x1xf32>, tensor<?x?x1xf32>,
            tensor<?xi32>, tensor<?xi32>
      %k1, %v1 = heddle.cache.read %c1 layer(0) pages(%table : tensor<?x?xi32>)
               : !heddle.cache<1 x 1 x 1 x f32>
      %k2, %v2 = heddle.cache.read %c1 layer(0) : !heddle.cache<1 x 1 x 1 x f32>
      return %k1, %v1, %k2 : tensor<?x?x1xf32>, tensor<?x?x1xf32>, tensor<?x?x1xf32> })";
  Value keys = tensor({2, 3, 1}, {1, 2, 3, 4, 5, 6});
  Value values = tensor({2, 3, 1}, {10, 20, 30, 40, 50, 60});
  Value starts = tensor({2}, {1, 0}), lengths = tensor({2}, {3, 1});
  auto cache = [&] {
    return CacheView::create(typeOf("1 x 1 x 1 x f32"), 3, 2);
  };
  Evaluator::Results results =
      run(text, {cache(), keys, values, starts, lengths,
                 tensor({2, 2}, {2, 0, 1, 0})});
  ASSERT_EQ(results.size(), 3u);
  expectNear(*results[0].tensor(),
             tensor({2, 4, 1}, {nothing, 1, 2, 3, 4, nothing, 2, 3}));
  expectNear(*results[1].tensor(),
             tensor({2, 4, 1}, {nothing, 10, 20, 30, 40, nothing, 20, 30}));
  // Page after page.
  expectNear(*results[2].tensor(),
             tensor({3, 2, 1}, {2, 3, 4, nothing, nothing, 1}));
  expectError(
      text,
      {cache(), keys, values, starts, lengths, tensor({2, 2}, {2, 3, 1, 0})},
      "'heddle.cache.append': expected pages from 0 to 2, found 3");
}

//===-- Rings -------------------------------------------------------------===//

TEST_F(EvaluateCaches, positionsOfARingReplaceEarlierOnes) {
  // A capacity of 5 is rounded up to 32 positions: 28 to 30 lie there, and 31,
  // 32 and 33 at 31, 0 and 1. A query sees itself and two positions before it,
  // whose mean it gives.
  CacheType type = typeOf("1 x 1 x 1 x f32");
  const char *text = R"(
    func.func @f(%c: !heddle.cache<1 x 1 x 1 x f32>, %k: tensor<1x3x1xf32>,
                 %starts: tensor<1xi32>, %lengths: tensor<1xi32>)
        -> (tensor<1x3x1xf32>, !heddle.cache<1 x 1 x 1 x f32>) {
      %c1 = heddle.cache.append %c, %k, %k layer(0) at(%starts) lengths(%lengths) ring
          : !heddle.cache<1 x 1 x 1 x f32>, tensor<1x3x1xf32>, tensor<1x3x1xf32>,
            tensor<1xi32>, tensor<1xi32>
      %k1, %v1 = heddle.cache.read %c1 layer(0) ring(35) : !heddle.cache<1 x 1 x 1 x f32>
      %window = heddle.mask.window left(2) right(0) offset(%starts : tensor<1xi32>)
      %o = heddle.attention %k, %k1, %v1 mask(%window) heads(1, kv = 1) scale(0.0)
         : tensor<1x3x1xf32>, tensor<?x35x1xf32>, tensor<?x35x1xf32>
      return %o, %c1 : tensor<1x3x1xf32>, !heddle.cache<1 x 1 x 1 x f32> })";
  Value lengths = tensor({1}, {3});
  Evaluator::Results first =
      run(text, {CacheView::create(type, 1, 5), tensor({1, 3, 1}, {1, 2, 3}),
                 tensor({1}, {28}), lengths});
  ASSERT_EQ(first.size(), 2u);
  Evaluator::Results second = run(text, {first[1], tensor({1, 3, 1}, {7, 8, 9}),
                                         tensor({1}, {31}), lengths});
  ASSERT_EQ(second.size(), 2u);
  expectNear(*second[0].tensor(), tensor({1, 3, 1}, {4, 6, 8}));
  const std::vector<double> &keys = second[1].cache().storage->keys;
  ASSERT_EQ(keys.size(), 32u);
  EXPECT_EQ(keys[30], 3);
  EXPECT_EQ(keys[31], 7);
  EXPECT_EQ(keys[0], 8);
  EXPECT_EQ(keys[1], 9);
  EXPECT_TRUE(std::isnan(keys[2]));
}

//===-- Elements of i8 ----------------------------------------------------===//

TEST_F(EvaluateCaches, elementsOfI8) {
  // Heads of four channels, a token each. Their scales are 127 / 127, 1 as of
  // zeros, 254 / 127 without the NaN, and the largest of all.
  double least = std::numeric_limits<float>::min();
  Value keys =
      tensor({1, 6, 4}, {127,      -63.5, 0.5,       2.5, // half to even
                         0,        0,     0,         0,   //
                         nan,      254,   -1,        3,   //
                         infinity, 1,     -infinity, 0,   //
                         least,    0,     0,         0,   // s is 1
                         nan,      nan,   nan,       nan});
  Evaluator::Results results =
      run(R"(
    func.func @f(%c: !heddle.cache<1 x 1 x 4 x i8>, %k: tensor<?x?x4xf32>,
                 %starts: tensor<?xi32>, %lengths: tensor<?xi32>) -> tensor<?x?x4xf32> {
      %c1 = heddle.cache.append %c, %k, %k layer(0) at(%starts) lengths(%lengths)
          : !heddle.cache<1 x 1 x 4 x i8>, tensor<?x?x4xf32>, tensor<?x?x4xf32>,
            tensor<?xi32>, tensor<?xi32>
      %k1, %v1 = heddle.cache.read %c1 layer(0) : !heddle.cache<1 x 1 x 4 x i8>
      return %k1 : tensor<?x?x4xf32> })",
          {CacheView::create(typeOf("1 x 1 x 4 x i8"), 1, 6), keys,
           tensor({1}, {0}), tensor({1}, {6})});
  ASSERT_EQ(results.size(), 1u);
  double most = 127 * 0x1.020406p+121;
  expectNear(*results[0].tensor(), tensor({1, 6, 4}, {127,  -64, 0,     2, //
                                                      0,    0,   0,     0, //
                                                      0,    254, 0,     4, //
                                                      most, 0,   -most, 0, //
                                                      0,    0,   0,     0, //
                                                      0,    0,   0,     0}));
}

TEST_F(EvaluateCaches, headsHaveTheirOwnScales) {
  // Two heads of two channels: scales 1 and 10. Values of bf16: 1 + 2^-8 is 1.
  Evaluator::Results results =
      run(R"(
    func.func @f(%c: !heddle.cache<1 x 2 x 2 x i8, values 2 x bf16>, %k: tensor<?x?x4xf32>,
                 %v: tensor<?x?x4xf32>, %starts: tensor<?xi32>, %lengths: tensor<?xi32>)
        -> (tensor<?x?x4xf32>, tensor<?x?x4xf32>) {
      %c1 = heddle.cache.append %c, %k, %v layer(0) at(%starts) lengths(%lengths)
          : !heddle.cache<1 x 2 x 2 x i8, values 2 x bf16>, tensor<?x?x4xf32>, tensor<?x?x4xf32>,
            tensor<?xi32>, tensor<?xi32>
      %k1, %v1 = heddle.cache.read %c1 layer(0) : !heddle.cache<1 x 2 x 2 x i8, values 2 x bf16>
      return %k1, %v1 : tensor<?x?x4xf32>, tensor<?x?x4xf32> })",
          {CacheView::create(typeOf("1 x 2 x 2 x i8, values 2 x bf16"), 1, 1),
           tensor({1, 1, 4}, {127, 3.4, 1270, 34}),
           tensor({1, 1, 4}, {1.00390625, 1.01171875, infinity, nan}),
           tensor({1}, {0}), tensor({1}, {1})});
  ASSERT_EQ(results.size(), 2u);
  expectNear(*results[0].tensor(), tensor({1, 1, 4}, {127, 3, 1270, 30}));
  EXPECT_EQ(results[1].tensor()->data[2], infinity);
  Tensor values = *results[1].tensor();
  values.data[2] = 0;
  expectNear(values, tensor({1, 1, 4}, {1, 1.015625, 0, nan}));
}

TEST_F(EvaluateCaches, elementsThatAreQuantizedAlready) {
  // q * s, with a scale for each head of each token; NaN scales what it scales.
  Evaluator::Results results =
      run(R"(
    func.func @f(%c: !heddle.cache<1 x 2 x 2 x i8>, %k: tensor<?x?x4xi8>,
                 %s: tensor<?x?x2xf32>, %starts: tensor<?xi32>, %lengths: tensor<?xi32>)
        -> tensor<?x?x4xf32> {
      %c1 = heddle.cache.append %c, %k, %k layer(0) at(%starts) lengths(%lengths)
            key_scales(%s : tensor<?x?x2xf32>) value_scales(%s : tensor<?x?x2xf32>)
          : !heddle.cache<1 x 2 x 2 x i8>, tensor<?x?x4xi8>, tensor<?x?x4xi8>,
            tensor<?xi32>, tensor<?xi32>
      %k1, %v1 = heddle.cache.read %c1 layer(0) : !heddle.cache<1 x 2 x 2 x i8>
      return %v1 : tensor<?x?x4xf32> })",
          {CacheView::create(typeOf("1 x 2 x 2 x i8"), 1, 2),
           tensor({1, 2, 4}, {127, -3, 0, 5, 1, 2, 3, 4}),
           tensor({1, 2, 2}, {0.5, 10, nan, 1}), tensor({1}, {0}),
           tensor({1}, {2})});
  ASSERT_EQ(results.size(), 1u);
  expectNear(*results[0].tensor(),
             tensor({1, 2, 4}, {63.5, -1.5, 0, 50, nan, nan, 3, 4}));
}

//===-- heddle.cache.select -----------------------------------------------===//

TEST_F(EvaluateCaches, selectMovesPositionsOfAllLayers) {
  // Two layers of two sequences of three positions. Sequence 0 goes on from
  // sequence 1, with its positions 2 and 0, and sequence 1 from 0, with 1; what
  // is past the length of a sequence is not looked at here.
  const char *text = R"(
    func.func @f(%c: !heddle.cache<2 x 1 x 1 x f32>, %p: tensor<?x?xi32>, %n: tensor<?xi32>,
                 %s: tensor<?xi32>) -> (tensor<?x?x1xf32>, tensor<?x?x1xf32>) {
      %c1 = heddle.cache.select %c positions(%p) lengths(%n) sequences(%s : tensor<?xi32>)
          : !heddle.cache<2 x 1 x 1 x f32>, tensor<?x?xi32>, tensor<?xi32>
      %k1, %v1 = heddle.cache.read %c1 layer(0) : !heddle.cache<2 x 1 x 1 x f32>
      %k2, %v2 = heddle.cache.read %c1 layer(1) : !heddle.cache<2 x 1 x 1 x f32>
      return %k1, %v2 : tensor<?x?x1xf32>, tensor<?x?x1xf32> })";
  auto cache = [&] {
    CacheView view = CacheView::create(typeOf("2 x 1 x 1 x f32"), 2, 3);
    CacheStorage &storage = *view.storage;
    for (int layer : {0, 1})
      for (int b : {0, 1})
        for (int p : {0, 1, 2})
          for (CachePart part : {CachePart::Keys, CachePart::Values})
            storage.part(part)[storage.index(part, layer, b, p)] =
                1000 * int(part == CachePart::Values) + 100 * layer + 10 * b +
                p;
    return view;
  };
  auto expectKept = [&](llvm::ArrayRef<Value> operands,
                        std::vector<double> expected) {
    llvm::SmallVector<Value> arguments{cache()};
    arguments.append(operands.begin(), operands.end());
    Evaluator::Results results = run(text, arguments);
    ASSERT_EQ(results.size(), 2u);
    for (size_t element : {0, 1, 3}) {
      EXPECT_EQ(results[0].tensor()->data[element], expected[element]);
      EXPECT_EQ(results[1].tensor()->data[element], 1100 + expected[element]);
    }
  };
  Value lengths = tensor({2}, {2, 1});
  expectKept({tensor({2, 2}, {2, 0, 1, 0}), lengths, tensor({2}, {1, 0})},
             {12, 10, 0, 1});
  // Indices are clamped to what there is.
  expectKept({tensor({2, 2}, {-5, 99, 3, 0}), lengths, tensor({2}, {7, -1})},
             {10, 12, 0, 2});
  expectError(text,
              {cache(), tensor({2, 2}, {0, 0, 0, 0}), tensor({2}, {3, 0}),
               tensor({2}, {0, 1})},
              "'heddle.cache.select': expected a length from 0 to 2, found 3");
}

TEST_F(EvaluateCaches, selectEndsTheCacheThatItChanges) {
  CacheView old = CacheView::create(typeOf("1 x 1 x 1 x f32"), 1, 2);
  const char *text = R"(
    func.func @f(%c: !heddle.cache<1 x 1 x 1 x f32>, %p: tensor<?x?xi32>, %n: tensor<?xi32>)
        -> !heddle.cache<1 x 1 x 1 x f32> {
      %c1 = heddle.cache.select %c positions(%p) lengths(%n)
          : !heddle.cache<1 x 1 x 1 x f32>, tensor<?x?xi32>, tensor<?xi32>
      return %c1 : !heddle.cache<1 x 1 x 1 x f32> })";
  Value position = tensor({1, 1}, {0}), length = tensor({1}, {1});
  run(text, {old, position, length});
  expectError(text, {old, position, length},
              "'heddle.cache.select': expected a cache that nothing was "
              "appended to since");
}

TEST_F(EvaluateCaches, selectKeepsElementsOfI8) {
  // 127 s is the largest of its head, so that the new scale is the old one.
  CacheView cache = CacheView::create(typeOf("1 x 1 x 2 x i8"), 1, 2);
  cache.storage->keys.assign({12.7, 0.3, 0, 0});
  cache.storage->keys.resize(64, nothing);
  Evaluator::Results results =
      run(R"(
    func.func @f(%c: !heddle.cache<1 x 1 x 2 x i8>, %p: tensor<?x?xi32>, %n: tensor<?xi32>)
        -> tensor<?x?x2xf32> {
      %c1 = heddle.cache.select %c positions(%p) lengths(%n)
          : !heddle.cache<1 x 1 x 2 x i8>, tensor<?x?xi32>, tensor<?xi32>
      %k, %v = heddle.cache.read %c1 layer(0) : !heddle.cache<1 x 1 x 2 x i8>
      return %k : tensor<?x?x2xf32> })",
          {cache, tensor({1, 2}, {1, 0}), tensor({1}, {2})});
  ASSERT_EQ(results.size(), 1u);
  expectNear(*results[0].tensor(), tensor({1, 2, 2}, {0, 0, 12.7, 0.3}));
}

} // namespace
} // namespace heddle::reference
