// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions, products, and what is made of indices.

#include "test/Reference/ReferenceTesting.h"

namespace heddle::reference {
namespace {

class EvaluateTensors : public EvaluatorTest {
protected:
  Tensor reduce(const std::string &kind, Value x) {
    return runOp("reduce " + kind +
                     " %x axes [1] : tensor<2x3xf32> -> tensor<2xf32>",
                 "tensor<2xf32>", {x}, {"tensor<2x3xf32>"});
  }
};

//===-- Reductions --------------------------------------------------------===//

TEST_F(EvaluateTensors, reductions) {
  Value x = tensor({2, 3}, {1, 2, -6, 2, 3, 6});
  expectNear(reduce("sum", x), tensor({2}, {-3, 11}));
  expectNear(reduce("mean", x), tensor({2}, {-1, 11.0 / 3}));
  expectNear(reduce("product", x), tensor({2}, {-12, 36}));
  expectNear(reduce("max", x), tensor({2}, {2, 6}));
  expectNear(reduce("min", x), tensor({2}, {-6, 2}));
  expectNear(reduce("l2", x), tensor({2}, {std::sqrt(41), 7}));
  expectNear(reduce("max", tensor({2, 3}, {1, nan, 2, 3, 3, 3})),
             tensor({2}, {nan, 3}));
  expectNear(reduce("min", tensor({2, 3}, {1, 2, nan, nan, 3, 3})),
             tensor({2}, {nan, nan}));
}

TEST_F(EvaluateTensors, logSumExp) {
  // 1 + 1 + 2 times exp(1000).
  double two = std::log(2);
  Tensor y =
      reduce("log_sum_exp", tensor({2, 3}, {1000, 1000, 1000 + two, -infinity,
                                            -infinity, -infinity}));
  EXPECT_NEAR(y.data[0], 1000 + 2 * two, 1e-12);
  EXPECT_EQ(y.data[1], -infinity);
}

TEST_F(EvaluateTensors, reductionsKeepSizes) {
  expectNear(runOp("reduce sum %x axes [0, 2] keep_sizes : tensor<2x2x2xf32> "
                   "-> tensor<1x2x1xf32>",
                   "tensor<1x2x1xf32>",
                   {tensor({2, 2, 2}, {1, 2, 3, 4, 10, 20, 30, 40})},
                   {"tensor<2x2x2xf32>"}),
             tensor({1, 2, 1}, {33, 77}));
}

TEST_F(EvaluateTensors, reductionsOfIntegers) {
  auto reduceIntegers = [&](const std::string &kind, Value x) {
    return runOp("reduce " + kind + " %x axes [0] : tensor<3xi8> -> tensor<i8>",
                 "tensor<i8>", {x}, {"tensor<3xi8>"})
        .data[0];
  };
  Value x = tensor({3}, {100, 100, -3});
  EXPECT_EQ(reduceIntegers("sum", x), 197 - 256);
  EXPECT_EQ(reduceIntegers("product", tensor({3}, {100, 3, -1})), 256 - 300);
  EXPECT_EQ(reduceIntegers("max", x), 100);
  EXPECT_EQ(reduceIntegers("min", x), -3);
  auto reduceFlags = [&](const std::string &kind, Value flags) {
    return runOp("reduce " + kind + " %x axes [0] : tensor<2xi1> -> tensor<i1>",
                 "tensor<i1>", {flags}, {"tensor<2xi1>"})
        .data[0];
  };
  EXPECT_EQ(reduceFlags("any", tensor({2}, {0, 1})), 1);
  EXPECT_EQ(reduceFlags("any", tensor({2}, {0, 0})), 0);
  EXPECT_EQ(reduceFlags("all", tensor({2}, {0, 1})), 0);
  EXPECT_EQ(reduceFlags("all", tensor({2}, {1, 1})), 1);
}

TEST_F(EvaluateTensors, sumsOfBF16AreRoundedOnce) {
  // 256 + 1 + 1 is 258; 256 + 1 alone would be 256 again.
  expectNear(runOp("reduce sum %x axes [0] : tensor<3xbf16> -> tensor<bf16>",
                   "tensor<bf16>", {tensor({3}, {256, 1, 1})},
                   {"tensor<3xbf16>"}),
             tensor({}, {258}));
}

TEST_F(EvaluateTensors, argReduce) {
  Value x = tensor({2, 3}, {1, 5, 5, nan, 9, nan});
  auto find = [&](const std::string &kind) {
    return runOp("arg_reduce " + kind +
                     " %x axis(1) : tensor<2x3xf32> -> tensor<2xi32>",
                 "tensor<2xi32>", {x}, {"tensor<2x3xf32>"});
  };
  expectNear(find("max"), tensor({2}, {1, 0}));
  expectNear(find("min"), tensor({2}, {0, 0}));
}

TEST_F(EvaluateTensors, topK) {
  Evaluator::Results results = run(R"(
    func.func @f(%x: tensor<2x4xf32>) -> (tensor<2x3xf32>, tensor<2x3xi32>) {
      %v, %i = heddle.top_k %x axis(1) k(3) : tensor<2x4xf32> -> tensor<2x3xf32>, tensor<2x3xi32>
      return %v, %i : tensor<2x3xf32>, tensor<2x3xi32> })",
                                   {tensor({2, 4}, {3, 5, 3, 4, //
                                                    1, nan, 2, infinity})});
  ASSERT_EQ(results.size(), 2u);
  EXPECT_EQ(results[1].tensor()->data, (std::vector<double>{1, 3, 0, 1, 3, 2}));
  Tensor values = *results[0].tensor();
  EXPECT_EQ(values.data[4], infinity);
  values.data[4] = 0;
  expectNear(values, tensor({2, 3}, {5, 4, 3, nan, 0, 2}));
}

TEST_F(EvaluateTensors, topKSmallest) {
  // Along the first dimension; NaN comes first, and of equal elements the
  // first.
  Evaluator::Results results = run(R"(
    func.func @f(%x: tensor<3x2xf32>) -> (tensor<2x2xf32>, tensor<2x2xi64>) {
      %v, %i = heddle.top_k %x axis(0) k(2) smallest : tensor<3x2xf32> -> tensor<2x2xf32>, tensor<2x2xi64>
      return %v, %i : tensor<2x2xf32>, tensor<2x2xi64> })",
                                   {tensor({3, 2}, {3, 4, //
                                                    3, 2, //
                                                    5, nan})});
  ASSERT_EQ(results.size(), 2u);
  expectNear(*results[0].tensor(), tensor({2, 2}, {3, nan, 3, 2}));
  EXPECT_EQ(results[1].tensor()->integers, (std::vector<int64_t>{0, 2, 1, 1}));
}

