// Part of Heddle, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

// Weights, elementwise maths, functions and kernels.

#include "test/Reference/ReferenceTesting.h"

#include "llvm/Support/Endian.h"

namespace heddle::reference {
namespace {

using EvaluateWeights = EvaluatorTest;
using EvaluateArith = EvaluatorTest;
using EvaluateFunctions = EvaluatorTest;

static std::vector<uint8_t> bytesOf(std::initializer_list<float> values) {
  std::vector<uint8_t> bytes(4 * values.size());
  uint8_t *to = bytes.data();
  for (float value : values) {
    llvm::support::endian::write32le(to, llvm::bit_cast<uint32_t>(value));
    to += 4;
  }
  return bytes;
}

//===-- weights -----------------------------------------------------------===//

TEST_F(EvaluateWeights, valuesInTheText) {
  expect(R"(heddle.weight @w = dense<[[1.5, -2.0]]> : tensor<1x2xbf16>
            func.func @f() -> tensor<1x2xbf16> {
              %w = heddle.weight_ref @w : tensor<1x2xbf16>
              return %w : tensor<1x2xbf16> })",
         {}, tensor({1, 2}, {1.5, -2}));
  expect(R"(heddle.weight @w = dense<0.1> : tensor<2xf32>
            func.func @f() -> tensor<2xf32> {
              %w = heddle.weight_ref @w : tensor<2xf32>
              return %w : tensor<2xf32> })",
         {}, tensor({2}, {0.1f, 0.1f}), 0);
}

TEST_F(EvaluateWeights, areRoundedToTheirType) {
  // bf16 has 8 significant bits: of 1 + 2^-8, halfway, the even neighbour is 1;
  // of 1 + 3 * 2^-8 it is 1 + 2^-6. f16 has 11.
  source.add(
      "stored", HEDDLE_TYPE_F32, {4},
      bytesOf({1 + 0x1p-8f, 1 + 3 * 0x1p-8f, 1 + 0x1.8p-8f, 1 + 0x1p-12f}));
  auto text = [](const std::string &type) {
    return "heddle.weight @w from \"stored\" : tensor<4x" + type +
           ">\nfunc.func @f() -> tensor<4x" + type +
           "> {\n%w = heddle.weight_ref @w : tensor<4x" + type +
           ">\nreturn %w : tensor<4x" + type + "> }";
  };
  expect(text("f32"), {},
         tensor({4}, {1 + 0x1p-8, 1 + 3 * 0x1p-8, 1 + 0x1.8p-8, 1 + 0x1p-12}),
         0);
  expect(text("bf16"), {}, tensor({4}, {1, 1 + 0x1p-6, 1 + 0x1p-7, 1}), 0);
  expect(text("f16"), {},
         tensor({4}, {1 + 0x1p-8, 1 + 3 * 0x1p-8, 1 + 0x1.8p-8, 1}), 0);
}

TEST_F(EvaluateWeights, areReadRowByRow) {
  // bf16 1, 2, 3, 4 and f16 1, 2.
  source.add("matrix", HEDDLE_TYPE_BF16, {2, 2},
             {0x80, 0x3f, 0, 0x40, 0x40, 0x40, 0x80, 0x40});
  source.add("vector", HEDDLE_TYPE_F16, {2}, {0, 0x3c, 0, 0x40});
  expect(R"(heddle.weight @m from "matrix" : tensor<2x2xbf16>
            heddle.weight @v from "vector" : tensor<2xf16>
            func.func @f(%x: tensor<?x2xf32>) -> tensor<?x2xf32> {
              %m = heddle.weight_ref @m : tensor<2x2xbf16>
              %v = heddle.weight_ref @v : tensor<2xf16>
              %y = heddle.linear %x, %m bias(%v : tensor<2xf16>)
                 : tensor<?x2xf32>, tensor<2x2xbf16>
              return %y : tensor<?x2xf32> })",
         {tensor({1, 2}, {10, 100})}, tensor({1, 2}, {211, 432}));
}

TEST_F(EvaluateWeights, negative_source) {
  const char *text = R"(heddle.weight @w from "a" : tensor<2xf32>
                        func.func @f() -> tensor<2xf32> {
                          %w = heddle.weight_ref @w : tensor<2xf32>
                          return %w : tensor<2xf32> })";
  expectError(text, {},
              "'heddle.weight': expected tensor 'a' in the source of weights, "
              "found none");
  source.add("a", HEDDLE_TYPE_F32, {1, 2}, bytesOf({1, 2}));
  expectError(text, {}, "expected tensor 'a' of shape [2], found [1, 2]");
  source.add("a", std::nullopt, {2}, {1, 2});
  expectError(text, {}, "expected tensor 'a' of floats, found another");
}

