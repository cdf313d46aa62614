// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Reference/ReferenceTesting.h"

namespace heddle::reference {
namespace {

class EvaluateConvolution : public EvaluatorTest {};

TEST_F(EvaluateConvolution, conv1d) {
  // One channel 1 2 3 4 with a zero on either side; taps 10 and 1, so that
  // y[l] = 5 + 10 x[l - 1] + x[l].
  expect(R"(
    func.func @f(%x: tensor<?x1x4xf32>, %w: tensor<1x1x2xf32>, %b: tensor<1xf32>)
        -> tensor<?x1x5xf32> {
      %y = heddle.conv_1d %x, %w bias(%b : tensor<1xf32>) stride(1) padding(1) dilation(1)
           groups(1) : tensor<?x1x4xf32>, tensor<1x1x2xf32>
      return %y : tensor<?x1x5xf32> })",
         {tensor({1, 1, 4}, {1, 2, 3, 4}), tensor({1, 1, 2}, {10, 1}),
          tensor({1}, {5})},
         tensor({1, 1, 5}, {6, 17, 28, 39, 45}));
}

TEST_F(EvaluateConvolution, conv1dWithStrideAndDilation) {
  // y[l] = x[2 l] - x[2 l + 3]; the last element that is read is x[5].
  expect(R"(
    func.func @f(%x: tensor<?x1x7xf32>, %w: tensor<1x1x2xf32>) -> tensor<?x1x2xf32> {
      %y = heddle.conv_1d %x, %w stride(2) padding(0) dilation(3) groups(1)
         : tensor<?x1x7xf32>, tensor<1x1x2xf32>
      return %y : tensor<?x1x2xf32> })",
         {tensor({1, 1, 7}, {1, 10, 100, 2, 20, 200, 3}),
          tensor({1, 1, 2}, {1, -1})},
         tensor({1, 1, 2}, {-1, -100}));
}

TEST_F(EvaluateConvolution, conv1dWithGroups) {
  // Four channels in and two out: each output reads two.
  const char *text = R"(
    func.func @f(%x: tensor<?x4x1xf32>, %w: tensor<2x2x1xf32>) -> tensor<?x2x1xf32> {
      %y = heddle.conv_1d %x, %w stride(1) padding(0) dilation(1) groups(2)
         : tensor<?x4x1xf32>, tensor<2x2x1xf32>
      return %y : tensor<?x2x1xf32> })";
  expect(text,
         {tensor({2, 4, 1}, {1, 2, 3, 4, 5, 6, 7, 8}),
          tensor({2, 2, 1}, {1, 10, 100, 1000})},
         tensor({2, 2, 1}, {21, 4300, 65, 8700}));
}

TEST_F(EvaluateConvolution, conv2d) {
  // An image of 2 by 3 with a zero column before it and a zero row behind it;
  // taps 1 10 in one row and 100 1000 in the next.
  expect(R"(
    func.func @f(%x: tensor<?x1x2x3xf32>, %w: tensor<1x1x2x2xf32>, %b: tensor<1xf32>)
        -> tensor<?x1x2x3xf32> {
      %y = heddle.conv_2d %x, %w bias(%b : tensor<1xf32>) strides [1, 1] low [0, 1]
           high [1, 0] dilations [1, 1] groups(1) : tensor<?x1x2x3xf32>, tensor<1x1x2x2xf32>
      return %y : tensor<?x1x2x3xf32> })",
         {tensor({1, 1, 2, 3}, {1, 2, 3, 4, 5, 6}),
          tensor({1, 1, 2, 2}, {1, 10, 100, 1000}), tensor({1}, {0.5})},
         tensor({1, 1, 2, 3}, {4010.5, 5421.5, 6532.5, 40.5, 54.5, 65.5}));
}

TEST_F(EvaluateConvolution, conv2dWithStridesDilationsAndGroups) {
  // Two channels of 3 by 4, each of which is one out: y = x[2 p, q] - x[2 p, q
  // + 3], and y = x[2 p, q] + 2 x[2 p, q + 3], of rows 0 and 2.
  expect(R"(
    func.func @f(%x: tensor<1x2x3x4xf32>, %w: tensor<2x1x1x2xf32>) -> tensor<1x2x2x1xf32> {
      %y = heddle.conv_2d %x, %w strides [2, 2] low [0, 0] high [0, 0] dilations [1, 3]
           groups(2) : tensor<1x2x3x4xf32>, tensor<2x1x1x2xf32>
      return %y : tensor<1x2x2x1xf32> })",
         {tensor({1, 2, 3, 4},
                 {1, nan, nan, 5, nan, nan, nan, nan, 2, nan, nan, 9, //
                  1, nan, nan, 5, nan, nan, nan, nan, 2, nan, nan, 9}),
          tensor({2, 1, 1, 2}, {1, -1, 1, 2})},
         tensor({1, 2, 2, 1}, {-4, -7, 11, 20}));
}