TEST_F(EvaluateTensors, topKOfASize) {
  Evaluator::Results results = run(R"mlir(
    func.func @f(%x: tensor<2x?xf32> {heddle.sizes = ["n"]}) -> (tensor<2x?xf32>, tensor<2x?xi32>) {
      %v, %i = heddle.top_k %x axis(1) k("min(n, 3)") : tensor<2x?xf32> -> tensor<2x?xf32>, tensor<2x?xi32>
      return %v, %i : tensor<2x?xf32>, tensor<2x?xi32> })mlir",
                                   {tensor({2, 2}, {1, 2, 4, 3})});
  ASSERT_EQ(results.size(), 2u);
  expectNear(*results[0].tensor(), tensor({2, 2}, {2, 1, 4, 3}));
  expectNear(*results[1].tensor(), tensor({2, 2}, {1, 0, 0, 1}));
}

TEST_F(EvaluateTensors, cumulativeSum) {
  auto sum = [&](const std::string &options) {
    return runOp("cumulative_sum %x axis(0) " + options + " : tensor<3x2xf32>",
                 "tensor<3x2xf32>", {tensor({3, 2}, {1, 10, 2, 20, 4, 40})},
                 {"tensor<3x2xf32>"});
  };
  expectNear(sum(""), tensor({3, 2}, {1, 10, 3, 30, 7, 70}));
  expectNear(sum("exclusive"), tensor({3, 2}, {0, 0, 1, 10, 3, 30}));
  expectNear(sum("reverse"), tensor({3, 2}, {7, 70, 6, 60, 4, 40}));
  expectNear(sum("exclusive reverse"), tensor({3, 2}, {6, 60, 4, 40, 0, 0}));
  expectNear(runOp("cumulative_sum %x axis(0) : tensor<3xi8>", "tensor<3xi8>",
                   {tensor({3}, {100, 27, 1})}, {"tensor<3xi8>"}),
             tensor({3}, {100, 127, -128}));
}

