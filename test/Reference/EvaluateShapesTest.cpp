// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Reference/ReferenceTesting.h"

#include <numeric>

namespace heddle::reference {
namespace {

class EvaluateShapes : public EvaluatorTest {};

TEST_F(EvaluateShapes, transpose) {
  expectNear(runOp("transpose %x permutation [2, 0, 1] : tensor<1x2x3xf32> -> "
                   "tensor<3x1x2xf32>",
                   "tensor<3x1x2xf32>", {tensor({1, 2, 3}, {1, 2, 3, 4, 5, 6})},
                   {"tensor<1x2x3xf32>"}),
             tensor({3, 1, 2}, {1, 4, 2, 5, 3, 6}));
}

TEST_F(EvaluateShapes, reshape) {
  expectNear(runOp("reshape %x to [3, -1] : tensor<2x3xf32> -> tensor<3x2xf32>",
                   "tensor<3x2xf32>", {tensor({2, 3}, {1, 2, 3, 4, 5, 6})},
                   {"tensor<2x3xf32>"}),
             tensor({3, 2}, {1, 2, 3, 4, 5, 6}));
}

TEST_F(EvaluateShapes, dimensionsOfSize1) {
  Value x = tensor({2}, {1, 2});
  expectNear(runOp("expand %x axes [0, 2] : tensor<2xf32> -> tensor<1x2x1xf32>",
                   "tensor<1x2x1xf32>", {x}, {"tensor<2xf32>"}),
             tensor({1, 2, 1}, {1, 2}));
  expectNear(
      runOp("squeeze %x axes [0, 2] : tensor<1x2x1xf32> -> tensor<2xf32>",
            "tensor<2xf32>", {tensor({1, 2, 1}, {1, 2})},
            {"tensor<1x2x1xf32>"}),
      tensor({2}, {1, 2}));
}

TEST_F(EvaluateShapes, broadcast) {
  expectNear(runOp("broadcast %x to [2, 2, 3] : tensor<2x1xf32> -> "
                   "tensor<2x2x3xf32>",
                   "tensor<2x2x3xf32>", {tensor({2, 1}, {7, 8})},
                   {"tensor<2x1xf32>"}),
             tensor({2, 2, 3}, {7, 7, 7, 8, 8, 8, 7, 7, 7, 8, 8, 8}));
}

TEST_F(EvaluateShapes, broadcastTensors) {
  std::string text = R"(
    func.func @f(%x: tensor<?x1xf32> {heddle.sizes = ["a"]},
                 %y: tensor<?xf32> {heddle.sizes = ["b"]}) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
      %u, %v = heddle.broadcast_tensors %x, %y
             : tensor<?x1xf32>, tensor<?xf32> -> tensor<?x?xf32>, tensor<?x?xf32>
      return %u, %v : tensor<?x?xf32>, tensor<?x?xf32> })";
  Evaluator::Results results =
      run(text, {tensor({2, 1}, {1, 2}), tensor({3}, {3, 4, 5})});
  ASSERT_EQ(results.size(), 2u);
  expectNear(*results[0].tensor(), tensor({2, 3}, {1, 1, 1, 2, 2, 2}));
  expectNear(*results[1].tensor(), tensor({2, 3}, {3, 4, 5, 3, 4, 5}));
  results = run(text, {tensor({2, 1}, {1, 2}), tensor({0}, {})});
  expectNear(*results[0].tensor(), tensor({2, 0}, {}));
}

TEST_F(EvaluateShapes, broadcastToOtherSizes) {
  expectError(R"(
    func.func @f(%x: tensor<?xf32> {heddle.sizes = ["a"]}, %y: tensor<?xf32> {heddle.sizes = ["b"]})
        -> tensor<?xf32> {
      %u, %v = heddle.broadcast_tensors %x, %y
             : tensor<?xf32>, tensor<?xf32> -> tensor<?xf32>, tensor<?xf32>
      return %v : tensor<?xf32> })",
              {tensor({2}, {1, 2}), tensor({3}, {3, 4, 5})},
              "expected a dimension of 1 or 2 elements, found 3");
}