//===-- arith -------------------------------------------------------------===//

TEST_F(EvaluateArith, floats) {
  auto text = [](const std::string &op) {
    return "func.func @f(%a: tensor<?xf32>, %b: tensor<?xf32>) -> "
           "tensor<?xf32> {\n"
           "%c = arith." +
           op + " : tensor<?xf32>\nreturn %c : tensor<?xf32> }";
  };
  Value a = tensor({3}, {6, -1, 0}), b = tensor({3}, {3, 4, nan});
  expect(text("addf %a, %b"), {a, b}, tensor({3}, {9, 3, nan}));
  expect(text("subf %a, %b"), {a, b}, tensor({3}, {3, -5, nan}));
  expect(text("mulf %a, %b"), {a, b}, tensor({3}, {18, -4, nan}));
  expect(text("divf %a, %b"), {a, b}, tensor({3}, {2, -0.25, nan}));
  expect(text("maximumf %a, %b"), {a, b}, tensor({3}, {6, 4, nan}));
  expect(text("minimumf %a, %b"), {a, b}, tensor({3}, {3, -1, nan}));
  expect(text("negf %a"), {a, b}, tensor({3}, {-6, 1, 0}));
  expectError(
      text("addf %a, %b"), {a, tensor({1}, {1})},
      "'arith.addf': expected operands of one shape, found [3] and [1]");
}

TEST_F(EvaluateArith, signedZeros) {
  auto text = [](const std::string &op) {
    return "func.func @f(%a: tensor<2xf32>, %b: tensor<2xf32>) -> "
           "tensor<2xf32> {\n"
           "%c = arith." +
           op + " %a, %b : tensor<2xf32>\nreturn %c : tensor<2xf32> }";
  };
  Value a = tensor({2}, {0.0, -0.0}), b = tensor({2}, {-0.0, 0.0});
  Evaluator::Results maxima = run(text("maximumf"), {a, b});
  for (double maximum : maxima[0].tensor()->data)
    EXPECT_FALSE(std::signbit(maximum));
  Evaluator::Results minima = run(text("minimumf"), {a, b});
  for (double minimum : minima[0].tensor()->data)
    EXPECT_TRUE(std::signbit(minimum));
}

TEST_F(EvaluateArith, integersWrapAround) {
  auto text = [](const std::string &op) {
    return "func.func @f(%a: tensor<?xi32>, %b: tensor<?xi32>) -> "
           "tensor<?xi32> {\n"
           "%c = arith." +
           op + " %a, %b : tensor<?xi32>\nreturn %c : tensor<?xi32> }";
  };
  double highest = INT32_MAX, lowest = INT32_MIN;
  Value a = tensor({3}, {5, -2, highest}), b = tensor({3}, {7, 3, 2});
  expect(text("addi"), {a, b}, tensor({3}, {12, 1, lowest + 1}));
  expect(text("subi"), {b, a}, tensor({3}, {2, 5, lowest + 3}));
  expect(text("muli"), {a, b}, tensor({3}, {35, -6, -2}));
}

TEST_F(EvaluateArith, constants) {
  expect(R"(func.func @f() -> tensor<2xi32> {
              %c = arith.constant dense<[3, -4]> : tensor<2xi32>
              return %c : tensor<2xi32> })",
         {}, tensor({2}, {3, -4}));
}

TEST_F(EvaluateArith, negative_unknownOp) {
  expectError(R"(func.func @f(%a: tensor<1xf32>) -> tensor<1xf32> {
                   %c, %s = math.sincos %a : tensor<1xf32>
                   return %c : tensor<1xf32> })",
              {tensor({1}, {1})},
              "'math.sincos': the reference evaluator does not know this op");
}

//===-- functions and kernels ---------------------------------------------===//

