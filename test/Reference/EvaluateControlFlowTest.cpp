// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Reference/ReferenceTesting.h"

namespace heddle::reference {
namespace {

using EvaluateControlFlow = EvaluatorTest;

// Three steps, 0, 2 and 4, whose sum is 6: 3 becomes 24.
TEST_F(EvaluateControlFlow, loopsOverIndices) {
  expect(R"(
    func.func @f(%x: tensor<1xf32>, %n: tensor<1xi32>) -> tensor<1xf32> {
      %c0 = arith.constant 0 : index
      %c2 = arith.constant 2 : index
      %last = tensor.extract %n[%c0] : tensor<1xi32>
      %end = arith.index_cast %last : i32 to index
      %r, %i = scf.for %i = %c0 to %end step %c2 iter_args(%a = %x, %j = %c0) -> (tensor<1xf32>, index) {
        %b = arith.addf %a, %a : tensor<1xf32>
        %k = arith.addi %i, %j : index
        scf.yield %b, %k : tensor<1xf32>, index
      }
      %c6 = arith.constant 6 : index
      %isSix = arith.cmpi eq, %i, %c6 : index
      %s = scf.if %isSix -> tensor<1xf32> {
        scf.yield %r : tensor<1xf32>
      } else {
        scf.yield %x : tensor<1xf32>
      }
      return %s : tensor<1xf32>
    })",
         {tensor({1}, {3}), tensor({1}, {5})}, tensor({1}, {24}));
}

// 20 -> 10 -> 5 -> 2.5, which is the first that is not above 4.
TEST_F(EvaluateControlFlow, loopsWhileDataSay) {
  auto results = run(R"(
    func.func @f(%x: tensor<1xf32>) -> (tensor<1xf32>, tensor<1xf32>) {
      %c0 = arith.constant 0 : index
      %four = arith.constant 4.0 : f32
      %half = arith.constant dense<0.5> : tensor<1xf32>
      %r:2 = scf.while (%a = %x, %b = %x) : (tensor<1xf32>, tensor<1xf32>) -> (tensor<1xf32>, tensor<1xf32>) {
        %v = tensor.extract %a[%c0] : tensor<1xf32>
        %goesOn = arith.cmpf ogt, %v, %four : f32
        scf.condition(%goesOn) %b, %a : tensor<1xf32>, tensor<1xf32>
      } do {
      ^bb0(%b: tensor<1xf32>, %a: tensor<1xf32>):
        %next = arith.mulf %a, %half : tensor<1xf32>
        scf.yield %next, %a : tensor<1xf32>, tensor<1xf32>
      }
      return %r#0, %r#1 : tensor<1xf32>, tensor<1xf32>
    })",
                     {tensor({1}, {20})});
  expectNear(*results[0].tensor(), tensor({1}, {5}));
  expectNear(*results[1].tensor(), tensor({1}, {2.5}));
}

TEST_F(EvaluateControlFlow, callsFunctions) {
  expect(R"(
    func.func private @negated(%x: tensor<2xf32>) -> tensor<2xf32> {
      %y = arith.negf %x : tensor<2xf32>
      return %y : tensor<2xf32>
    }
    func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
      %y = func.call @negated(%x) : (tensor<2xf32>) -> tensor<2xf32>
      %z = arith.addf %y, %y : tensor<2xf32>
      return %z : tensor<2xf32>
    })",
         {tensor({2}, {1, -2})}, tensor({2}, {-2, 4}));
}

TEST_F(EvaluateControlFlow, takesNoStepThatIsNotPositive) {
  expect(R"(
    func.func @f(%x: tensor<1xf32>) -> tensor<1xf32> {
      %c0 = arith.constant 0 : index
      %c4 = arith.constant 4 : index
      %r = scf.for %i = %c0 to %c4 step %c0 iter_args(%a = %x) -> (tensor<1xf32>) {
        %b = arith.addf %a, %a : tensor<1xf32>
        scf.yield %b : tensor<1xf32>
      }
      return %r : tensor<1xf32>
    })",
         {tensor({1}, {1})}, tensor({1}, {1}));
}

} // namespace
} // namespace heddle::reference