TEST_F(EvaluateConvolution, zerosAroundAreFactors) {
  expect(R"(
    func.func @f(%x: tensor<1x1x1xf32>, %w: tensor<1x1x2xf32>) -> tensor<1x1x2xf32> {
      %y = heddle.conv_1d %x, %w stride(1) padding(1) dilation(1) groups(1)
         : tensor<1x1x1xf32>, tensor<1x1x2xf32>
      return %y : tensor<1x1x2xf32> })",
         {tensor({1, 1, 1}, {2}), tensor({1, 1, 2}, {infinity, 3})},
         tensor({1, 1, 2}, {nan, infinity}));
}

// `text` with that kind of pooling.
static std::string poolOf(llvm::StringRef kind, std::string text) {
  return text.replace(text.find("KIND"), 4, kind.str());
}

TEST_F(EvaluateConvolution, pool2d) {
  // Windows of 2 by 2, of which the last column has one place, and the mean
  // none of what is outside.
  const char *text = R"(
    func.func @f(%x: tensor<1x1x2x3xf32>) -> tensor<1x1x1x2xf32> {
      %y = heddle.pool_2d KIND %x window [2, 2] strides [2, 2] low [0, 0] high [0, 1]
           dilations [1, 1] : tensor<1x1x2x3xf32>
      return %y : tensor<1x1x1x2xf32> })";
  Value x = tensor({1, 1, 2, 3}, {-1, -2, -3, -4, -5, -6});
  expect(poolOf("max", text), {x}, tensor({1, 1, 1, 2}, {-1, -3}));
  expect(poolOf("mean", text), {x}, tensor({1, 1, 1, 2}, {-3, -4.5}));
}

TEST_F(EvaluateConvolution, pool2dOfNothing) {
  // Taps at -2 and 1, then at -1 and 2, of one place.
  const char *text = R"(
    func.func @f(%x: tensor<1x1x1x1xf32>) -> tensor<1x1x1x2xf32> {
      %y = heddle.pool_2d KIND %x window [1, 2] strides [1, 1] low [0, 2] high [0, 2]
           dilations [1, 3] : tensor<1x1x1x1xf32>
      return %y : tensor<1x1x1x2xf32> })";
  Value x = tensor({1, 1, 1, 1}, {7});
  expect(poolOf("max", text), {x},
         tensor({1, 1, 1, 2}, {-infinity, -infinity}));
  expect(poolOf("mean", text), {x}, tensor({1, 1, 1, 2}, {0, 0}));
}

TEST_F(EvaluateConvolution, patchEmbedding) {
  // An image of two channels, 2 by 5: two patches; the last column is not read.
  expect(R"(
    func.func @f(%x: tensor<1x2x2x5xf32>, %w: tensor<1x2x2x2xf32>, %b: tensor<1xf32>)
        -> tensor<1x2x1xf32> {
      %y = heddle.patch_embedding %x, %w bias(%b : tensor<1xf32>)
         : tensor<1x2x2x5xf32>, tensor<1x2x2x2xf32>
      return %y : tensor<1x2x1xf32> })",
         {tensor({1, 2, 2, 5}, {1, 2, 3, 4, nan, 5, 6, 7, 8, nan, //
                                1, 0, 0, 1, nan, 0, 2, 3, 0, nan}),
          tensor({1, 2, 2, 2}, {1, 10, 100, 1000, 0.5, 0, 0, -1}),
          tensor({1}, {7})},
         tensor({1, 2, 1}, {6521 + 0.5 - 2 + 7, 8743 + 0 + 7}));
}

TEST_F(EvaluateConvolution, patchesAreTokensRowByRow) {
  // Patches of one pixel: [batch, channels, 2, 3] -> [batch, 6, 2].
  expect(
      R"(
    func.func @f(%x: tensor<1x1x2x3xf32>, %w: tensor<2x1x1x1xf32>) -> tensor<1x6x2xf32> {
      %y = heddle.patch_embedding %x, %w : tensor<1x1x2x3xf32>, tensor<2x1x1x1xf32>
      return %y : tensor<1x6x2xf32> })",
      {tensor({1, 1, 2, 3}, {1, 2, 3, 4, 5, 6}), tensor({2, 1, 1, 1}, {1, 10})},
      tensor({1, 6, 2}, {1, 10, 2, 20, 3, 30, 4, 40, 5, 50, 6, 60}));
}

} // namespace
} // namespace heddle::reference