// Its result is unused, so that no call is refused.
TEST_F(EvaluateShapes, gatherOfNothing) {
  expectNear(runOp("gather %x, %y axis(0) : tensor<0xf32>, tensor<2xi32> -> "
                   "tensor<2xf32>",
                   "tensor<2xf32>", {tensor({0}, {}), tensor({2}, {0, 0})},
                   {"tensor<0xf32>", "tensor<2xi32>"}),
             tensor({2}, {0, 0}));
}

TEST_F(EvaluateShapes, slice) {
  // Rows 1 and 2; columns 3 and 1.
  expectNear(
      runOp("slice %x offsets [1, 3] sizes [2, 2] steps [1, -2] : "
            "tensor<3x4xf32> -> tensor<2x2xf32>",
            "tensor<2x2xf32>",
            {tensor({3, 4}, {0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23})},
            {"tensor<3x4xf32>"}),
      tensor({2, 2}, {13, 11, 23, 21}));
}

TEST_F(EvaluateShapes, concat) {
  expectNear(
      runOp("concat %x, %y axis(1) : tensor<2x1xf32>, tensor<2x2xf32> -> "
            "tensor<2x3xf32>",
            "tensor<2x3xf32>",
            {tensor({2, 1}, {1, 2}), tensor({2, 2}, {3, 4, 5, 6})},
            {"tensor<2x1xf32>", "tensor<2x2xf32>"}),
      tensor({2, 3}, {1, 3, 4, 2, 5, 6}));
}

