// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Reference/ReferenceTesting.h"

namespace heddle::reference {
namespace {

class EvaluateExperts : public EvaluatorTest {
protected:
  // Three experts of one hidden channel. x = 1 and x = 2 give logits x *
  // log(1), x * log(4) and x * log(3), so that p is 1/8, 4/8, 3/8 and 1/26,
  // 16/26, 9/26. Expert e gives relu(gate x) * up x * down: 1000 x^2, 10 x^2
  // and 200 x^2.
  Evaluator::Results runExperts(const std::string &options) {
    return run(R"(
      func.func @f(%x: tensor<?x1xf32>, %r: tensor<3x1xf32>, %g: tensor<3x1x1xf32>,
                   %u: tensor<3x1x1xf32>, %d: tensor<3x1x1xf32>, %a: tensor<1x1xf32>)
          -> tensor<?x1xf32> {
        %y = heddle.mixture_of_experts relu %x router(%r) experts(%g, %u, %d) )" +
                   options + R"(
           : tensor<?x1xf32>, tensor<3x1xf32>, tensor<3x1x1xf32>, tensor<3x1x1xf32>,
             tensor<3x1x1xf32>
        return %y : tensor<?x1xf32> })",
               {tensor({2, 1}, {1, 2}),
                tensor({3, 1}, {0, std::log(4), std::log(3)}),
                tensor({3, 1, 1}, {10, 1, 2}), tensor({3, 1, 1}, {10, 5, 10}),
                tensor({3, 1, 1}, {10, 2, 10}), tensor({1, 1}, {3})});
  }
};

TEST_F(EvaluateExperts, linearOfChoices) {
  // Choices outside of the experts are the nearest ones.
  expect(R"(
    func.func @f(%x: tensor<?x2xf32>, %e: tensor<?x2xi32>, %w: tensor<2x1x2xf32>,
                 %b: tensor<2x1xf32>) -> tensor<?x2x1xf32> {
      %y = heddle.expert_linear %x, %e, %w bias(%b : tensor<2x1xf32>)
         : tensor<?x2xf32>, tensor<?x2xi32>, tensor<2x1x2xf32>
      return %y : tensor<?x2x1xf32> })",
         {tensor({2, 2}, {1, 2, 3, 4}), tensor({2, 2}, {1, 0, 5, -1}),
          tensor({2, 1, 2}, {1, 10, 100, 1000}), tensor({2, 1}, {5, 7})},
         tensor({2, 2, 1}, {2107, 26, 4307, 48}));
  // Each with an input of its own.
  expect(R"(
    func.func @f(%x: tensor<?x2x1xf32>, %e: tensor<?x2xi64>, %w: tensor<2x1x1xf32>)
        -> tensor<?x2x1xf32> {
      %y = heddle.expert_linear %x, %e, %w
         : tensor<?x2x1xf32>, tensor<?x2xi64>, tensor<2x1x1xf32>
      return %y : tensor<?x2x1xf32> })",
         {tensor({1, 2, 1}, {3, 4}), tensor({1, 2}, {1, 0}),
          tensor({2, 1, 1}, {10, 100})},
         tensor({1, 2, 1}, {300, 40}));
}

TEST_F(EvaluateExperts, theLargestOne) {
  expectNear(*runExperts("top(1)")[0].tensor(),
             tensor({2, 1}, {10 * 4 / 8.0, 40 * 16 / 26.0}));
}

TEST_F(EvaluateExperts, theLargestTwo) {
  expectNear(*runExperts("top(2)")[0].tensor(),
             tensor({2, 1}, {(40 + 600) / 8.0, 4 * (160 + 1800) / 26.0}), 1e-9);
}

TEST_F(EvaluateExperts, normalized) {
  expectNear(*runExperts("top(2) normalized")[0].tensor(),
             tensor({2, 1}, {640 / 7.0, 4 * 1960 / 25.0}), 1e-9);
}

TEST_F(EvaluateExperts, shared) {
  // One more expert of relu(3 x) * 3 x * 3.
  expectNear(
      *runExperts("shared(%a, %a, %a : tensor<1x1xf32>, tensor<1x1xf32>, "
                  "tensor<1x1xf32>) top(1)")[0]
           .tensor(),
      tensor({2, 1}, {5 + 27, 640 / 26.0 + 108}));
}

TEST_F(EvaluateExperts, ofEqualSharesTheFirst) {
  expect(
      R"(
    func.func @f(%x: tensor<?x1xf32>, %r: tensor<2x1xf32>, %g: tensor<2x1x1xf32>)
        -> tensor<?x1xf32> {
      %y = heddle.mixture_of_experts relu %x router(%r) experts(%g, %g, %g) top(1)
         : tensor<?x1xf32>, tensor<2x1xf32>, tensor<2x1x1xf32>, tensor<2x1x1xf32>,
           tensor<2x1x1xf32>
      return %y : tensor<?x1xf32> })",
      {tensor({1, 1}, {1}), tensor({2, 1}, {1, 1}), tensor({2, 1, 1}, {2, 3})},
      tensor({1, 1}, {4}));
}

} // namespace
} // namespace heddle::reference