TEST_F(EvaluateTensors, softmax) {
  // Along the first dimension: weights 1 : 3, and 1 : 0.
  double three = std::log(3);
  Value x = tensor({2, 2}, {500, 1, 500 + three, -infinity});
  expectNear(runOp("softmax %x axis(0) : tensor<2x2xf32>", "tensor<2x2xf32>",
                   {x}, {"tensor<2x2xf32>"}),
             tensor({2, 2}, {0.25, 1, 0.75, 0}));
  Tensor y = runOp("log_softmax %x axis(0) : tensor<2x2xf32>",
                   "tensor<2x2xf32>", {x}, {"tensor<2x2xf32>"});
  EXPECT_NEAR(y.data[0], -std::log(4), 1e-12);
  EXPECT_NEAR(y.data[2], std::log(0.75), 1e-12);
  EXPECT_EQ(y.data[1], 0);
  EXPECT_EQ(y.data[3], -infinity);
}

//===-- Products ----------------------------------------------------------===//

TEST_F(EvaluateTensors, matmul) {
  Value a = tensor({2, 2}, {1, 2, 3, 4}),
        b = tensor({2, 2}, {1, 10, 100, 1000});
  auto multiply = [&](const std::string &options) {
    return runOp("matmul %x, %y " + options +
                     " : tensor<2x2xf32>, tensor<2x2xf32> -> tensor<2x2xf32>",
                 "tensor<2x2xf32>", {a, b},
                 {"tensor<2x2xf32>", "tensor<2x2xf32>"});
  };
  expectNear(multiply(""), tensor({2, 2}, {201, 2010, 403, 4030}));
  expectNear(multiply("transpose_a"), tensor({2, 2}, {301, 3010, 402, 4020}));
  expectNear(multiply("transpose_b"), tensor({2, 2}, {21, 2100, 43, 4300}));
  expectNear(multiply("transpose_a transpose_b"),
             tensor({2, 2}, {31, 3100, 42, 4200}));
}

// Two groups of two along the first dimension, for each of two columns.
TEST_F(EvaluateTensors, dequantize) {
  Value q = tensor({4, 2}, {1, -2, 3, 4, -128, 127, 0, 5}),
        scales = tensor({2, 2}, {0.5, 2, 0.25, 1}),
        zeros = tensor({2, 2}, {1, 0, -128, 5}),
        minimums = tensor({2, 2}, {0.5, 0, -1, 2});
  expectNear(runOp("dequantize %x, %y axis(0) : tensor<4x2xi8>, "
                   "tensor<2x2xf16> -> tensor<4x2xf32>",
                   "tensor<4x2xf32>", {q, scales},
                   {"tensor<4x2xi8>", "tensor<2x2xf16>"}),
             tensor({4, 2}, {0.5, -4, 1.5, 8, -32, 127, 0, 5}));
  expectNear(runOp("dequantize %x, %y zeros(%z : tensor<2x2xi8>) axis(0) : "
                   "tensor<4x2xi8>, tensor<2x2xf16> -> tensor<4x2xf32>",
                   "tensor<4x2xf32>", {q, scales, zeros},
                   {"tensor<4x2xi8>", "tensor<2x2xf16>", "tensor<2x2xi8>"}),
             tensor({4, 2}, {0, -4, 1, 8, 0, 122, 32, 0}));
  expectNear(runOp("dequantize %x, %y minimums(%z : tensor<2x2xf32>) axis(0) : "
                   "tensor<4x2xi8>, tensor<2x2xf16> -> tensor<4x2xf32>",
                   "tensor<4x2xf32>", {q, scales, minimums},
                   {"tensor<4x2xi8>", "tensor<2x2xf16>", "tensor<2x2xf32>"}),
             tensor({4, 2}, {0, -4, 1, 8, -31, 125, 1, 3}));
}

// Scales are rounded to bf16, of which 127 / 127 and 254 / 127 are such.
TEST_F(EvaluateTensors, quantize) {
  auto results = run(R"(
    func.func @f(%x: tensor<2x6xf32>) -> (tensor<2x6xi8>, tensor<2x2xbf16>) {
      %q, %s = heddle.quantize %x axis(1) group(3)
             : tensor<2x6xf32> -> tensor<2x6xi8>, tensor<2x2xbf16>
      return %q, %s : tensor<2x6xi8>, tensor<2x2xbf16>
    })",
                     {tensor({2, 6}, {127, -0.5, 1.5, 3, -254, 5, //
                                      0, 0, 0, infinity, 1, -infinity})});
  ASSERT_EQ(results.size(), 2u);
  expectNear(*results[0].tensor(),
             tensor({2, 6}, {127, 0, 2, 2, -127, 2, 0, 0, 0, 0, 0, 0}));
  expectNear(*results[1].tensor(), tensor({2, 2}, {1, 2, 0, infinity}));
}

