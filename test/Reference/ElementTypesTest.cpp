// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Elements of other types than f32: how they are rounded and compared, and how
// far they may be off.

#include "compiler/Reference/Perturbation.h"
#include "test/Reference/BoundsTesting.h"

#include "gmock/gmock.h"

namespace heddle::reference {
namespace {

using testing::ElementsAre;

class ElementTypes : public BoundsTest {
protected:
  std::vector<double> valuesOf(const std::string &text,
                               llvm::ArrayRef<Value> arguments) {
    return run(text, arguments)[0].tensor()->data;
  }

  static std::string binary(const std::string &op, const std::string &type,
                            const std::string &result) {
    return "func.func @f(%x: " + type + ", %y: " + type + ") -> " + result +
           " {\n  %z = " + op + " %x, %y : " + type +
           "\n  return %z : " + result + "\n}";
  }
};

// Of 8 significant bits, the last one of 1 to 2 is 2^-7.
TEST_F(ElementTypes, ResultsAreRoundedOnce) {
  std::string text = binary("arith.addf", "tensor<4xbf16>", "tensor<4xbf16>");
  Tensor x = tensor({4}, {1, 1, 1, 1 + 0x1p-7});
  Tensor y = tensor({4}, {0x1p-9, 0x1p-8, 0x1.8p-8, 0x1p-8});
  EXPECT_THAT(boundsOf(text, {x, y}), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(results[0].tensor()->data,
              ElementsAre(1, 1, 1 + 0x1p-7, 1 + 0x1p-6));
}

// x / 3 is 1.00390625, half way between two numbers, or 2, or 1 + 2^-20.
TEST_F(ElementTypes, AnErrorIsFollowedThroughRounding) {
  EXPECT_THAT(boundsOf(R"(
    func.func @f(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xbf16> {
      %q = arith.divf %x, %y : tensor<3xf32>
      %z = arith.truncf %q : tensor<3xf32> to tensor<3xbf16>
      return %z : tensor<3xbf16>
    })",
                       {tensor({3}, {3 + 0x1.8p-7, 6, 3 + 0x1.8p-19}),
                        tensor({3}, {3, 3, 3})}),
              ElementsAre(0x1p-7, 0, 0));
}

TEST_F(ElementTypes, RoundingsOfAWholeModelGoEitherWay) {
  bounds = ErrorBounds(Rounding::ToEither);
  std::string text = binary("arith.addf", "tensor<1xbf16>", "tensor<1xbf16>");
  EXPECT_THAT(boundsOf(text, {tensor({1}, {3}), tensor({1}, {5})}),
              ElementsAre(8 * 0x1p-8));
}

// x / 3 is 1, which may have become 0.99, 1.5 and 2 less 2^-30.
TEST_F(ElementTypes, IntegersFollowTheFloatsThatDecideThem) {
  EXPECT_THAT(boundsOf(R"(
    func.func @f(%x: tensor<3xf32>, %y: tensor<3xf32>) -> tensor<3xi64> {
      %q = arith.divf %x, %y : tensor<3xf32>
      %i = arith.fptosi %q : tensor<3xf32> to tensor<3xi8>
      %z = arith.extsi %i : tensor<3xi8> to tensor<3xi64>
      return %z : tensor<3xi64>
    })",
                       {tensor({3}, {3, 4.5, 6}), tensor({3}, {3, 3, 3})}),
              ElementsAre(1, 0, 1));
  EXPECT_THAT(results[0].tensor()->data, ElementsAre(1, 1, 2));
}

TEST_F(ElementTypes, ComparisonsOfEachPredicate) {
  struct {
    const char *predicate;
    std::vector<double> expected; ///< of less, equal, greater and NaN
  } cases[] = {
      {"false", {0, 0, 0, 0}}, {"oeq", {0, 1, 0, 0}}, {"ogt", {0, 0, 1, 0}},
      {"oge", {0, 1, 1, 0}},   {"olt", {1, 0, 0, 0}}, {"ole", {1, 1, 0, 0}},
      {"one", {1, 0, 1, 0}},   {"ord", {1, 1, 1, 0}}, {"ueq", {0, 1, 0, 1}},
      {"ugt", {0, 0, 1, 1}},   {"uge", {0, 1, 1, 1}}, {"ult", {1, 0, 0, 1}},
      {"ule", {1, 1, 0, 1}},   {"une", {1, 0, 1, 1}}, {"uno", {0, 0, 0, 1}},
      {"true", {1, 1, 1, 1}}};
  for (const auto &[predicate, expected] : cases)
    EXPECT_EQ(
        valuesOf(binary("arith.cmpf " + std::string(predicate) + ",",
                        "tensor<4xf32>", "tensor<4xi1>"),
                 {tensor({4}, {1, 2, 3, nan}), tensor({4}, {2, 2, 2, 2})}),
        expected)
        << predicate;
}

// A double holds integers up to 2^53.
TEST_F(ElementTypes, WideIntegersAreExact) {
  auto results = run(R"(
    func.func @f(%x: tensor<2xi64>) -> tensor<2xi64> {
      %c = arith.constant dense<[9007199254740993, 1]> : tensor<2xi64>
      %0 = heddle.generic over [2] ins(%x, %c : tensor<2xi64>, tensor<2xi64>)
          maps [affine_map<(i) -> (i)>, affine_map<(i) -> (i)>] {
      ^bb0(%a: i64, %b: i64):
        %1 = arith.addi %a, %b : i64
        heddle.yield %1 : i64
      } : tensor<2xi64>
      %y = arith.muli %0, %x : tensor<2xi64>
      return %y : tensor<2xi64>
    })",
                     {tensor({2}, {1, 4294967296.0})});
  EXPECT_EQ(results[0].tensor()->integers,
            (std::vector<int64_t>{9007199254740994, 4294967296}));
}

TEST(ToleranceOfIntegers, OnlyThoseThatMovedMayBeOff) {
  EXPECT_THAT(tolerancesOfIntegers({1, 2, 3, 9}, {1, 3, 3, 7}),
              ElementsAre(0, 4, 0, std::numeric_limits<double>::infinity()));
}

} // namespace
} // namespace heddle::reference