const char *const withKernel = R"(
  heddle.kernel @append(%c: !heddle.cache<1 x 1 x 1 x f32>, %k: tensor<?x?x1xf32>,
                        %n: tensor<?xi32>) -> !heddle.cache<1 x 1 x 1 x f32> {
    %one = arith.constant dense<1> : tensor<1xi32>
    %c1 = heddle.cache.append %c, %k, %k layer(0) at(%n) lengths(%one)
        : !heddle.cache<1 x 1 x 1 x f32>, tensor<?x?x1xf32>, tensor<?x?x1xf32>,
          tensor<?xi32>, tensor<1xi32>
    heddle.yield %c1 : !heddle.cache<1 x 1 x 1 x f32>
  }
  heddle.kernel @read(%c: !heddle.cache<1 x 1 x 1 x f32>) -> tensor<?x?x1xf32> {
    %k, %v = heddle.cache.read %c layer(0) : !heddle.cache<1 x 1 x 1 x f32>
    heddle.yield %k : tensor<?x?x1xf32>
  }
  func.func @f(%c: !heddle.cache<3 x 1 x 1 x f32>, %k: tensor<?x?x1xf32>, %n: tensor<?xi32>)
      -> (tensor<?x?x1xf32>, tensor<?x?x1xf32>, !heddle.cache<3 x 1 x 1 x f32>) {
    %k2 = arith.addf %k, %k : tensor<?x?x1xf32>
    %c1 = heddle.launch @append(%c, %k, %n) layer(1)
        : (!heddle.cache<3 x 1 x 1 x f32>, tensor<?x?x1xf32>, tensor<?xi32>)
        -> !heddle.cache<3 x 1 x 1 x f32>
    %c2 = heddle.launch @append(%c1, %k2, %n) layer(2)
        : (!heddle.cache<3 x 1 x 1 x f32>, tensor<?x?x1xf32>, tensor<?xi32>)
        -> !heddle.cache<3 x 1 x 1 x f32>
    %r1 = heddle.launch @read(%c2) layer(1)
        : (!heddle.cache<3 x 1 x 1 x f32>) -> tensor<?x?x1xf32>
    %r2 = heddle.launch @read(%c2) layer(2)
        : (!heddle.cache<3 x 1 x 1 x f32>) -> tensor<?x?x1xf32>
    return %r1, %r2, %c2
        : tensor<?x?x1xf32>, tensor<?x?x1xf32>, !heddle.cache<3 x 1 x 1 x f32>
  })";

TEST_F(EvaluateFunctions, launchesNarrowCaches) {
  auto type =
      CacheType::get(&context, 3, 1, 1, mlir::Float32Type::get(&context));
  std::vector<std::string> seen;
  observer = [&](mlir::Operation *op, llvm::ArrayRef<Value> operands,
                 llvm::ArrayRef<Value> results,
                 const Environment &environment) {
    EXPECT_EQ(operands.size(), op->getNumOperands());
    EXPECT_EQ(results.size(), op->getNumResults());
    seen.push_back(op->getName().getStringRef().str());
  };
  Evaluator::Results results =
      run(withKernel, {CacheView::create(type, 1, 2), tensor({1, 1, 1}, {5}),
                       tensor({1}, {1})});
  ASSERT_EQ(results.size(), 3u);
  expectNear(*results[0].tensor(), tensor({1, 2, 1}, {nan, 5}));
  expectNear(*results[1].tensor(), tensor({1, 2, 1}, {nan, 10}));
  EXPECT_EQ(results[2].cache().layers(), 3);
  EXPECT_EQ(seen, (std::vector<std::string>{
                      "arith.addf", "arith.constant", "heddle.cache.append",
                      "heddle.launch", "arith.constant", "heddle.cache.append",
                      "heddle.launch", "heddle.cache.read", "heddle.launch",
                      "heddle.cache.read", "heddle.launch"}));
}

TEST_F(EvaluateFunctions, evaluatesOneKernel) {
  module = mlir::parseSourceString<mlir::ModuleOp>(withKernel, &context);
  auto kernel = module->lookupSymbol<KernelOp>("append");
  CacheView cache = CacheView::create(
      llvm::cast<CacheType>(kernel.getResultTypes()[0]), 1, 2);
  llvm::Expected<Evaluator::Results> results = Evaluator(*module).run(
      kernel, {cache, tensor({1, 1, 1}, {5}), tensor({1}, {1})});
  ASSERT_TRUE(bool(results)) << llvm::toString(results.takeError());
  const CacheStorage &storage = *(*results)[0].cache().storage;
  EXPECT_TRUE(std::isnan(storage.keys[0]));
  EXPECT_EQ(storage.keys[1], 5);
}

TEST_F(EvaluateFunctions, negative_arguments) {
  const char *text = R"(func.func @f(%a: tensor<?x2xf32>) -> tensor<?x2xf32> {
                          return %a : tensor<?x2xf32> })";
  expectError(text, {}, "'func.func': expected 1 arguments, found 0");
  expectError(
      text, {Tensor::zeros({2, 3})},
      "argument 0: expected tensor<?x2xf32>, found a tensor of shape [2, 3]");
  expectError(
      text, {Tensor::zeros({2})},
      "argument 0: expected tensor<?x2xf32>, found a tensor of shape [2]");
  auto type =
      CacheType::get(&context, 3, 1, 2, mlir::Float32Type::get(&context));
  expectError(text, {CacheView::create(type, 1, 1)},
              "expected tensor<?x2xf32>, found !heddle.cache<3 x 1 x 2 x f32>");
  expectError("func.func @g() { return }", {},
              "'builtin.module': expected a function @f, found none");
}

} // namespace
} // namespace heddle::reference