TEST_F(EvaluateTensors, matmulIsBroadcast) {
  // Two rows of each of two stacks, by one column of three stacks.
  expectNear(runOp("matmul %x, %y : tensor<2x1x1x2xf32>, tensor<3x2x1xf32> -> "
                   "tensor<2x3x1x1xf32>",
                   "tensor<2x3x1x1xf32>",
                   {tensor({2, 1, 1, 2}, {1, 10, 2, 20}),
                    tensor({3, 2, 1}, {1, 2, 3, 4, 5, 6})},
                   {"tensor<2x1x1x2xf32>", "tensor<3x2x1xf32>"}),
             tensor({2, 3, 1, 1}, {21, 43, 65, 42, 86, 130}));
}

TEST_F(EvaluateTensors, matmulOfIntegers) {
  const char *types[] = {"tensor<1x2xi8>", "tensor<2x1xi8>"};
  expectNear(runOp("matmul %x, %y : tensor<1x2xi8>, tensor<2x1xi8> -> "
                   "tensor<1x1xi8>",
                   "tensor<1x1xi8>",
                   {tensor({1, 2}, {100, 1}), tensor({2, 1}, {2, -1})}, types),
             tensor({1, 1}, {199 - 256}));
  const char *flags[] = {"tensor<2x2xi1>", "tensor<2x1xi1>"};
  expectNear(runOp("matmul %x, %y : tensor<2x2xi1>, tensor<2x1xi1> -> "
                   "tensor<2x1xi1>",
                   "tensor<2x1xi1>",
                   {tensor({2, 2}, {1, 1, 0, 0}), tensor({2, 1}, {1, 1})},
                   flags),
             tensor({2, 1}, {1, 0}));
}

//===-- Indices -----------------------------------------------------------===//

TEST_F(EvaluateTensors, scatter) {
  auto scatter = [&](const std::string &kind) {
    return runOp("scatter " + kind +
                     " %x, %y, %z axis(0) : tensor<3xf32>, tensor<4xi32>, "
                     "tensor<4xf32> -> tensor<3xf32>",
                 "tensor<3xf32>",
                 {tensor({3}, {5, 5, 5}), tensor({4}, {2, 0, 2, 3}),
                  tensor({4}, {1, 9, 3, 100})},
                 {"tensor<3xf32>", "tensor<4xi32>", "tensor<4xf32>"});
  };
  expectNear(scatter("assign"), tensor({3}, {9, 5, 3}));
  expectNear(scatter("add"), tensor({3}, {14, 5, 9}));
  expectNear(scatter("max"), tensor({3}, {9, 5, 5}));
  expectNear(scatter("min"), tensor({3}, {5, 5, 1}));
}

TEST_F(EvaluateTensors, scatterAlongTheLastDimension) {
  expectNear(runOp("scatter add %x, %y, %z axis(1) : tensor<2x2xi8>, "
                   "tensor<2xi64>, tensor<2x2xi8> -> tensor<2x2xi8>",
                   "tensor<2x2xi8>",
                   {tensor({2, 2}, {1, 2, 3, 100}), tensor({2}, {1, -1}),
                    tensor({2, 2}, {10, 20, 30, 40})},
                   {"tensor<2x2xi8>", "tensor<2xi64>", "tensor<2x2xi8>"}),
             tensor({2, 2}, {1, 12, 3, 130 - 256}));
}

TEST_F(EvaluateTensors, scatterWraps) {
  // -1 is the last element; -3 is outside.
  expectNear(
      runOp("scatter assign %x, %y, %z axis(0) wrap : tensor<2xf32>, "
            "tensor<2xi32>, tensor<2xf32> -> tensor<2xf32>",
            "tensor<2xf32>",
            {tensor({2}, {1, 2}), tensor({2}, {-1, -3}), tensor({2}, {8, 9})},
            {"tensor<2xf32>", "tensor<2xi32>", "tensor<2xf32>"}),
      tensor({2}, {1, 8}));
}