TEST_F(EvaluateShapes, split) {
  Evaluator::Results results = run(R"(
    func.func @f(%x: tensor<2x3xf32>) -> (tensor<2x1xf32>, tensor<2x2xf32>) {
      %y:2 = heddle.split %x axis(1) sizes [1, 2]
           : tensor<2x3xf32> -> tensor<2x1xf32>, tensor<2x2xf32>
      return %y#0, %y#1 : tensor<2x1xf32>, tensor<2x2xf32> })",
                                   {tensor({2, 3}, {1, 2, 3, 4, 5, 6})});
  ASSERT_EQ(results.size(), 2u);
  expectNear(*results[0].tensor(), tensor({2, 1}, {1, 4}));
  expectNear(*results[1].tensor(), tensor({2, 2}, {2, 3, 5, 6}));
}

TEST_F(EvaluateShapes, splitWithTooLittleLeft) {
  expectError(R"(
    func.func @f(%x: tensor<3xf32>, %y: tensor<?xf32> {heddle.sizes = ["n"]}) -> tensor<?xf32> {
      %z:2 = heddle.split %x axis(0) sizes ["n", "3 - n"]
           : tensor<3xf32> -> tensor<?xf32>, tensor<?xf32>
      return %z#1 : tensor<?xf32> })",
              {tensor({3}, {1, 2, 3}), tensor({4}, {1, 2, 3, 4})},
              "expected parts of 0 elements or more, found -1");
}

TEST_F(EvaluateShapes, pad) {
  // A row before, a column after.
  expectNear(runOp("pad %x low [1, 0] high [0, 1] value(9.0 : f32) : "
                   "tensor<1x2xf32> -> tensor<2x3xf32>",
                   "tensor<2x3xf32>", {tensor({1, 2}, {1, 2})},
                   {"tensor<1x2xf32>"}),
             tensor({2, 3}, {9, 9, 9, 1, 2, 9}));
}

TEST_F(EvaluateShapes, gather) {
  // Columns 2, 0 and, as indices are clamped, 2 and 0 again.
  expectNear(
      runOp("gather %x, %y axis(1) : tensor<2x3xf32>, tensor<2x2xi32> "
            "-> tensor<2x2x2xf32>",
            "tensor<2x2x2xf32>",
            {tensor({2, 3}, {1, 2, 3, 4, 5, 6}), tensor({2, 2}, {2, 0, 7, -1})},
            {"tensor<2x3xf32>", "tensor<2x2xi32>"}),
      tensor({2, 2, 2}, {3, 1, 3, 1, 6, 4, 6, 4}));
}

TEST_F(EvaluateShapes, gatherWraps) {
  // -1 is the last row and -3 the first; what lies before that is clamped.
  expectNear(
      runOp("gather %x, %y axis(0) wrap : tensor<3xf32>, tensor<4xi64> -> "
            "tensor<4xf32>",
            "tensor<4xf32>",
            {tensor({3}, {1, 2, 3}), tensor({4}, {-1, -3, -4, 3})},
            {"tensor<3xf32>", "tensor<4xi64>"}),
      tensor({4}, {3, 1, 1, 3}));
}

TEST_F(EvaluateShapes, gatherOfCoordinates) {
  // Of each of two matrices, elements (1, 2), (0, 0) and, clamped, (1, 0).
  const char *types[] = {"tensor<2x2x3xf32>", "tensor<3x2xi32>"};
  std::vector<double> x(12);
  std::iota(x.begin(), x.end(), 0);
  expectNear(runOp("gather %x, %y axis(1) coordinates(2) : tensor<2x2x3xf32>, "
                   "tensor<3x2xi32> -> tensor<2x3xf32>",
                   "tensor<2x3xf32>",
                   {tensor({2, 2, 3}, x), tensor({3, 2}, {1, 2, 0, 0, 7, -1})},
                   types),
             tensor({2, 3}, {5, 0, 3, 11, 6, 9}));
  // The last row of matrix 1.
  types[1] = "tensor<2xi32>";
  expectNear(runOp("gather %x, %y axis(0) coordinates(2) wrap : "
                   "tensor<2x2x3xf32>, tensor<2xi32> -> tensor<3xf32>",
                   "tensor<3xf32>",
                   {tensor({2, 2, 3}, x), tensor({2}, {1, -1})}, types),
             tensor({3}, {9, 10, 11}));
}

TEST_F(EvaluateShapes, gatherElements) {
  expectNear(
      runOp("gather_elements %x, %y axis(1) : tensor<2x3xf32>, "
            "tensor<2x2xi32> -> tensor<2x2xf32>",
            "tensor<2x2xf32>",
            {tensor({2, 3}, {1, 2, 3, 4, 5, 6}), tensor({2, 2}, {2, 0, 1, 9})},
            {"tensor<2x3xf32>", "tensor<2x2xi32>"}),
      tensor({2, 2}, {3, 1, 5, 6}));
  expectNear(runOp("gather_elements %x, %y axis(0) wrap : tensor<2x2xf32>, "
                   "tensor<1x2xi32> -> tensor<1x2xf32>",
                   "tensor<1x2xf32>",
                   {tensor({2, 2}, {1, 2, 3, 4}), tensor({1, 2}, {-1, -2})},
                   {"tensor<2x2xf32>", "tensor<1x2xi32>"}),
             tensor({1, 2}, {3, 2}));
}

TEST_F(EvaluateShapes, where) {
  expectNear(runOp("where %x, %y, %z : tensor<2x1xi1>, tensor<2x2xf32>, "
                   "tensor<2xf32> -> tensor<2x2xf32>",
                   "tensor<2x2xf32>",
                   {tensor({2, 1}, {1, 0}), tensor({2, 2}, {1, 2, 3, 4}),
                    tensor({2}, {8, 9})},
                   {"tensor<2x1xi1>", "tensor<2x2xf32>", "tensor<2xf32>"}),
             tensor({2, 2}, {1, 2, 8, 9}));
}

TEST_F(EvaluateShapes, integersOf64Bits) {
  Tensor x = tensor({2}, {0, 0});
  x.integers = {INT64_MAX, INT64_MIN + 1};
  Tensor y = runOp("slice %x offsets [1] sizes [2] steps [-1] : tensor<2xi64> "
                   "-> tensor<2xi64>",
                   "tensor<2xi64>", {x}, {"tensor<2xi64>"});
  EXPECT_EQ(y.integers, (std::vector<int64_t>{INT64_MIN + 1, INT64_MAX}));
}

} // namespace
} // namespace heddle::reference
