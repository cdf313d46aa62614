// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "test/Reference/ReferenceTesting.h"

namespace heddle::reference {
namespace {

using EvaluateDropout = EvaluatorTest;

// Random123's known answer for the counter and the key 0 begins with 6627e8d5,
// which is 0.399 of 2^32.
TEST_F(EvaluateDropout, firstWord) {
  auto text = [](std::string rate) {
    return "func.func @f(%x: tensor<1xf32>, %s: tensor<2xi32>) -> "
           "tensor<1xf32> { %y = heddle.dropout %x rate(" +
           rate +
           ") seed(%s : tensor<2xi32>) : tensor<1xf32>\n"
           "return %y : tensor<1xf32> }";
  };
  Value x = tensor({1}, {3}), seed = tensor({2}, {0, 0});
  expect(text("0.39"), {x, seed}, tensor({1}, {3 / (1 - 0.39)}));
  expect(text("0.4"), {x, seed}, tensor({1}, {0}));
  expect(text("0.0"), {x, seed}, tensor({1}, {3}));
}

TEST_F(EvaluateDropout, withoutSeed) {
  expect(R"(func.func @f(%x: tensor<2xf32>) -> tensor<2xf32> {
              %y = heddle.dropout %x rate(0.9) : tensor<2xf32>
              return %y : tensor<2xf32> })",
         {tensor({2}, {1, -2})}, tensor({2}, {1, -2}));
}

} // namespace
} // namespace heddle::reference