TEST_F(EvaluateTensors, scatterOfCoordinates) {
  // Places (1, 0), (0, 1), (0, 2), which is outside, and (1, 0) again.
  auto scatter = [&](const std::string &kind) {
    return runOp("scatter " + kind +
                     " %x, %y, %z axis(0) coordinates(2) : tensor<2x2xf32>, "
                     "tensor<2x2x2xi32>, tensor<2x2xf32> -> tensor<2x2xf32>",
                 "tensor<2x2xf32>",
                 {tensor({2, 2}, {5, 5, 5, 5}),
                  tensor({2, 2, 2}, {1, 0, 0, 1, 0, 2, 1, 0}),
                  tensor({2, 2}, {1, 2, 3, 4})},
                 {"tensor<2x2xf32>", "tensor<2x2x2xi32>", "tensor<2x2xf32>"});
  };
  expectNear(scatter("assign"), tensor({2, 2}, {5, 2, 4, 5}));
  expectNear(scatter("add"), tensor({2, 2}, {5, 7, 10, 5}));
}

TEST_F(EvaluateTensors, scatterOfAnyRank) {
  // Column 1 of two rows, from an index that is a number alone.
  expectNear(runOp("scatter assign %x, %y, %z axis(1) : tensor<2x2xi8>, "
                   "tensor<i32>, tensor<2xi8> -> tensor<2x2xi8>",
                   "tensor<2x2xi8>",
                   {tensor({2, 2}, {1, 2, 3, 4}), tensor({}, {1}),
                    tensor({2}, {8, 9})},
                   {"tensor<2x2xi8>", "tensor<i32>", "tensor<2xi8>"}),
             tensor({2, 2}, {1, 8, 3, 9}));
}

TEST_F(EvaluateTensors, iota) {
  expectNear(runOp("iota axis(1) sizes [2, 3] : tensor<2x3xi32>",
                   "tensor<2x3xi32>", {}, {}),
             tensor({2, 3}, {0, 1, 2, 0, 1, 2}));
  // The lower bits of 130, and 257 as a bf16.
  EXPECT_EQ(runOp("iota axis(0) sizes [131] : tensor<131xi8>", "tensor<131xi8>",
                  {}, {})
                .data[130],
            130 - 256);
  EXPECT_EQ(runOp("iota axis(0) sizes [258] : tensor<258xbf16>",
                  "tensor<258xbf16>", {}, {})
                .data[257],
            256);
}

TEST_F(EvaluateTensors, oneHot) {
  expectNear(runOp("one_hot %x depth(3) : tensor<3xi32> -> tensor<3x3xf32>",
                   "tensor<3x3xf32>", {tensor({3}, {1, -1, 3})},
                   {"tensor<3xi32>"}),
             tensor({3, 3}, {0, 1, 0, 0, 0, 0, 0, 0, 0}));
  expectNear(
      runOp("one_hot %x depth(3) wrap : tensor<3xi32> -> tensor<3x3xf32>",
            "tensor<3x3xf32>", {tensor({3}, {1, -1, -4})}, {"tensor<3xi32>"}),
      tensor({3, 3}, {0, 1, 0, 0, 0, 1, 0, 0, 0}));
}

TEST_F(EvaluateTensors, casts) {
  auto cast = [&](const std::string &from, const std::string &to,
                  std::vector<double> x) {
    std::string size = "tensor<" + std::to_string(x.size()) + "x";
    return runOp("cast %x : " + size + from + "> -> " + size + to + ">",
                 size + to + ">", {tensor({int64_t(x.size())}, x)},
                 {(size + from + ">").c_str()})
        .data;
  };
  using Numbers = std::vector<double>;
  EXPECT_EQ(cast("f32", "i8", {1.9, -1.9, 200, -200, nan, infinity}),
            (Numbers{1, -1, 127, -128, 0, 127}));
  EXPECT_EQ(cast("f32", "bf16", {1.00390625, 1.01171875, 3.4e38}),
            (Numbers{1, 1.015625, infinity}));
  EXPECT_EQ(cast("i32", "i8", {300, -1}), (Numbers{44, -1}));
  EXPECT_EQ(cast("f32", "i1", {0, -0.5, nan}), (Numbers{0, 1, 1}));
  EXPECT_EQ(cast("i1", "f32", {0, 1}), (Numbers{0, 1}));
  EXPECT_EQ(cast("i1", "i32", {0, 1}), (Numbers{0, 1}));
}

} // namespace
} // namespace heddle::reference
